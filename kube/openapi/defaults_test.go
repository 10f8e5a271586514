// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"fmt"
	"strings"
	"testing"
)

const plainDefinitions = `
  Item: {type: object, properties: {port: {type: integer}, protocol: {type: string}}}
  Named: {type: string}
  T:
    type: object
    properties:
      a.b: {type: string}
      labels: {type: object, additionalProperties: {type: string}}
      spec:
        type: object
        properties:
          inline: {type: array, items: {type: object, properties: {num: {type: integer}}}}
          list: {type: array, items: {$ref: '#/definitions/Item'}}
      named: {$ref: '#/definitions/Named'}
      names: {type: array, items: {type: string}}
      pair: {x-kubernetes-int-or-string: true}
`

func TestDefaultsTable(t *testing.T) {
	c := New(Options{})
	if err := c.AddOpenAPI("v2.yaml", v2(plainDefinitions)); err != nil {
		t.Fatal(err)
	}
	before, _, _ := c.LookupType("T")
	was := yamlOf(t, before)
	err := c.AddDefaults("defaults.yaml", []byte(`
Item: {protocol: TCP}
Named: {"": x}
T:
  "": {spec: {}}
  a.b: dotted
  labels: {}
  labels{}: value
  spec.inline[].num: 7
  spec.inline[]: {num: 1}
  names: [x]
  names[]: z
  spec: {}
  pair: 80
`))
	if err != nil {
		t.Fatal(err)
	}
	s, _, _ := c.LookupType("T")
	got := yamlOf(t, s)
	want := `types:
- name: Item
  map:
    fields:
    - name: port
      type:
        scalar: numeric
    - name: protocol
      type:
        scalar: string
      default: TCP
- name: Named
  scalar: string
  default: x
- name: T
  map:
    fields:
    - name: a.b
      type:
        scalar: string
      default: dotted
    - name: labels
      type:
        map:
          elementType:
            scalar: string
          elementDefault: value
      default: {}
    - name: named
      type:
        namedType: Named
      default: x
    - name: names
      type:
        list:
          elementType:
            scalar: string
          elementRelationship: atomic
          elementDefault: z
      default:
      - x
    - name: pair
      type:
        scalar: untyped
        list:
          elementType:
            namedType: __untyped_atomic_
          elementRelationship: atomic
        map:
          elementType:
            namedType: __untyped_deduced_
      default: 80
    - name: spec
      type:
        map:
          fields:
          - name: inline
            type:
              list:
                elementType:
                  map:
                    fields:
                    - name: num
                      type:
                        scalar: numeric
                      default: 7
                elementRelationship: atomic
                elementDefault:
                  num: 1
          - name: list
            type:
              list:
                elementType:
                  namedType: Item
                elementRelationship: atomic
      default: {}
  default:
    spec: {}
`
	got, _, _ = strings.Cut(got, "- name: __untyped")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if now := yamlOf(t, before); now != was {
		t.Error("a schema that was returned before has changed")
	}
}

func TestDefaultsTableErrors(t *testing.T) {
	for table, want := range map[string]string{
		`T: {none: 1}`:            `d: T.none: the path "none" does not exist: there is no field "none"`,
		`T: {spec.none: 1}`:       `d: T["spec.none"]: the path "spec.none" does not exist: there is no field "none"`,
		`T: {"names{}": 1}`:       `d: T["names{}"]: the path "names{}" does not exist: there is no field "{}"`,
		`T: {"spec{}": 1}`:        `d: T["spec{}"]: the path "spec{}" does not exist: there is no field "{}"`,
		`T: {"spec.list[].x": 1}`: `d: T["spec.list[].x"]: the path "spec.list[].x" leads into another definition; use a path within Item instead`,
		`Item: {port: http}`:      `d: Item.port: the default of "port" must be a number, found the string "http"`,
		`Item: {protocol: {}}`:    `d: Item.protocol: the default of "protocol" must be a string, found a map`,
		`Item: {protocol: null}`:  `d: Item.protocol: want a default, found null`,
		`T: {named: 1}`:           `d: T.named: the default of "named" must be a string, found the number 1`,
		`T: {labels: [], names: 1}`: "d: T.labels: the default of \"labels\" must be a map, found a list\n" +
			`d: T.names: the default of "names" must be a list, found the number 1`,
		`T: [1]`: `d: T: want a map from fields of the definition to defaults or markers, found a list`,
	} {
		c := New(Options{})
		if err := c.AddOpenAPI("v2.yaml", v2(plainDefinitions)); err != nil {
			t.Fatal(err)
		}
		if err := c.AddDefaults("d", []byte(table)); err == nil || err.Error() != want {
			t.Errorf("%s: got\n%v\nwant\n%s", table, err, want)
		}
	}
}

// The default of a list key must be a scalar, even if the type of the key allows maps and
// lists, too.
func TestDefaultsOfKeys(t *testing.T) {
	c := New(Options{})
	if err := c.AddOpenAPI("v2.yaml", v2(`
  Item: {type: object, properties: {port: {x-kubernetes-int-or-string: true}}}
  T: {type: object, properties: {ports: {type: array, items: {$ref: '#/definitions/Item'}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port]}}}
`)); err != nil {
		t.Fatal(err)
	}
	err := c.AddDefaults("d", []byte(`Item: {port: {a: b}}`))
	if want := `d: "port" is a key of the list T.ports, so its default must be a scalar, found a map`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := c.AddDefaults("d", []byte(`Item: {port: 80}`)); err != nil {
		t.Error(err)
	}
}

// The defaults in a document are copied to existing definitions, field by field, and
// replace existing defaults.
func TestDefaultsOfDocument(t *testing.T) {
	c := New(Options{})
	if err := c.AddOpenAPI("v2.yaml", v2(`
  T: {type: object, properties: {a: {type: string, default: old}, b: {type: array, items: {type: string}}, c: {type: string, default: kept}}}
`)); err != nil {
		t.Fatal(err)
	}
	if err := c.AddDefaults("v3.yaml", v3(`
  T: {type: object, default: {}, properties: {a: {type: string, default: new}, b: {type: array, items: {type: string, default: i}}, c: {type: string}, d: {type: string, default: more}}}
  U: {type: string, default: u}
`)); err != nil {
		t.Fatal(err)
	}
	s, _, _ := c.LookupType("T")
	td, _ := s.FindNamedType("T")
	want := `name: T
map:
  fields:
  - name: a
    type:
      scalar: string
    default: new
  - name: b
    type:
      list:
        elementType:
          scalar: string
        elementRelationship: atomic
        elementDefault: i
  - name: c
    type:
      scalar: string
    default: kept
default: {}
`
	if got := yamlOf(t, td); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(c.Types()) != 1 {
		t.Errorf("got types %q, want T alone", c.Types())
	}
}

// The built-in types of a catalog can get more defaults. This must not affect other
// catalogs.
func TestDefaultsOfBuiltin(t *testing.T) {
	c := Builtin(Options{})
	if err := c.AddDefaults("d", []byte(`io.k8s.api.core.v1.ObjectReference: {name: none}`)); err != nil {
		t.Fatal(err)
	}
	find := func(c *Catalog) any {
		s, _, _ := c.Lookup("v1", "ServiceAccount")
		td, _ := s.FindNamedType("io.k8s.api.core.v1.ObjectReference")
		f, _ := td.Map.FindField("name")
		return f.Default
	}
	if got := find(c); got != "none" {
		t.Errorf("got %v, want none", got)
	}
	if got := find(Builtin(Options{})); got != nil {
		t.Errorf("another catalog has %v", got)
	}
	if n := len(c.unsatisfiedKeys().undefaulted); n != 3 {
		t.Errorf("got %d keys without default, want 3", n)
	}
}

// legacyService contains some built-in types in the form of OpenAPI v2. In addition, it
// has a type of its own, a changed field and one default.
const legacyService = `
  io.k8s.api.core.v1.ServicePort:
    type: object
    required: [port]
    properties:
      port: {type: integer}
      protocol: {type: string}
      nodePort: {type: integer}
  io.k8s.api.core.v1.ContainerPort:
    type: object
    properties: {protocol: {type: integer}}
  io.k8s.api.core.v1.EphemeralContainer:
    type: object
    properties: {name: {type: string, default: own}, ports: {type: array, items: {$ref: '#/definitions/io.k8s.api.core.v1.ContainerPort'}}}
  T: {type: object, properties: {protocol: {type: string}}}
`

// In a catalog of built-in types, built-in definitions from OpenAPI v2 get the built-in
// defaults. Existing defaults stay. A default of a wrong type is ignored with a warning.
func TestDefaultsOfV2(t *testing.T) {
	fields := func(c *Catalog, name string) string {
		s, _, ok := c.LookupType(name)
		if !ok {
			t.Fatalf("no type %s", name)
		}
		td, _ := s.FindNamedType(name)
		var b strings.Builder
		for _, f := range td.Map.Fields {
			if f.Default != nil {
				fmt.Fprintf(&b, "%s=%v ", f.Name, f.Default)
			}
		}
		return b.String()
	}
	for _, test := range []struct {
		catalog  *Catalog
		doc      []byte
		want     map[string]string
		warnings string
	}{{
		Builtin(Options{}), v2(legacyService),
		map[string]string{"ServicePort": "port=0 protocol=TCP ", "EphemeralContainer": "name=own ", "ContainerPort": ""},
		`[doc.yaml: definitions["io.k8s.api.core.v1.ContainerPort"]: the built-in default of io.k8s.api.core.v1.ContainerPort.protocol is ignored: want a number, found the string "TCP"]`,
	}, {
		New(Options{}), v2(legacyService),
		map[string]string{"ServicePort": "", "EphemeralContainer": "name=own ", "ContainerPort": ""}, "[]",
	}, {

		Builtin(Options{}), v3(strings.ReplaceAll(legacyService, "#/definitions", "#/components/schemas")),
		map[string]string{"ServicePort": "", "EphemeralContainer": "name=own ", "ContainerPort": ""}, "[]",
	}} {
		if err := test.catalog.AddOpenAPI("doc.yaml", test.doc); err != nil {
			t.Fatal(err)
		}
		for name, want := range test.want {
			if got := fields(test.catalog, "io.k8s.api.core.v1."+name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		if got := fmt.Sprint(test.catalog.Warnings()); got != test.warnings {
			t.Errorf("got warnings %s, want %s", got, test.warnings)
		}
	}
	if got := fields(Builtin(Options{}), "io.k8s.api.core.v1.ServicePort"); got != "port=0 protocol=TCP " {
		t.Errorf("the built-in types have changed: %q", got)
	}
}

// A default of a wrong type is ignored with a warning.
func TestDefaultsOfDocumentThatDoNotFit(t *testing.T) {
	c := New(Options{})
	if err := c.AddOpenAPI("v2.yaml", v2(`
  Alias: {$ref: '#/definitions/Named'}
  Named: {type: string}
  T: {type: object, properties: {a: {type: string}, b: {type: array, items: {$ref: '#/definitions/Alias'}}}}
`)); err != nil {
		t.Fatal(err)
	}
	if err := c.AddDefaults("v3.yaml", v3(`
  Alias: {type: integer, default: 3}
  Named: {type: string}
  T: {type: object, properties: {a: {type: integer, default: 1}, b: {type: array, items: {type: object, default: {}}}}}
`)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range c.Warnings() {
		got = append(got, w.Error())
	}
	want := `v3.yaml: the default of Alias is ignored: want a string, found the number 3
v3.yaml: the default of T.a is ignored: want a string, found the number 1
v3.yaml: the default of T.b[] is ignored: want a string, found a map`
	if got := strings.Join(got, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s, _, _ := c.LookupType("T"); strings.Contains(yamlOf(t, s), "efault:") {
		t.Errorf("got\n%s", yamlOf(t, s))
	}
}

// In the document with the defaults, a definition may be an alias. AddDefaults
// then uses the defaults of the definition to which the alias refers.
func TestDefaultsThroughAlias(t *testing.T) {
	c := New(Options{})
	if err := c.AddOpenAPI("v2.yaml", v2("  Port: {type: object, properties: {protocol: {type: string}}}\n")); err != nil {
		t.Fatal(err)
	}
	if err := c.AddDefaults("v3.yaml", v3(`
  Port: {$ref: '#/components/schemas/Other'}
  Other: {type: object, default: {}, properties: {protocol: {type: string, default: TCP}}}
`)); err != nil {
		t.Fatal(err)
	}
	s, _, _ := c.LookupType("Port")
	td, _ := s.FindNamedType("Port")
	if got, want := yamlOf(t, td), "name: Port\nmap:\n  fields:\n  - name: protocol\n    type:\n      scalar: string\n    default: TCP\ndefault: {}\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
