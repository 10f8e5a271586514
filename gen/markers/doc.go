// Package markers reads Go packages of API types: what their types are in JSON,
// and what the markers in their comments say about defaults, lists, immutability
// and validation.
//
// Start from [Load]:
//
//	src, err := markers.Load(markers.Config{}, "./apis/...")
//	if err != nil {
//		return err // the packages cannot be read
//	}
//	for _, f := range src.Check() {
//		fmt.Println(f) // apis/v1/types.go:12: default-omitempty: …
//	}
//
// A marker is a line of a comment that begins with a plus sign: +default,
// +immutable, +listType, +optional and so on, and their +kubebuilder: spellings.
// [Source.Check] holds them to the rules of KEP-1929: defaults are one line of
// JSON that fits the Go type, and typed objects and plain data must come to the
// same defaults.
//
// The package reads type and constant declarations; it compiles no function and
// runs no code of the packages. It writes nothing but the fixes that
// [Source.Fix] is asked for. A Source is not safe for concurrent use.
package markers
