// Package values has markers whose values the API server rejects.
package values

type Bad struct {
	// +kubebuilder:validation:Pattern=[
	Pattern string `json:"pattern"`
	// +kubebuilder:validation:items:Pattern=`^(?!no)`
	Patterns []string `json:"patterns"`
	// +kubebuilder:validation:Pattern=
	Empty string `json:"empty"`
	// +kubebuilder:externalDocs:description=nowhere
	NoLink string `json:"noLink"`
	// +kubebuilder:externalDocs:url="https://example.com/a",titel="b"
	Typo string `json:"typo"`
}

// Name has an invalid pattern.
// +kubebuilder:validation:Pattern="a{2000}"
type Name string

type Good struct {
	// +kubebuilder:validation:Pattern:=`^[a-z]+$`
	Name string `json:"name"`
	// +kubebuilder:validation:items:Pattern=^\d+$
	Names []string `json:"names"`
}
