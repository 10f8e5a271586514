// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// DefaultClass is the class of proxies that do not say theirs.
const DefaultClass = "shared"

// Proxy takes requests and hands them on.
//
// +kubebuilder:resource:shortName=px,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Class,type=string,JSONPath=`.spec.class`
type Proxy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   ProxySpec   `json:"spec,omitzero"`
	Status ProxyStatus `json:"status,omitzero"`
}

// ProxyList is a list of proxies.
type ProxyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []Proxy `json:"items"`
}

// ProxySpec is what a proxy is to be.
type ProxySpec struct {
	// Class says where the proxy runs. It never changes.
	//
	// +default=ref(DefaultClass)
	// +immutable
	// +optional
	Class string `json:"class,omitempty"`

	// Host is the name that requests have. It is the name of the object if it is
	// not given.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Host string `json:"host,omitempty"`

	// Replicas is how many run.
	//
	// +default=1
	// +optional
	// +kubebuilder:validation:Minimum=0
	Replicas *int32 `json:"replicas,omitempty"`

	// Ports are where the proxy listens.
	//
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Ports []Port `json:"ports,omitempty"`

	// Backends are where requests go, by name. Which there are never changes.
	//
	// +immutable=keys
	// +optional
	Backends map[string]Backend `json:"backends,omitempty"`

	// Logging is on with {}, which is what there is by default, and has its own
	// defaults in turn.
	//
	// +default={"level":"info"}
	// +optional
	Logging *Logging `json:"logging,omitempty"`

	// Timeout is how long a request may take.
	//
	// +default="30s"
	// +optional
	Timeout *metav1.Duration `json:"timeout,omitempty"`

	// Memory is what a replica may use.
	//
	// +default="64Mi"
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`

	// Tries is how often a request is made, after which there is an error.
	Tries int32 `json:"tries"`
}

// Port is where a proxy listens.
type Port struct {
	Port int32 `json:"port"`

	// +default="TCP"
	// +optional
	Protocol Protocol `json:"protocol,omitempty"`

	// +optional
	Name string `json:"name,omitempty"`

	// TargetPort is the port itself if it is not given.
	//
	// +optional
	TargetPort *intstr.IntOrString `json:"targetPort,omitempty"`
}

// Protocol is how a port is spoken to.
//
// +kubebuilder:validation:Enum=TCP;UDP
type Protocol string

// Backend is where requests go.
type Backend struct {
	URL string `json:"url"`

	// +default=1
	// +optional
	Weight int32 `json:"weight,omitempty"`
}

// Level is how much is logged.
//
// +default="warning"
type Level string

// Logging says what is logged.
type Logging struct {
	// +optional
	Level Level `json:"level,omitempty"`

	// +default="json"
	// +optional
	Format string `json:"format,omitempty"`

	// +default=["authorization","cookie"]
	// +optional
	// +listType=set
	Hidden []string `json:"hidden"`
}

// ProxyStatus is what a proxy is.
type ProxyStatus struct {
	// +optional
	Ready bool `json:"ready,omitempty"`
}
