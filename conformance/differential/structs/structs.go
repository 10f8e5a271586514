// Package structs declares Go types for the cases that hand objects over by
// reflection, and decodes base trees into them.
package structs

import (
	"encoding/json"
	"maps"
	"strings"
)

// Root is the Go type of the structured schema's root.
type Root struct {
	Meta  `json:",inline"`
	Spec  Spec    `json:"spec,omitempty"`
	State *State  `json:"state,omitempty"`
	Ratio float64 `json:"ratio,omitempty"`
	Skip  string  `json:"-"`
}

// Meta is embedded, hence part of Root itself.
type Meta struct {
	Name   string            `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Marks  []string          `json:"marks,omitempty"`
}

// Spec has every kind of list and scalar.
type Spec struct {
	Replicas *int32            `json:"replicas,omitempty"`
	Paused   bool              `json:"paused"`
	Ports    []Port            `json:"ports,omitempty"`
	Refs     []*Ref            `json:"refs"`
	Args     []string          `json:"args,omitempty"`
	Data     []byte            `json:"data,omitempty"`
	Amount   Amount            `json:"amount,omitempty"`
	Limits   map[string]Amount `json:"limits,omitempty"`
	Free     map[string]any    `json:"free,omitempty"`
	Choice   *Choice           `json:"choice,omitempty"`
	Nested   map[string]Ref    `json:"nested,omitempty"`
}

// Port is an item with keys, of which one has a default.
type Port struct {
	Name     string `json:"name,omitempty"`
	Port     int32  `json:"port"`
	Protocol string `json:"protocol,omitempty"`
}

// Ref is an item with one key.
type Ref struct {
	Name string `json:"name"`
	Size int64  `json:"size,omitempty"`
	Opt  *bool  `json:"opt,omitempty"`
}

// Choice is atomic.
type Choice struct {
	A string `json:"a,omitempty"`
	B []int  `json:"b,omitempty"`
}

// State is behind a pointer.
type State struct {
	Phase string `json:"phase,omitempty"`
	Zero  int    `json:"zero,omitzero"`
	Conds []Ref  `json:"conds,omitempty"`
}

// Amount is a string in its JSON form and offers that form itself.
type Amount struct{ text string }

// MarshalJSON gives the text.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.text) }

// UnmarshalJSON reads the text.
func (a *Amount) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &a.text) }

// ToUnstructured gives the text.
func (a Amount) ToUnstructured() any { return a.text }

// Build decodes a tree into a new Root; false when it does not fit.
func Build(v any) (any, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	text, err := json.Marshal(encodeData(m))
	if err != nil {
		return nil, false
	}
	out := &Root{}
	if err := json.Unmarshal(text, out); err != nil {
		return nil, false
	}
	return out, true
}

// encodeData writes spec.data, which Go keeps as bytes, in base64.
func encodeData(root map[string]any) map[string]any {
	spec, _ := root["spec"].(map[string]any)
	data, ok := spec["data"].(string)
	if !ok {
		return root
	}
	root, spec = maps.Clone(root), maps.Clone(spec)
	spec["data"] = []byte(data)
	root["spec"] = spec
	return root
}

// Leaf reports whether the container at a path of Root is a leaf: atomic, or
// empty, which ends in "/". Results may share leaves with their inputs, and
// upstream only fails to when it had to convert them first.
func Leaf(path string) bool {
	for _, atomic := range []string{".spec.args", ".spec.choice", ".spec.free."} {
		if strings.HasPrefix(path, atomic) {
			return true
		}
	}
	return strings.HasSuffix(path, "/")
}
