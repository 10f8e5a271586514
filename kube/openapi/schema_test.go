// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/schema"
)

func readSchema(t *testing.T, text string) *schema.Schema {
	t.Helper()
	var s schema.Schema
	if err := yaml.UnmarshalStrict([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

const portSchema = `types:
- name: com.example.Spec
  map:
    fields:
    - name: ports
      type:
        list:
          elementType:
            namedType: io.k8s.api.core.v1.ServicePort
          elementRelationship: associative
          keys:
          - port
          - protocol
- name: io.k8s.api.core.v1.ServicePort
  map:
    fields:
    - name: port
      type:
        scalar: numeric
    - name: protocol
      type:
        scalar: string
`

// The types of a merge schema can get defaults from a table and from another catalog.
func TestAddSchema(t *testing.T) {
	s := readSchema(t, portSchema)
	s.DeclarativeDefaults = true
	before := yamlOf(t, s)
	for _, give := range []func(*Catalog) error{
		func(c *Catalog) error {
			return c.AddDefaults("table", []byte("io.k8s.api.core.v1.ServicePort: {protocol: TCP, port: 0}"))
		},
		func(c *Catalog) error { return c.AddDefaultsOf(Builtin(Options{})) },
	} {
		c := New(Options{DeclarativeDefaults: true})
		if err := c.AddSchema("schema.yaml", s); err != nil {
			t.Fatal(err)
		}
		same, _, ok := c.LookupType("com.example.Spec")
		if got := yamlOf(t, same); !ok || got != before {
			t.Errorf("unchanged: got\n%s\nwant\n%s", got, before)
		}
		if err := give(c); err != nil {
			t.Fatal(err)
		}
		filled, _, _ := c.LookupType("com.example.Spec")
		want := strings.Replace(before, "scalar: string\n", "scalar: string\n      default: TCP\n", 1)
		want = strings.Replace(want, "scalar: numeric\n", "scalar: numeric\n      default: 0\n", 1)
		if got := yamlOf(t, filled); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if got := yamlOf(t, s); got != before {
			t.Errorf("the schema has changed:\n%s", got)
		}
	}
}

// A schema that a catalog returns can be added to another catalog, with all its defaults.
func TestAddSchemaOfCatalog(t *testing.T) {
	k, _ := Builtin(Options{}).Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
	s, _, ok := Builtin(Options{}).LookupType(k.Type)
	if !ok {
		t.Fatal("not found")
	}
	c := New(Options{})
	if err := c.AddSchema("s", s); err != nil {
		t.Fatal(err)
	}
	if same, _, _ := c.LookupType(k.Type); yamlOf(t, same) != yamlOf(t, s) {
		t.Error("the schemas differ")
	}
}

func TestAddSchemaErrors(t *testing.T) {
	around := &schema.Map{}
	around.ElementType.Inlined.Map = around
	for _, test := range []struct {
		schema *schema.Schema
		want   string
	}{
		{readSchema(t, "types: [{name: a, list: {elementType: {namedType: b}, elementRelationship: atomic}}]"),
			`s: a: neither this schema nor an earlier document has a type "b"; correct the name, or add the document first`},
		{readSchema(t, "types: [{name: a, scalar: string}, {name: a, scalar: numeric}]"),
			`s: a: want each type only once, found this one twice`},
		{readSchema(t, strings.Replace(portSchema, "- name: protocol", "- name: proto", 1)),
			`s: ["com.example.Spec"]: the key "protocol" of .ports is not a field of the items; expected one of port, proto`},
		{readSchema(t, "types: [{name: a, map: {fields: [{name: b, type: {scalar: untyped}, default: .inf}]}}]"),
			`s: a: the default of ".b": +Inf is not a number in JSON`},
		{readSchema(t, "types: [{name: a, list: {elementRelationship: associative, keys: [k], elementType: {map: {fields: [{name: k, type: {scalar: string}, default: 5}]}}}}]"),
			`s: a: the default of [].k is the number 5; expected a string: write "5", in quotes, or change the type`},
		{&schema.Schema{Types: []schema.TypeDef{{Name: "a", Atom: schema.Atom{Map: around}}}},
			`s: a: want at most 500 nested types, found more`},
	} {
		c := New(Options{})
		if err := c.AddSchema("s", test.schema); err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
		if n := len(c.Types()); n != 0 {
			t.Errorf("%d types were added", n)
		}
	}
}

// A catalog rejects a map or a list as the default of a list key, regardless of the
// source of the default.
func TestAddDefaultsOfKeys(t *testing.T) {
	c, from := New(Options{}), New(Options{})
	for catalog, text := range map[*Catalog]string{
		c:    strings.Replace(portSchema, "scalar: string", "namedType: __untyped_atomic_", 1),
		from: "types: [{name: io.k8s.api.core.v1.ServicePort, map: {fields: [{name: protocol, type: {namedType: __untyped_atomic_}, default: {a: b}}]}}]",
	} {
		if err := catalog.AddSchema("s", readSchema(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	err := c.AddDefaultsOf(from)
	if want := `another catalog: "protocol" is a key of the list com.example.Spec.ports, so its default must be a scalar, found a map`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
