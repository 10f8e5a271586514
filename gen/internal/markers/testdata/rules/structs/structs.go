// Package structs has fields that must, or must not, be omitempty.
package structs

type Root struct {
	Entry SubLevel `json:"entry"`
	// +default={"name": "entry", "number": 12}
	Forbidden SubLevel `json:"forbidden"`
	// +default={"name": "pointer-name"}
	Pointer *SubLevel `json:"pointer"`
	Omit    SubLevel  `json:"omit,omitempty"`
	Zero    SubLevel  `json:"zero,omitzero"`
	Both    SubLevel  `json:"both,omitempty,omitzero"`
	// +kubebuilder:default={name: x}
	Kubebuilder SubLevel `json:"kubebuilder"`
	Inline      struct {
		// +default="x"
		Inner string `json:"inner"`
	} `json:"inline"`
	Marked Marked `json:"marked"`
	Items  []struct {
		// +default=[]
		Wrong string `json:"wrong,omitempty"`
	} `json:"items"`
}

// +default={"name": "type"}
type Marked struct {
	Name string `json:"name,omitempty"`
}

type SubLevel struct {
	// +default="default-name"
	Name string `json:"name,omitempty"`
	// +default=0
	Number int `json:"number"`
}

// Invalid has the invalid examples of KEP-1929.
type Invalid struct {
	// +default="default-name"
	Name string `json:"name"`
	// +default=5
	Number int `json:"number"`
	// +default=true
	Flag bool `json:"flag"`
	// +kubebuilder:default=5
	Soft int32 `json:"soft"`
	// +default=false
	Fine bool `json:"fine"`
	// +default="x"
	NoTag string
	// +default=true
	NeverFalse bool `json:"neverFalse,omitempty"`
	// +default=true
	NeverFalseEither *bool `json:"neverFalseEither,omitempty"`
	// +default=true
	Zeroless Switch `json:"zeroless,omitzero"`
}

// Switch is on or off.
type Switch bool

// Generic has fields of any type.
type Generic[T any] struct {
	// +default=1
	Number int `json:"number"`
	Value  T   `json:"value"`
}

type Use struct {
	Generic Generic[SubLevel] `json:"generic,omitempty"`
}

type Several struct {
	A SubLevel `json:"a,omitempty"`
	// +optional
	B SubLevel  `json:"b,omitempty"`
	C *SubLevel `json:"c,omitempty"`
}
