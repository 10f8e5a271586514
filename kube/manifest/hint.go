package manifest

import (
	"fmt"

	yamlv2 "go.yaml.in/yaml/v2"
)

// Unquoted returns what a text is to Kubernetes when it stands in YAML without quotes:
// a string, a boolean, an int64, a float64 or nil. ok is false if it cannot.
func Unquoted(text string) (v any, ok bool) {
	if yamlv2.Unmarshal([]byte(text), &v) != nil {
		return nil, false
	}
	switch n := v.(type) {
	case int:
		v = int64(n)
	case uint64:
		v = float64(n)
	case float64:
		v = number(n)
	case nil, string, bool, int64:
	default:
		return nil, false
	}
	return v, true
}

// BooleanHint is what to say of an unquoted text that was read as a boolean,
// to be put behind it; empty if it looks like one.
func BooleanHint(text string) string {
	if text == "true" || text == "false" || text == "" {
		return ""
	}
	return fmt.Sprintf(": %s without quotes is a boolean in YAML 1.1, which Kubernetes reads; write %q", text, text)
}

// NumberHint is what to say of an unquoted text that was read as a number where a
// string is wanted, to be put behind it: that of 012, 0x1F, 1_000, 1e3 and 1.10 says
// what number they are.
func NumberHint(text string) string {
	if v, ok := Unquoted(text); ok && scalar(v) != text {
		return fmt.Sprintf(", which YAML reads as %s: quote it: %q", scalar(v), text)
	}
	return fmt.Sprintf(": quote it: %q", text)
}
