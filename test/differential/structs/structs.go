// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package structs declares Go types for test objects. It fills values of these types with the
// data of base trees (see package tree).
package structs

import (
	"encoding/json"
	"strings"
)

// Root is the Go type of objects with the structured schema.
type Root struct {
	Meta   `json:",inline"`
	*Extra `json:",inline"`
	Spec   Spec    `json:"spec,omitempty"`
	State  *State  `json:"state,omitempty"`
	Ratio  float64 `json:"ratio,omitempty"`
	Skip   string  `json:"-"`
}

// Meta is embedded in Root, so its fields are fields of Root.
type Meta struct {
	Name   string            `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Marks  []string          `json:"marks,omitempty"`
}

// Extra is embedded in Root as a pointer. Its fields are fields of Root, and have zero values
// if the pointer is nil.
type Extra struct {
	Level int      `json:"level"`
	Hints []string `json:"hints,omitempty"`
	Owner string   `json:"owner,omitempty"`
}

// Spec has lists and scalars of every kind.
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
	Rules    []Rule            `json:"rules,omitempty"`
	Either   any               `json:"either,omitempty"`
	Raw      Raw               `json:"raw,omitempty"`
	Groups   []Group           `json:"groups,omitempty"`
}

// Rule is an item of an atomic list. Two Rules with the same JSON can differ in memory.
type Rule struct {
	Key    string            `json:"key,omitempty"`
	Values []string          `json:"values,omitempty"`
	Notes  map[string]string `json:"notes,omitempty"`
	Number *Number           `json:"number,omitempty"`
	Bytes  []byte            `json:"bytes,omitempty"`
	Any    any               `json:"any,omitempty"`
	Inner  []Rule            `json:"inner,omitempty"`
	Seen   bool              `json:"-"`
}

// Group is an item with a key. It contains rules.
type Group struct {
	Name  string          `json:"name"`
	Rules []Rule          `json:"rules,omitempty"`
	Whole *Rule           `json:"whole,omitempty"`
	Named map[string]Rule `json:"named,omitempty"`
}

// Port is an item with several keys. One of them has a default.
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

// Choice is an atomic map.
type Choice struct {
	A string `json:"a,omitempty"`
	B []int  `json:"b,omitempty"`
}

// State is the type of a pointer field.
type State struct {
	Phase string `json:"phase,omitempty"`
	Zero  int    `json:"zero,omitzero"`
	Conds []Ref  `json:"conds,omitempty"`
}

// Amount is a string in JSON, and implements value.UnstructuredConverter.
type Amount struct{ text, cache string }

// MarshalJSON returns the text.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.text) }

// UnmarshalJSON reads the text.
func (a *Amount) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &a.text) }

// ToUnstructured returns the text.
func (a Amount) ToUnstructured() any { return a.text }

// Number is a number in JSON. Two Numbers with the same JSON can differ in memory.
type Number struct {
	n     int64
	cache *int64
}

// MarshalJSON returns the number.
func (n Number) MarshalJSON() ([]byte, error) { return json.Marshal(n.n) }

// Raw is encoded JSON.
type Raw []byte

// MarshalJSON returns the JSON.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}

// Leaf reports whether the result of an operation may share the list or map at a path with an
// input, instead of copying it. This is true for atomic lists and maps, and for everything in
// them. It is also true for empty lists and maps. The path of a list or map that is empty ends in "/". structured-merge-diff
// shares all of these, unless it converts them.
func Leaf(path string) bool {
	for _, atomic := range []string{".spec.args", ".spec.choice", ".spec.free.", ".spec.either", ".spec.raw", ".spec.rules", ".spec.groups"} {
		if strings.HasPrefix(path, atomic) {
			return true
		}
	}
	return strings.HasSuffix(path, "/")
}
