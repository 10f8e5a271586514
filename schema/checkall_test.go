// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/schema"
)

func TestCheck(t *testing.T) {
	const anything = `
- name: anything
  scalar: untyped
  list: {elementType: {namedType: anything}, elementRelationship: atomic}
  map: {elementType: {namedType: anything}}
- name: text
  scalar: string
- name: numbers
  list: {elementType: {scalar: numeric}, elementRelationship: atomic}
`
	for _, c := range []struct{ typ, want string }{
		{`map: {fields: [{name: a, type: {namedType: anything}}], elementType: {scalar: string}}`, ``},
		{`list: {elementType: {scalar: string}, elementRelationship: associative}`, ``},
		{`list: {elementType: {namedType: anything}, elementRelationship: associative}`, ``},
		{`map: {elementType: {namedType: numbers, elementRelationship: associative}}`, ``},
		{`map: {elementType: {elementRelationship: atomic, list: {elementType: {scalar: string}}}}`, ``},
		{`map: {fields: [{name: a, type: {namedType: gone}}]}`, `.a: the type "gone" does not exist`},
		{`map: {elementType: {namedType: __untyped_deduced_}}`, `.*: the type "__untyped_deduced_" does not exist`},
		{`scalar: integer`, `.: scalar "integer" is unknown; expected numeric, string, boolean or untyped`},
		{`map: {fields: [{name: a, type: {scalar: integer}}]}`, `.a: scalar "integer" is unknown; expected numeric, string, boolean or untyped`},
		{`map: {fields: [{name: a, type: {untyped: {}}}]}`, `.: field "a" allows no value; add a scalar, a list or a map`},
		{`untyped: {}`, `.: the type allows no value; add a scalar, a list or a map`},
		{`list: {elementRelationship: atomic}`, `.: the item allows no value; add a scalar, a list or a map`},
		{`list: {elementType: {scalar: string}}`, `.: elementRelationship "" is not valid for a list; expected atomic or associative`},
		{`list: {elementType: {scalar: string}, elementRelationship: associativ}`, `.: elementRelationship "associativ" is not valid for a list; expected atomic or associative`},
		{`map: {elementType: {namedType: numbers, elementRelationship: separable}}`, `.*: elementRelationship "separable" is not valid for a list; expected atomic or associative`},
		{`map: {elementType: {scalar: string}, elementRelationship: granular}`, `.: elementRelationship "granular" is not valid for a map; expected separable or atomic`},
		{`list: {elementType: {map: {elementType: {scalar: string}}}, elementRelationship: associative}`,
			`.: the associative list has no keys, and its items are not scalars; add keys, or make the list atomic`},
		{`map: {fields: [{name: a, type: {scalar: string, elementRelationship: atomic}}]}`, `.a: elementRelationship "atomic" needs a list or a map; remove it`},
		{`map: {elementType: {namedType: text, elementRelationship: atomic}}`, `.*: elementRelationship "atomic" needs a list or a map; remove it`},
		// These defaults do not affect a merge, because the schema has no declarative defaults.
		{`map: {fields: [{name: a, default: 5, type: {scalar: string}}]}`,
			`.a: default is the number 5; expected a string: write "5", in quotes, or change the type`},
		{"scalar: string\n  default: 5", `.: default is the number 5; expected a string: write "5", in quotes, or change the type`},
		// CheckKeys, CheckDefaults and CheckTransitions find the last three mistakes.
		{`list: {elementType: {map: {fields: [{name: port, type: {scalar: numeric}}]}}, elementRelationship: associative, keys: [prt]}`,
			`.: key "prt" is not a field of the items; expected one of port`},
		{`list: {elementType: {map: {fields: [{name: port, default: x, type: {scalar: numeric}}]}}, elementRelationship: associative, keys: [port]}`,
			`[].port: default is the string "x"; expected a number: change the default or the type`},
		{`map: {fields: [{name: a, type: {scalar: string, transition: additionOnly}}]}`,
			`.a: transition additionOnly needs a map that has an elementType and is not atomic, or an associative list`},
	} {
		var s schema.Schema
		if err := yaml.Unmarshal([]byte("types:\n- name: root\n  "+c.typ+anything), &s); err != nil {
			t.Fatalf("%s: %v", c.typ, err)
		}
		got, want := "", c.want
		if err := s.Check(); err != nil {
			got = err.Error()
		}
		if want != "" {
			want = `type "root", ` + want
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.typ, got, want)
		}
	}
}

// TestCheckOrder checks that mistakes are in the order of the schema, and not in the order of the checks.
func TestCheckOrder(t *testing.T) {
	var s schema.Schema
	if err := yaml.Unmarshal([]byte(`
types:
- name: z
  map:
    fields:
    - {name: d, type: {scalar: string}, default: 1}
    - {name: c, type: {scalar: string, transition: additionOnly}}
    - {name: b, type: {list: {elementType: {scalar: string}, elementRelationship: associative, keys: [k]}}}
    - {name: a, type: {namedType: gone}}
- name: y
  scalar: string
  default: 1
`), &s); err != nil {
		t.Fatal(err)
	}
	s.MissingKeys = "strct"
	errs, _ := s.Check().(schema.Errors)
	got := ""
	for _, e := range errs {
		got += " " + e.Type + e.Path
	}
	if want := "  z.d z.c z.b z.a y."; got != want {
		t.Errorf("got %q, want %q: %v", got, want, errs)
	}
}

// TestCheckOfSchemaSchema checks that Check accepts the schema of schemas.
func TestCheckOfSchemaSchema(t *testing.T) {
	var s schema.Schema
	if err := yaml.Unmarshal([]byte(schema.SchemaSchemaYAML), &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// TestMissingKeysIsChecked checks that an unknown policy is an error in YAML and in a Go literal.
func TestMissingKeysIsChecked(t *testing.T) {
	for text, want := range map[string]string{
		"missingKeys: strict": "", `missingKeys: ""`: "", "missingKeys:": "", "types: []": "",
		"missingKeys: strct": `missingKeys: expected strict or no value, got "strct"`,
	} {
		got, s := "", schema.Schema{}
		if err := yaml.Unmarshal([]byte(text), &s); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	err := (&schema.Schema{MissingKeys: "strct"}).Check()
	if want := `missingKeys "strct" is unknown; expected strict or no value`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := (&schema.Schema{MissingKeys: schema.StrictKeys}).Check(); err != nil {
		t.Error(err)
	}
}
