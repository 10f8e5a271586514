// Package unions has unions.
package unions

// +union
type Good struct {
	// +unionDiscriminator
	Type string `json:"type"`
	// +optional
	Rolling *int32 `json:"rolling"`
	// +unionMember=Localhost
	LocalhostProfile string `json:"localhostProfile,omitempty"`
}

// +union
type Bare struct {
	A *string `json:"a,omitempty"`
	B *string `json:"b,omitempty"`
}

// +union
type Bad struct {
	// +unionDiscriminator
	Type string `json:"type"`
	// +unionDiscriminator
	Kind string `json:"kind"`
	// +required
	A *string `json:"a,omitempty"`
	B string  `json:"b"`
	// +unionMember=A
	C string `json:"c,omitempty"`
}

// +union
type Empty struct {
	// +unionDiscriminator
	Type string `json:"type"`
}

// +union
type Text string
