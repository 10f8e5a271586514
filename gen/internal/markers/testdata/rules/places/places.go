// Package places has markers in places where they have no effect.
package places

type Places struct {
	Behind string `json:"behind,omitempty"` // +default="x"

	// +default="x"

	Detached string `json:"detached,omitempty"`

	// +default="x"
	unexported string

	// +default="x"
	Skipped string `json:"-"`
	NoTag   string
	Field   Inner `json:",inline"`
	// +default={"a":"x"}
	Inner `json:",inline"`
	// +optional
	// +required
	Mixed string `json:"mixed,omitempty"`
	// +kubebuilder:validation:Minimum=x
	NoNumber int `json:"noNumber"`
	// +kubebuilder:validation:MaxLength=3
	NoText int `json:"noText"`
	// +kubebuilder:validation:items:MaxLength=3
	Items []string `json:"items"`
	// +kubebuilder:validation:items:MaxLength=3
	NoItems string `json:"noItems"`
	// +kubebuilder:resource:path=x
	Type string `json:"type"`
	/*
		+default="in a block"
	*/
	Block string `json:"block,omitempty"`
	//+default="no space"
	NoSpace string `json:"noSpace,omitempty"`
}

type Inner struct {
	A string `json:"a,omitempty"`
}

// Embeds gets the default of its embedded field, as in controller-gen.
type Embeds struct {
	// +kubebuilder:default={a: x, b: y}
	Inner `json:",inline"`
	B     string `json:"b,omitempty"`
}

// Misfit has a default on an embedded field that does not fit Misfit.
type Misfit struct {
	// +kubebuilder:default={a: 1}
	Inner `json:",inline"`
}

// Unread has a default on an embedded field that cannot be read.
type Unread struct {
	// +kubebuilder:default=
	Inner `json:",inline"`
}

// Plain is not a JSON type.
type Plain struct {
	A   string
	fun func()
}

type (
	// Grouped is declared in a group.
	// +default="g"
	Grouped string

	// +default=1

	Second string
)

// Refused has markers that are only allowed on fields.
// +nullable
// +kubebuilder:example=x
// +kubebuilder:validation:EmbeddedResource
// +kubebuilder:default={a: x}
type Refused struct {
	A string `json:"a"`
}

// Lenient has markers that controller-gen accepts.
// +kubebuilder:printcolumn:name=Host,JSONPath=.status.ingress[0].host,type=string
// +kubebuilder:printcolumn:name=Ready,JSONPath=.status.conditions[?(@.type=="A,B")].status,type=string,description=Whether it's ready.
// +kubebuilder:printcolumn:name=Quoted,JSONPath=`.status.ingress[0].host`,type=string
type Lenient struct {
	// +kubebuilder:default=null
	Null string `json:"null,omitempty"`
	// +kubebuilder:default=null
	NullNumber int `json:"nullNumber,omitempty"`
	// +default=null
	NullJSON *string `json:"nullJSON,omitempty"`
}
