// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Every error must name the document, the path and the problem.
func TestBadDocuments(t *testing.T) {
	openAPI := func(c *Catalog, doc []byte) error { return c.AddOpenAPI("doc", doc) }
	crds := func(c *Catalog, doc []byte) error { return c.AddCRD("doc", doc) }
	defaults := func(c *Catalog, doc []byte) error { return c.AddDefaults("doc", doc) }
	keyed := func(item string) []byte {
		return crd(`{type: object, properties: {l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, k], items: ` + item + `}}}`)
	}
	for _, test := range []struct {
		name string
		add  func(*Catalog, []byte) error
		doc  []byte
		want string // all lines of the error
	}{
		{"empty", openAPI, nil, `doc: want one document, found 0 documents`},
		{"text", openAPI, []byte("hello"), `doc: want a map, found the string "hello"`},
		{"cut JSON", openAPI, []byte("{\"openapi\":\n"), `doc:2:1: not JSON: the text ends too early`},
		{"bad JSON", openAPI, []byte("{\n\"openapi\" \"3.0\"}"), `doc:2:11: not JSON: invalid character '"' after object key`},
		{"two JSON values", crds, []byte("{}\n{}"), `doc:2: want JSON or YAML: want the end of the document after the first value`},
		{"bad YAML", openAPI, []byte("openapi: 3.0.0\n  a: b"), `doc:2:3: not YAML: mapping values are not allowed in this context: the line above has a value already; check the indentation of this line`},
		{"key twice", openAPI, []byte("openapi: 3.0.0\nopenapi: 3.0.0"), "doc:2:1: duplicate key, first used on line 1"},
		{"a template", crds, []byte("a:\n  b: {{ .Values.c }}"), `doc:2:7: not YAML: want a string as a key, got a mapping: {{ }} is template syntax; render the template first, for example with helm template`},
		{"binary", openAPI, []byte{0x1f, 0x8b, 8, 0}, `doc:1: not YAML: control characters are not allowed`},
		{"other version", openAPI, []byte(`{"openapi":"4.0.0"}`), `doc: want an OpenAPI document with swagger: "2.0" or openapi: 3.x, found openapi: 4.0.0`},
		{"other kind", openAPI, []byte(`{"apiVersion":"v1","kind":"Pod"}`), `doc: want an OpenAPI document with swagger: "2.0" or openapi: 3.x, found an object of kind v1 Pod`},
		{"paths", openAPI, []byte(`{"openapi":"3.0.0","paths":[]}`), `doc: paths: want a map, found a list`},
		{"a path", openAPI, []byte(`{"openapi":"3.0.0","paths":{"/b":1,"/a":2}}`), `doc: paths["/a"]: want a map of operations, found the number 2`},
		{"paths in YAML", openAPI, []byte("openapi: 3.0.0\npaths: {/api: 3}"), `doc: paths["/api"]: want a map of operations, found the number 3`},
		{"definitions", openAPI, []byte(`{"swagger":"2.0","definitions":[]}`), `doc: definitions: want a map, found a list`},
		{"definition", openAPI, v3("  a.b.C: 1"), `doc: components.schemas["a.b.C"]: want a schema, which is a map, found the number 1`},
		{"unknown type", openAPI, v3("  T: {type: text}"), `doc: components.schemas.T.type: want object, array, string, integer, number or boolean, found "text"`},
		{"two types", openAPI, v3("  T: {type: [string, integer]}"), `doc: components.schemas.T.type: want one type, found string and integer`},
		{"no items", openAPI, v3("  T: {type: array}"), `doc: components.schemas.T: type array needs items, found none`},
		{"tuple", openAPI, v3("  T: {type: array, items: [{type: string}]}"), `doc: components.schemas.T.items: want one schema for all items, found a list of schemas`},
		{"no keys", openAPI, v3("  T: {type: array, items: {}, x-kubernetes-list-type: map}"), `doc: components.schemas.T: the list type map needs x-kubernetes-list-map-keys, found none`},
		{"list type", openAPI, v3("  T: {type: array, items: {}, x-kubernetes-list-type: bag}"), `doc: components.schemas.T.x-kubernetes-list-type: want one of atomic, set, map, found "bag"`},
		{"map type", openAPI, v3("  T: {type: object, x-kubernetes-map-type: [atomic]}"), `doc: components.schemas.T.x-kubernetes-map-type: want a string, found a list`},
		{"patch strategy", openAPI, v3("  T: {type: array, items: {}, x-kubernetes-patch-strategy: mix}"), `doc: components.schemas.T.x-kubernetes-patch-strategy: want one of merge merge,retainKeys retainKeys replace, found "mix"`},
		{"missing definition", openAPI, v3("  T: {type: object, properties: {a: {$ref: '#/components/schemas/U'}}}"), `doc: components.schemas.T.properties.a.$ref: neither this document nor an earlier one has a definition "U"; correct the name, or add the definition`},
		{"foreign reference", openAPI, v3("  T: {$ref: 'other.json#/definitions/U'}"), `doc: components.schemas.T.$ref: want a reference to a definition of the document, #/definitions/NAME or #/components/schemas/NAME, found "other.json#/definitions/U"`},
		{"circle", openAPI, v3("  A: {$ref: '#/components/schemas/B'}\n  B: {allOf: [{$ref: '#/components/schemas/A'}]}\n  C: {$ref: '#/components/schemas/A'}"),
			"doc: components.schemas.A: definitions refer only to each other, so none has a type: A → B → A\n" +
				"doc: components.schemas.B: definitions refer only to each other, so none has a type: B → A → B"},
		{"itself", openAPI, v3("  A: {$ref: '#/components/schemas/A'}"), `doc: components.schemas.A: definitions refer only to each other, so none has a type: A → A`},
		{"several findings in order", openAPI, v3("  T: {type: object, properties: {b: 1, a: 2}}"),
			"doc: components.schemas.T.properties.a: want a schema, which is a map, found the number 2\ndoc: components.schemas.T.properties.b: want a schema, which is a map, found the number 1"},

		{"no CRD", crds, []byte("kind: Pod\napiVersion: v1"), `doc: want a CustomResourceDefinition, found an object of kind v1 Pod`},
		{"nothing", crds, []byte("---\n---\n"), `doc: want a CustomResourceDefinition, found none`},
		{"empty list", crds, []byte("kind: List\napiVersion: v1\nitems: []"), `doc: want a CustomResourceDefinition, found an object of kind v1 List`},
		{"CRD of the future", crds, []byte("kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v2"), `doc: apiVersion: want apiextensions.k8s.io/v1, found "apiextensions.k8s.io/v2"`},
		{"no spec", crds, []byte("kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1"), `doc: spec: want a map, found null`},
		{"empty spec", crds, []byte("kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nspec: {scope: Global}"),
			"doc: spec.group: want a name, found nothing\ndoc: spec.names.kind: want a name, found nothing\n" +
				"doc: spec.names.plural: want a name, found nothing\ndoc: spec.scope: want Namespaced or Cluster, found \"Global\"\n" +
				"doc: spec.versions: want at least one version"},
		{"no schema", crds, []byte(strings.Split(string(crd("{}")), "    schema:")[0]), `doc: spec.versions[0].schema.openAPIV3Schema: want a schema, found none`},
		{"root type", crds, crd(`{type: string}`), `doc: spec.versions[0].schema.openAPIV3Schema.type: want object, found "string"`},
		{"reference", crds, crd(`{type: object, properties: {a: {$ref: '#/definitions/A'}}}`), `doc: spec.versions[0].schema.openAPIV3Schema.properties.a.$ref: a CRD cannot have references; replace it with the schema that it refers to`},
		{"contradiction", crds, crd(`{type: object, properties: {a: {type: string, x-kubernetes-list-type: set, properties: {b: {}}}, c: {type: array, items: {}, x-kubernetes-map-type: atomic}}}`),
			"doc: spec.versions[0].schema.openAPIV3Schema.properties.a: a list type needs type array, found type string\n" +
				"doc: spec.versions[0].schema.openAPIV3Schema.properties.c: a map type needs type object, found type array"},
		{"key is no property", crds, keyed(`{type: object, properties: {a: {type: string}}}`), `doc: spec.versions[0].schema.openAPIV3Schema.properties.l.x-kubernetes-list-map-keys[1]: want the name of a property of the items, found "k"`},
		{"keys of scalars", crds, keyed(`{type: string}`), "doc: spec.versions[0].schema.openAPIV3Schema.properties.l.x-kubernetes-list-map-keys[0]: the key \"a\" needs items that are objects\n" +
			"doc: spec.versions[0].schema.openAPIV3Schema.properties.l.x-kubernetes-list-map-keys[1]: the key \"k\" needs items that are objects"},
		{"composite default", crds, keyed(`{type: object, properties: {a: {type: string}, k: {type: object, default: {}}}}`), `doc: spec.versions[0].schema.openAPIV3Schema.properties.l.x-kubernetes-list-map-keys[1]: the default of the key "k" must be a scalar, found a map`},
		{"key default of another type", crds, keyed(`{type: object, properties: {a: {type: string}, k: {type: string, default: 5}}}`), `doc: spec.versions[0].schema.openAPIV3Schema.properties.l.x-kubernetes-list-map-keys[1]: want a string as the default of the key "k", found the number 5`},
		{"nullable key", crds, keyed(`{type: object, properties: {a: {type: string}, k: {type: string, nullable: true}}}`), `doc: spec.versions[0].schema.openAPIV3Schema.properties.l.x-kubernetes-list-map-keys[1]: the key "k" must not be nullable`},

		{"no such definition", defaults, []byte(`a.B: {c: 1}`), `doc: ["a.B"]: no earlier document has a definition "a.B"; correct the name, or add the document first`},
		{"no table", defaults, []byte(`[1]`), `doc: want a map, found a list`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := New(Options{})
			err := test.add(c, test.doc)
			if err == nil {
				t.Fatalf("want the error %s", test.want)
			}
			if err.Error() != test.want {
				t.Errorf("got\n%v\nwant\n%s", err, test.want)
			}
			var e *DocumentError
			if !errors.As(err, &e) || e.Document != "doc" {
				t.Errorf("got %#v, want a *DocumentError with the document's name", err)
			}
			if len(c.Types()) > 0 || len(c.Kinds()) > 0 || len(c.Warnings()) > 0 {
				t.Error("the failed call changed the catalog")
			}
		})
	}
}

// API servers accept a CRD that declares properties of a scalar, so such CRDs exist and
// must be readable.
func TestPropertiesOfAScalar(t *testing.T) {
	c := New(Options{})
	if err := c.AddCRD("doc", crd(`{type: object, properties: {a: {type: string, properties: {b: {type: string}}}}}`)); err != nil {
		t.Fatal(err)
	}
	want := "doc: spec.versions[0].schema.openAPIV3Schema.properties.a: properties need type object, found type string"
	if w := c.Warnings(); len(w) != 1 || w[0].Error() != want {
		t.Errorf("got %v, want %s", w, want)
	}
}

// Problems that Kubernetes' own code tolerates in a published document are only warnings.
func TestWarnings(t *testing.T) {
	c := New(Options{})
	err := c.AddOpenAPI("doc", v3(`
  Items:
    type: object
    properties: {a: {type: string, nullable: true}, b: {type: object, default: {}}, c: {type: integer, default: x}}
  T:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [a, b, d]
    items: {$ref: '#/components/schemas/Items'}
  U: {type: string, x-kubernetes-map-type: atomic}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := `doc: components.schemas.Items.properties.c.default: want a default of type integer, found the string "x"
doc: components.schemas.T.x-kubernetes-list-map-keys[0]: the key "a" must not be nullable
doc: components.schemas.T.x-kubernetes-list-map-keys[1]: the default of the key "b" must be a scalar, found a map
doc: components.schemas.T.x-kubernetes-list-map-keys[2]: want the name of a property of the items, found "d"
doc: components.schemas.U: a map type needs type object, found type string`
	var got []string
	for _, w := range c.Warnings() {
		got = append(got, w.Error())
	}
	if got := strings.Join(got, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, _, ok := c.LookupType("T"); !ok {
		t.Error("the definition is missing")
	}
}

// Reading hostile input must end within a reasonable time, and with an error.
func TestHostile(t *testing.T) {
	deep := func(n int) string {
		return strings.Repeat(`{"type":"array","items":`, n) + `{"type":"string"}` + strings.Repeat("}", n)
	}
	doc := func(schema string) []byte {
		return []byte(`{"openapi":"3.0.0","components":{"schemas":{"T":` + schema + `}}}`)
	}
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := range 9 {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
	}
	var wide strings.Builder
	wide.WriteString(`{"type":"object","properties":{`)
	for i := range 20000 {
		fmt.Fprintf(&wide, `"p%d":{"type":"strin"},`, i)
	}
	wide.WriteString(`"last":{"type":"string"}}}`)
	for name, test := range map[string]struct {
		doc  []byte
		want string
	}{
		"depth 400":       {doc(deep(400)), ""},
		"depth 1000":      {doc(deep(1000)), "want at most 500 nested schemas, found more"},
		"depth 9000":      {doc(deep(4900)), "want at most 500 nested schemas, found more"},
		"depth 1 million": {doc(deep(1_000_000)), "nested more than"},
		"YAML depth":      {[]byte("openapi: 3.0.0\ncomponents: " + strings.Repeat("{a: ", 100_000)), "exceeded max depth"},
		"alias bomb":      {[]byte(bomb.String()), "excessive aliasing"},
		"many errors":     {doc(wide.String()), "and 19900 more findings"},
	} {
		t.Run(name, func(t *testing.T) {
			err := New(Options{}).AddOpenAPI("doc", test.doc)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if err != nil && len(err.Error()) > 200_000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}
