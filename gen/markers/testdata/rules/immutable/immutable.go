// Package immutable has markers of immutability.
package immutable

type Item struct {
	Name string `json:"name"`
}

type Good struct {
	// +immutable
	Name string `json:"name"`
	// +immutable=keys
	Map map[string]string `json:"map"`
	// +immutable=keys
	// +listType=map
	// +listMapKey=name
	Items []Item `json:"items"`
	// +immutable=setOnce
	Once *string `json:"once,omitempty"`
	// +immutable
	Whole []Item `json:"whole"`
	// +immutable=keys
	Ports Ports `json:"ports"`
}

// +listType=map
// +listMapKey=name
type Ports []Item

type Bad struct {
	// +immutable
	// +immutable=keys
	Both map[string]string `json:"both"`
	// +immutable=false
	Value string `json:"value"`
	// +immutable=true
	True string `json:"true"`
	// +immutable=keys
	Scalar string `json:"scalar"`
	// +immutable=keys
	Struct Item `json:"struct"`
	// +immutable=keys
	List []Item `json:"list"`
	// +immutable=keys
	// +listType=set
	Set []string `json:"set"`
	// +immutable=keys
	// +mapType=atomic
	Atomic map[string]string `json:"atomic"`
	// +k8s:immutable
	Kubernetes string `json:"kubernetes"`
	// +immutable
	Item `json:",inline"`
	// +imutable
	Typo string `json:"typo"`
}

// +immutable
type Image string
