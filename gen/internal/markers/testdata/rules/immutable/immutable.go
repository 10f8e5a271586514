// Package immutable has immutability markers.
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
	// +immutable=additionOnly
	// +listType=set
	Set []string `json:"set"`
	// +immutable=deletionOnly
	Shrinking map[string]string `json:"shrinking"`
	// +items:immutable
	// +listType=map
	// +listMapKey=name
	Each []Item `json:"each"`
	// +values:immutable
	// +immutable=keys
	Values map[string]Item `json:"values"`
	// +values:immutable=additionOnly
	Deep map[string]Ports `json:"deep"`
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
	// +immutable=additionOnly
	Alone []string `json:"alone"`
	// +immutable=deletionOnly
	Number int `json:"number"`
	// +items:immutable
	NoKeys []Item `json:"noKeys"`
	// +items:immutable
	OfMap map[string]string `json:"ofMap"`
	// +values:immutable
	// +listType=map
	// +listMapKey=name
	OfList []Item `json:"ofList"`
	// +values:immutable=keys
	Flat map[string]string `json:"flat"`
	// +values:immutable=true
	Word map[string]string `json:"word"`
	// +values:immutable
	OfText string `json:"ofText"`
	// +values:immutable
	Other `json:",inline"`
	// +imutable
	Typo string `json:"typo"`
}

type Other struct {
	Zone string `json:"zone"`
}

// +immutable
type Image string

// +type:immutable
type GoodFrozen string

// +type:immutable=keys
type GoodKeys map[string]string

// GoodUses has valid uses of types with transition rules.
type GoodUses struct {
	Frozen GoodFrozen            `json:"frozen,omitempty"`
	Values map[string]GoodFrozen `json:"values,omitempty"`
	Keys   GoodKeys              `json:"keys,omitempty"`
	// +listType=map
	// +listMapKey=name
	Items []FrozenItem `json:"items,omitempty"`
	// +immutable
	List []FrozenItem `json:"list,omitempty"`
}

// +type:immutable=setOnce
type FrozenItem struct {
	Name string `json:"name"`
}

// +type:immutable=keys
type NoKeys string

// +type:immutable=sometimes
type Sometimes string

type BadUses struct {
	FrozenItem `json:",inline"`
	List       []FrozenItem            `json:"items,omitempty"`
	Deep       map[string][]FrozenItem `json:"deep,omitempty"`
	// +type:immutable
	Field string `json:"field"`
}

type Once struct {
	// +immutable=setOnce
	Sent string `json:"sent"`
	// +immutable=setOnce
	Omitted string `json:"omitted,omitempty"`
	// +immutable=setOnce
	Null *string `json:"null"`
	// +immutable=setOnce
	List []string `json:"list"`
	// +immutable=setOnce
	Struct Item `json:"struct"`
	// +immutable=setOnce
	NoZero Item `json:"noZero,omitzero"`
	// +immutable=setOnce
	// +default="a"
	Default string `json:"default,omitempty"`
	// +immutable=setOnce
	// +default="a"
	Pointer *string `json:"pointer,omitempty"`
	// +immutable=setOnce
	Count int32 `json:"count"`
}
