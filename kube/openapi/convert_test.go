// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"fmt"
	"strings"
	"testing"
)

// v3 returns an OpenAPI v3 document with the given definitions. The text in definitions must
// be indented by two spaces.
func v3(definitions string) []byte {
	return []byte("openapi: 3.0.0\ncomponents:\n  schemas:" + strings.ReplaceAll("\n"+strings.Trim(definitions, "\n"), "\n", "\n  ") + "\n")
}

func v2(definitions string) []byte {
	return []byte("swagger: \"2.0\"\ndefinitions:\n" + definitions)
}

// typeYAML returns the YAML of one type after adding doc to an empty catalog.
func typeYAML(t *testing.T, doc []byte, name string) string {
	t.Helper()
	c := New(Options{})
	if err := c.AddOpenAPI("doc.yaml", doc); err != nil {
		t.Fatal(err)
	}
	s, _, ok := c.LookupType(name)
	if !ok {
		t.Fatalf("no type %s", name)
	}
	td, _ := s.FindNamedType(name)
	return yamlOf(t, td)
}

func TestOverlay(t *testing.T) {
	for _, test := range []struct {
		name, definitions, want string
	}{{
		name: "items",
		definitions: `
  T:
    type: array
    items: {type: string, default: apple}
`, want: `
name: T
list:
  elementType:
    scalar: string
  elementRelationship: atomic
  elementDefault: apple
`}, {
		name: "map values and required fields",
		definitions: `
  T:
    type: object
    required: [b, a, b]
    properties:
      b: {type: integer, default: 3}
      a: {type: number, default: 1.5}
    additionalProperties: {type: string, default: banana}
`, want: `
name: T
map:
  fields:
  - name: a
    type:
      scalar: numeric
    default: 1.5
  - name: b
    type:
      scalar: numeric
    default: 3
  elementType:
    scalar: string
  elementDefault: banana
  required:
  - a
  - b
`}, {
		name: "the default of a definition applies to fields, items and values, unless they have their own",
		definitions: `
  Name: {type: string, default: named}
  Other: {$ref: '#/components/schemas/Name'}
  T:
    type: object
    default: {}
    properties:
      branch: {allOf: [{$ref: '#/components/schemas/Name', default: branch}]}
      far: {$ref: '#/components/schemas/Name'}
      item: {type: array, items: {$ref: '#/components/schemas/Name'}}
      own: {default: own, allOf: [{$ref: '#/components/schemas/Name', default: branch}]}
      renamed: {$ref: '#/components/schemas/Other'}
      sibling: {$ref: '#/components/schemas/Name', default: sibling}
      value: {type: object, additionalProperties: {$ref: '#/components/schemas/Name'}}
`, want: `
name: T
map:
  fields:
  - name: branch
    type:
      namedType: Name
    default: branch
  - name: far
    type:
      namedType: Name
    default: named
  - name: item
    type:
      list:
        elementType:
          namedType: Name
        elementRelationship: atomic
        elementDefault: named
  - name: own
    type:
      namedType: Name
    default: own
  - name: renamed
    type:
      namedType: Other
    default: named
  - name: sibling
    type:
      namedType: Name
    default: sibling
  - name: value
    type:
      map:
        elementType:
          namedType: Name
        elementDefault: named
default: {}
`}, {
		name: "branches of an allOf next to a type",
		definitions: `
  T:
    type: object
    properties:
      a: {type: string}
      b: {type: string, default: own}
      sub: {type: object, properties: {c: {type: integer}}}
    allOf:
    - required: [a]
      properties:
        a: {default: x}
        b: {default: branch}
        sub: {properties: {c: {default: 1}}}
    - required: [b]
`, want: `
name: T
map:
  fields:
  - name: a
    type:
      scalar: string
    default: x
  - name: b
    type:
      scalar: string
    default: own
  - name: sub
    type:
      map:
        fields:
        - name: c
          type:
            scalar: numeric
          default: 1
  required:
  - a
  - b
`}, {
		name: "nullable, own and of the definition",
		definitions: `
  Maybe: {type: string, nullable: true}
  T:
    type: object
    properties:
      far: {$ref: '#/components/schemas/Maybe'}
      own: {type: string, nullable: true}
      listed: {type: ["string", "null"]}
`, want: `
name: T
map:
  fields:
  - name: far
    type:
      namedType: Maybe
      nullable: true
  - name: listed
    type:
      scalar: string
      nullable: true
  - name: own
    type:
      scalar: string
      nullable: true
`}, {
		name: "list and map types next to a reference",
		definitions: `
  L: {type: array, items: {type: string}}
  M: {type: object, additionalProperties: {type: string}}
  O:
    type: array
    items: {type: object, properties: {id: {type: string}, v: {type: string}}}
  T:
    type: object
    properties:
      keyed: {$ref: '#/components/schemas/O', x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], default: []}
      map: {$ref: '#/components/schemas/M', x-kubernetes-map-type: atomic}
      plain: {$ref: '#/components/schemas/L'}
      set: {allOf: [{$ref: '#/components/schemas/L'}], x-kubernetes-list-type: set}
`, want: `
name: T
map:
  fields:
  - name: keyed
    type:
      namedType: O[map,id]
    default: []
  - name: map
    type:
      namedType: M
      elementRelationship: atomic
  - name: plain
    type:
      namedType: L
  - name: set
    type:
      namedType: L[set]
`}, {
		name: "unions",
		definitions: `
  T:
    type: object
    properties: {type: {type: string}, a: {type: string}, b: {type: string}}
    x-kubernetes-unions:
    - discriminator: type
      fields-to-discriminateBy: {b: B, a: A}
`, want: `
name: T
map:
  fields:
  - name: a
    type:
      scalar: string
  - name: b
    type:
      scalar: string
  - name: type
    type:
      scalar: string
  unions:
  - discriminator: type
    fields:
    - fieldName: a
      discriminatorValue: A
    - fieldName: b
      discriminatorValue: B
`}, {
		name: "names with escapes",
		definitions: `
  a/b~c d: {type: string, default: x}
  T:
    type: object
    properties:
      f: {$ref: '#/components/schemas/a~1b~0c%20d'}
`, want: `
name: T
map:
  fields:
  - name: f
    type:
      namedType: a/b~c d
    default: x
`}, {
		name: "unknown fields are preserved below a field with the extension",
		definitions: `
  T:
    type: object
    properties:
      open:
        type: object
        x-kubernetes-preserve-unknown-fields: true
        properties: {a: {type: string}}
      closed: {type: object, properties: {a: {type: string}}, additionalProperties: false}
`, want: `
name: T
map:
  fields:
  - name: closed
    type:
      map:
        fields:
        - name: a
          type:
            scalar: string
  - name: open
    type:
      map:
        fields:
        - name: a
          type:
            scalar: string
        elementType:
          namedType: __untyped_deduced_
`}, {
		name: "a strategy that replaces lists",
		definitions: `
  T: {type: array, items: {type: string}, x-kubernetes-patch-strategy: replace}
`, want: `
name: T
list:
  elementType:
    scalar: string
  elementRelationship: atomic
`}} {
		t.Run(test.name, func(t *testing.T) {
			if got, want := typeYAML(t, v3(test.definitions), "T"), strings.TrimPrefix(test.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A reference with a list type of its own leads to a separate type, even if a list
// refers to itself.
func TestListTypeNextToReference(t *testing.T) {
	doc := v3(`
  L: {type: array, default: [], items: {$ref: '#/components/schemas/L', x-kubernetes-list-type: set}}
  O: {type: array, items: {type: object, properties: {id: {type: string}}}}
  Other: {$ref: '#/components/schemas/O'}
  T:
    type: object
    properties:
      keyed: {$ref: '#/components/schemas/Other', x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id]}
`)
	want := map[string]string{
		"L[set]": `name: L[set]
list:
  elementType:
    namedType: L[set]
  elementRelationship: associative
  elementDefault: []
default: []
`,
		"Other[map,id]": `name: Other[map,id]
list:
  elementType:
    map:
      fields:
      - name: id
        type:
          scalar: string
  elementRelationship: associative
  keys:
  - id
`,
	}
	for name, want := range want {
		if got := typeYAML(t, doc, name); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// OpenAPI v2 cannot express int-or-string, but a server's v2 and v3 documents must lead to
// the same schema.
func TestIntOrString(t *testing.T) {
	a := typeYAML(t, v2("  T: {type: string, format: int-or-string}\n"), "T")
	b := typeYAML(t, v3("  T: {format: int-or-string, oneOf: [{type: integer}, {type: string}]}\n"), "T")
	if a != b {
		t.Errorf("from v2\n%s\nfrom v3\n%s", a, b)
	}
	if s := typeYAML(t, v3("  T: {type: string, format: int-or-string}\n"), "T"); !strings.Contains(s, "scalar: untyped") || strings.Contains(s, "map:") {
		t.Errorf("for a v3 document with a type, got\n%s", s)
	}
}

// Integer defaults must stay integers, both in JSON and in YAML.
func TestDefaultNumbers(t *testing.T) {
	for _, doc := range []string{
		`{"openapi":"3.0.0","components":{"schemas":{"T":{"type":"object","properties":{"i":{"type":"integer","default":9007199254740993},"f":{"type":"number","default":80.0}}}}}}`,
		"openapi: 3.0.0\ncomponents: {schemas: {T: {type: object, properties: {i: {type: integer, default: 9007199254740993}, f: {type: number, default: 80.0}}}}}",
	} {
		c := New(Options{})
		if err := c.AddOpenAPI("doc", []byte(doc)); err != nil {
			t.Fatal(err)
		}
		m := c.defs["T"].typ.Map
		f, _ := m.FindField("f")
		i, _ := m.FindField("i")
		if got, want := fmt.Sprintf("%T %v, %T %v", i.Default, i.Default, f.Default, f.Default), "int64 9007199254740993, float64 80"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A document must always lead to the same schema, although Go maps have a random order.
func TestDeterministic(t *testing.T) {
	const file = "testdata/server/openapi-v3-apis-apps-v1.json.gz"
	data := readFile(t, file)
	var first string
	for range 3 {
		c := New(Options{})
		if err := c.AddOpenAPI(file, data); err != nil {
			t.Fatal(err)
		}
		s, _, _ := c.Lookup("apps/v1", "Deployment")
		switch got := yamlOf(t, s); {
		case first == "":
			first = got
		case got != first:
			t.Fatal("two runs differ")
		}
	}
}
