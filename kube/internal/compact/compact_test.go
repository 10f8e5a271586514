// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package compact

import (
	"reflect"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/schema"
)

// everything is a schema that uses every feature of the format.
const everything = `
types:
- name: __untyped_atomic_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
- name: a.Scalars
  map:
    fields:
    - {name: bool, type: {scalar: boolean}, default: true}
    - {name: num, type: {scalar: numeric}, default: 80}
    - {name: num2, type: {scalar: numeric, nullable: true}, default: 1.5}
    - {name: text, type: {scalar: string}, default: ""}
    required: [bool, text]
    elementType: {scalar: string}
    elementRelationship: separable
    elementDefault: banana
    unions:
    - {discriminator: text, fields: [{fieldName: num, discriminatorValue: Num}]}
    - {fields: [{fieldName: bool, discriminatorValue: ""}]}
  default: {text: x, bool: false}
- name: b.List
  list:
    elementType: {namedType: a.Scalars, elementRelationship: atomic, nullable: true}
    elementRelationship: associative
    keys: [num, text]
    elementDefault: {num: 3}
- name: c.Inlined
  list:
    elementType:
      map: {fields: [{name: in, type: {namedType: b.List}, default: []}]}
    elementRelationship: atomic
- name: d.Empty
  map: {}
`

func parse(t *testing.T, text string) []schema.TypeDef {
	t.Helper()
	var s schema.Schema
	if err := yaml.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s.Types
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRoundTrip(t *testing.T) {
	types := plain(parse(t, everything))
	kinds := []Kind{
		{Version: "v1", Kind: "A", Type: "a.Scalars", Resource: "as", Scope: 1, Subresources: []string{"scale", "status"}},
		{Group: "g", Version: "v1", Kind: "B", Type: "b.List"},
	}
	data, err := Encode(Content{Release: "v0.0.1", Types: types, Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	if got := Open(string(data)).Release(); got != "v0.0.1" {
		t.Errorf("got release %q", got)
	}
	table := Open(string(data))
	if got := table.Kinds(); !reflect.DeepEqual(got, kinds) {
		t.Errorf("got kinds %v, want %v", got, kinds)
	}
	for i, name := range table.Names() {
		if name != types[i].Name {
			t.Errorf("got name %q, want %q", name, types[i].Name)
		}
	}
	// Open a new table for each type, so that no other type has been decoded before.
	for _, want := range types {
		got, ok := Open(string(data)).Type(want.Name)
		if g, w := text(t, got), text(t, want); !ok || g != w {
			t.Errorf("got\n%s\nwant\n%s", g, w)
		}
	}
	if _, ok := table.Type("none"); ok {
		t.Error("found a type that does not exist")
	}
}

// plain converts the defaults of types to the Go types that decoded documents have.
func plain(types []schema.TypeDef) []schema.TypeDef {
	types[1].Default = map[string]any{"text": "x", "bool": false}
	types[1].Map.Fields[1].Default = int64(80)
	types[2].List.ElementDefault = map[string]any{"num": int64(3)}
	return types
}

func TestEncodeDeterministic(t *testing.T) {
	types := plain(parse(t, everything))
	a, err := Encode(Content{Types: types})
	if err != nil {
		t.Fatal(err)
	}
	types[0], types[3] = types[3], types[0]
	b, err := Encode(Content{Types: types})
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Error("the order of types changes the bytes")
	}
}

func TestEncodeErrors(t *testing.T) {
	for types, want := range map[string]string{
		"[{name: A, map: {}}, {name: A, map: {}}]":                         "want each type only once, found a type name twice",
		"[{name: A, list: {elementType: {namedType: B}}}]":                 `A: type "B" does not exist`,
		"[{name: A, scalar: text}]":                                        `A: scalar "text"`,
		"[{name: A, map: {elementRelationship: loose}}]":                   `A: element relationship "loose"`,
		"[{name: A, scalar: string, transition: immutable}]":               `A: transition "immutable"`,
		"[{name: A, map: {elementType: {transition: setOnce}}}]":           `A: transition "setOnce"`,
		"[{name: A, map: {required: [a]}}]":                                `A: some of the required fields ["a"] are not declared`,
		"[{name: A, map: {unions: [{deduceInvalidDiscriminator: true}]}}]": "A: the format does not support unions that deduce their discriminator",
	} {
		_, err := Encode(Content{Types: parse(t, "types: "+types)})
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", types, err, want)
		}
	}
}

func TestConcurrent(t *testing.T) {
	data, err := Encode(Content{Types: plain(parse(t, everything))})
	if err != nil {
		t.Fatal(err)
	}
	table := Open(string(data))
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, name := range table.Names() {
				if td, ok := table.Type(name); !ok || td.Name != name {
					t.Errorf("got %q, %v", td.Name, ok)
				}
			}
		}()
	}
	wg.Wait()
}

func TestOpenRefusesOtherData(t *testing.T) {
	defer func() {
		if got, _ := recover().(string); !strings.Contains(got, "not a stored set of types") {
			t.Errorf("got %q", got)
		}
	}()
	Open("something else")
}
