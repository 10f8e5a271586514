// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// DefaultClass is the default class of proxies.
const DefaultClass = "shared"

// Proxy forwards requests to backends.
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

// ProxySpec is the desired state of a proxy.
type ProxySpec struct {
	// Class determines where the proxy runs. It cannot be changed.
	//
	// +default=ref(DefaultClass)
	// +immutable
	// +optional
	Class string `json:"class,omitempty"`

	// Host is the host name of requests. It defaults to the name of the object.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Host string `json:"host,omitempty"`

	// Replicas is the number of replicas.
	//
	// +default=1
	// +optional
	// +kubebuilder:validation:Minimum=0
	Replicas *int32 `json:"replicas,omitempty"`

	// Ports are the ports on which the proxy listens.
	//
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Ports []Port `json:"ports,omitempty"`

	// Backends are the targets of requests, by name. Backends cannot be added or removed.
	//
	// +immutable=keys
	// +optional
	Backends map[string]Backend `json:"backends,omitempty"`

	// Logging is enabled by default. Its fields have their own defaults.
	//
	// +default={"level":"info"}
	// +optional
	Logging *Logging `json:"logging,omitempty"`

	// Timeout is the maximum duration of a request.
	//
	// +default="30s"
	// +optional
	Timeout *metav1.Duration `json:"timeout,omitempty"`

	// Memory is the memory limit of a replica.
	//
	// +default="64Mi"
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`

	// Tries is the number of attempts before a request fails.
	Tries int32 `json:"tries"`
}

// Port is a port on which a proxy listens.
type Port struct {
	Port int32 `json:"port"`

	// +default="TCP"
	// +optional
	Protocol Protocol `json:"protocol,omitempty"`

	// +optional
	Name string `json:"name,omitempty"`

	// TargetPort defaults to the port itself.
	//
	// +optional
	TargetPort *intstr.IntOrString `json:"targetPort,omitempty"`
}

// Protocol is the protocol of a port.
//
// +kubebuilder:validation:Enum=TCP;UDP
type Protocol string

// Backend is a target of requests.
type Backend struct {
	URL string `json:"url"`

	// +default=1
	// +optional
	Weight int32 `json:"weight,omitempty"`
}

// Level is a log level.
//
// +default="warning"
type Level string

// Logging configures what is logged.
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

// ProxyStatus is the observed state of a proxy.
type ProxyStatus struct {
	// +optional
	Ready bool `json:"ready,omitempty"`
}
