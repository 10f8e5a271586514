// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/schema"
)

func readSchema(t *testing.T, text string) *schema.Schema {
	t.Helper()
	s := &schema.Schema{}
	if err := yaml.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

const pinned = `
types:
- name: App
  map:
    fields:
    - {name: ports, type: {namedType: Ports}}
    - {name: port, type: {namedType: Port}}
    - {name: next, type: {namedType: App}}
    - {name: plain, type: {namedType: Plain}}
- name: Ports
  list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: Port}}
- name: Port
  map:
    fields:
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
    - {name: name, type: {scalar: string}, default: x}
- name: Plain
  map: {fields: [{name: a, type: {scalar: string}, default: y}]}
`

// at starts at the type ref and follows steps. It returns the field that the last step leads
// to, and the type of that field. A step is a field name, or [] for the items of a list.
func at(t *testing.T, s *schema.Schema, ref schema.TypeRef, steps ...string) (f schema.StructField, a schema.Atom) {
	t.Helper()
	a, ok := s.Resolve(ref)
	for _, step := range steps {
		if !ok {
			t.Fatalf("%v: a type is missing", steps)
		}
		if step == "[]" {
			f = schema.StructField{Type: a.List.ElementType}
		} else if f, ok = a.Map.FindField(step); !ok {
			t.Fatalf("%v: no field %s", steps, step)
		}
		a, ok = s.Resolve(f.Type)
	}
	return f, a
}

func TestPinKeys(t *testing.T) {
	old := readSchema(t, pinned)
	now := readSchema(t, `
declarativeDefaults: true
types:
- name: App
  map:
    fields:
    - {name: ports, type: {namedType: Ports}}
    - {name: port, type: {namedType: Port}}
    - {name: next, type: {namedType: App}}
    - {name: plain, type: {namedType: Plain}}
    - {name: new, type: {scalar: string}}
- name: Ports
  list: {elementRelationship: associative, keys: [protocol, port], elementType: {namedType: Port}}
- name: Port
  map:
    fields:
    - {name: port, type: {scalar: numeric}, default: 80}
    - {name: protocol, type: {scalar: string}, default: UDP}
    - {name: name, type: {scalar: string}, default: z}
- name: Plain
  map: {fields: [{name: a, type: {scalar: string}, default: z}]}
`)
	app := "App"
	ref := schema.TypeRef{NamedType: &app}
	before, err := yaml.Marshal(now)
	if err != nil {
		t.Fatal(err)
	}
	s, root := now.PinKeys(ref, old, ref)
	if after, err := yaml.Marshal(now); err != nil || string(after) != string(before) {
		t.Errorf("%v, the schema was written to:\n%s", err, after)
	}
	if !s.DeclarativeDefaults {
		t.Error("the policies are lost")
	}
	for _, c := range []struct {
		path []string
		want any
	}{
		{[]string{"ports", "[]", "protocol"}, "TCP"},
		{[]string{"ports", "[]", "port"}, nil},
		{[]string{"ports", "[]", "name"}, "z"},
		{[]string{"next", "next", "next", "ports", "[]", "protocol"}, "TCP"},
		{[]string{"port", "protocol"}, "UDP"},
		{[]string{"plain", "a"}, "z"},
		{[]string{"new"}, nil},
	} {
		if f, _ := at(t, s, root, c.path...); f.Default != c.want {
			t.Errorf("%v: default %v, want %v", c.path, f.Default, c.want)
		}
	}
	if f, _ := at(t, s, root, "plain"); *f.Type.NamedType != "Plain" {
		t.Errorf("a type without keyed lists is %s", *f.Type.NamedType)
	}
	// PinKeys does not change lists that have other keys in the old schema.
	other := readSchema(t, `
types:
- name: App
  map: {fields: [{name: ports, type: {list: {elementRelationship: associative, keys: [protocol], elementType: {map: {fields: [{name: protocol, type: {scalar: string}, default: SCTP}]}}}}}]}
`)
	s, root = now.PinKeys(ref, other, ref)
	if f, _ := at(t, s, root, "ports", "[]", "protocol"); f.Default != "UDP" {
		t.Errorf("default %v", f.Default)
	}
}

// TestPinKeysWithDefaultsOfTypes pins keys whose defaults come from their types.
func TestPinKeysWithDefaultsOfTypes(t *testing.T) {
	const text = `
declarativeDefaults: true
types:
- name: App
  map: {fields: [{name: ports, type: {list: {elementRelationship: associative, keys: [host, scheme], elementType: {namedType: Port}}}}]}
- name: Port
  map: {fields: [{name: host, type: {namedType: Host}}, {name: scheme, type: {namedType: Scheme}}]}
`
	old := readSchema(t, text+"- {name: Host, scalar: string}\n- {name: Scheme, scalar: string, default: http}\n")
	now := readSchema(t, text+"- {name: Host, scalar: string, default: localhost}\n- {name: Scheme, scalar: string, default: https}\n")
	app := "App"
	ref := schema.TypeRef{NamedType: &app}
	s, root := now.PinKeys(ref, old, ref)
	list := compiled.Node(s, root).Map.Field("ports").Type.List
	if host, scheme := list.Key("host"), list.Key("scheme"); host.IfMissing != nil || scheme.IfMissing != "http" {
		t.Errorf("a missing host is %v, a missing scheme is %v", host.IfMissing, scheme.IfMissing)
	}
}

// TestPinKeysOfATypeInlinedInItself checks a cycle of inlined types, which Go literals can
// contain. PinKeys must terminate, and pin the keys in the cycle.
func TestPinKeysOfATypeInlinedInItself(t *testing.T) {
	text, name := schema.String, "t"
	root := schema.TypeRef{NamedType: &name}
	cyclic := func(def any) *schema.Schema {
		item := schema.Atom{Map: &schema.Map{Fields: []schema.StructField{{Name: "k", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &text}}, Default: def}}}}
		m := &schema.Map{}
		m.Fields = []schema.StructField{
			{Name: "next", Type: schema.TypeRef{Inlined: schema.Atom{Map: m}}},
			{Name: "list", Type: schema.TypeRef{Inlined: schema.Atom{List: &schema.List{ElementRelationship: schema.Associative, Keys: []string{"k"}, ElementType: schema.TypeRef{Inlined: item}}}}},
		}
		return &schema.Schema{Types: []schema.TypeDef{{Name: "t", Atom: schema.Atom{Map: m}}}}
	}
	pinned, ref := cyclic("new").PinKeys(root, cyclic("old"), root)
	n := compiled.Node(pinned, ref)
	for range 3 {
		if got := n.Map.Field("list").Type.List.Keys[0].IfMissing; got != "old" {
			t.Errorf("the default of the key is %v", got)
		}
		n = n.Map.Field("next").Type
	}
}

// TestPinKeysOfAnotherKind checks types that were a map and are now a list, or the other way
// round. PinKeys must not change such a type.
func TestPinKeysOfAnotherKind(t *testing.T) {
	list, mapping := readSchema(t, pinned), readSchema(t, `
types:
- name: App
  map: {fields: [{name: ports, type: {map: {elementType: {namedType: Port}}}}]}
- name: Port
  map: {fields: [{name: port, type: {scalar: numeric}}]}
`)
	app := "App"
	ref := schema.TypeRef{NamedType: &app}
	for _, c := range []struct{ now, old *schema.Schema }{{list, mapping}, {mapping, list}} {
		s, root := c.now.PinKeys(ref, c.old, ref)
		_, want := at(t, c.now, ref, "ports")
		if _, got := at(t, s, root, "ports"); !got.Equals(&want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
