// Package lists has list types and keys.
package lists

type Port struct {
	Port int32 `json:"port"`
	// +default="TCP"
	Protocol string `json:"protocol,omitempty"`
	Name     string `json:"name,omitempty"`
	// +nullable
	Null   *string  `json:"null"`
	Labels []string `json:"labels"`
	// +required
	Host string `json:"host,omitempty"`
}

type Lists struct {
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	// +listMapKey=host
	Good []Port `json:"good"`
	// +listType=map
	// +listMapKey=prot
	NoField []Port `json:"noField"`
	// +listType=map
	// +listMapKey=labels
	NoScalar []Port `json:"noScalar"`
	// +listType=map
	// +listMapKey=null
	Nullable []Port `json:"nullable"`
	// +listType=map
	// +listMapKey=name
	Optional []Port `json:"optional"`
	// +listType=map
	NoKeys []Port `json:"noKeys"`
	// +listMapKey=port
	NoType []Port `json:"noType"`
	// +listType=map
	// +listMapKey=x
	Scalars []string `json:"scalars"`
	// +listType=set
	Structs []Port `json:"structs"`
	// +listType=sett
	Misspelled []string `json:"misspelled"`
	// +listType=atomic
	NoList string `json:"noList"`
	// +mapType=atomic
	NoMap []string `json:"noMap"`
	// +listType=set
	// +default=["a","b","a"]
	EqualItems []string `json:"equalItems,omitempty"`
	// +listType=map
	// +listMapKey=host
	// +default=[{"host":"a","port":1},{"host":"a","port":2}]
	SameKeys []Port `json:"sameKeys,omitempty"`
	// +listType=map
	// +listMapKey=host
	// +default=[{"host":"a","port":1},{"host":"b","port":1}]
	OtherKeys []Port `json:"otherKeys,omitempty"`
	// +listType=atomic
	// +default=["a","a"]
	Atomic []string `json:"atomic,omitempty"`
}
