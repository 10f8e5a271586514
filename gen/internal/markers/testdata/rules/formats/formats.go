// Package formats has numbers outside of their formats in a CRD.
package formats

// +kubebuilder:validation:Maximum=4294967295
type Number uint32

type Bad struct {
	// +optional
	// +default=4294967295
	Mask uint32 `json:"mask,omitempty"`
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=4294967295
	Marked uint32 `json:"marked,omitempty"`
	// +optional
	// +kubebuilder:validation:Minimum=-2147483649
	// +kubebuilder:validation:ExclusiveMinimum=true
	Low *int32 `json:"low,omitempty"`
	// +optional
	// +kubebuilder:validation:MultipleOf=4294967296
	Multiple int32 `json:"multiple,omitempty"`
	// +optional
	// +kubebuilder:validation:Enum=1;4294967295
	Enum uint32 `json:"enum,omitempty"`
	// +optional
	// +kubebuilder:validation:Maximum=9223372036854775807
	Longest int64 `json:"longest,omitempty"`
	// +optional
	// +kubebuilder:validation:Format=int32
	// +kubebuilder:validation:Maximum=4294967295
	Declared int64 `json:"declared,omitempty"`
	// +optional
	// +kubebuilder:validation:Format=float
	// +kubebuilder:validation:Maximum=1e+40
	Float float64 `json:"float,omitempty"`
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:items:Maximum=4294967295
	// +default=[1,4294967295]
	Items []uint32 `json:"items,omitempty"`
}

type Good struct {
	// +optional
	// +kubebuilder:validation:Maximum=4294967295
	Long int64 `json:"long,omitempty"`
	// +optional
	// +kubebuilder:validation:Maximum=2147483647
	// +default=2147483647
	Mask uint32 `json:"mask,omitempty"`
	// +optional
	// +kubebuilder:validation:Format=int64
	// +kubebuilder:validation:Maximum=4294967295
	// +default=4294967295
	Declared uint32 `json:"declared,omitempty"`
	// +optional
	// +kubebuilder:validation:Maximum=1e+40
	Double float64 `json:"double,omitempty"`
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:items:Maximum=4294967295
	Items []int64 `json:"items,omitempty"`
}
