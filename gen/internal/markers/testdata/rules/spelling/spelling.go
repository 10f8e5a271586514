// Package spelling has markers with misspelt names.
//
// +kubebuilder:validation:Optinal
// +kubebuilder:object:generate=true
// +kubebuilder:rbac:groups=example.com,resources=goods,verbs=get
// +kubebuilder:webhook:path=/x
package spelling

// Bad has unknown markers.
//
// +kubebuilder:Resource:path=bads
// +kubebuilder:subresource:Status
// +kubebuilder:printcolum:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +kubebuilder:validation:XValidaton:rule="true"
type Bad struct {
	// +kubebuilder:validation:Minumum=3
	Name int `json:"name"`
	// +kubebuilder:validaton:Minimum=3
	Middle int `json:"middle"`
	// +kubebilder:validation:Minimum=3
	First int `json:"first"`
	// +kubebuilder:Default=3
	Case int `json:"case,omitempty"`
	// +kubebuilder:validation:maxLength=3
	Lower string `json:"lower"`
	// +kubebuilder:validation:Foo=3
	Unlike int `json:"unlike"`
	// +kubebuilder:Minimum=3
	Level int `json:"level"`
	// +kubebuilder:validation:default=3
	Deeper int `json:"deeper,omitempty"`
	// +kubebuilder:nullable
	Unprefixed *int `json:"unprefixed,omitempty"`
	// +kubebuilder:validation:Manimum=3
	Two int `json:"two"`
	// +kubebuilder:validation:items:MaxLenght=3
	Items []string `json:"items"`
	// +kubebuilder:validation:Minimum:3
	Colon  int `json:"colon"`
	Behind int `json:"behind"` // +kubebuilder:validation:Minumum=3
	// +k8s:optinal
	Native string `json:"native,omitempty"`
	// +Default="x"
	Plain string `json:"plain,omitempty"`
	// +immutable:true
	Fixed string `json:"fixed"`
	// +default: "x"
	ColonSpace string `json:"colonSpace,omitempty"`
	// + default="x"
	Space string `json:"space,omitempty"`
	// + immutable
	SpaceFixed string `json:"spaceFixed"`
	// A sum of a
	// + optional parts
	// + default values.
	Sum string `json:"sum"`
}

// +kubebuilder:rbac:groups=example.com,resources=goods,verbs=get

// Good has markers of other generators.
//
// +kubebuilder:ac:generate=true
// +kubebuilder:externalDocs:url="https://example.com"
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=goods,scope=Cluster
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
// +kubebuilder:validation:XValidation:rule="true"
// +kubebuilder:docs-gen:collapse=Imports
// +kubebuilder:scaffold:imports
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +k8s:prerelease-lifecycle-gen:introduced=1.2
// +example.com:validation:Minumum=3
type Good struct {
	// +k8s:maxItems=3
	// +kubebuilder:validation:items:XPreserveUnknownFields
	// +kubebuilder:validation:items:XEmbeddedResource
	List []Any `json:"list"`
	// +kubebuilder:altName=name
	// +kubebuilder:title:=Name
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// Any is any object.
type Any struct{}
