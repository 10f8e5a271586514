// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/schema"
)

// transitionsOf returns the transition rule of each field of a type, followed by the rule
// of the field's type in brackets. In the names of the result, f[] stands for the items
// of the field f, and f{} for the values of f.
func transitionsOf(s *schema.Schema, name string) map[string]string {
	found := map[string]string{}
	var atom func(a schema.Atom, path string)
	at := func(ref schema.TypeRef, path string) {
		text := ref.Transition.String()
		if ref.NamedType != nil {
			if td, _ := s.FindNamedType(*ref.NamedType); td.Transition != schema.NoTransition {
				text += "(" + td.Transition.String() + ")"
			}
		}
		if text != "" {
			found[path] = text
		}
		atom(ref.Inlined, path)
	}
	atom = func(a schema.Atom, path string) {
		if a.List != nil {
			at(a.List.ElementType, path+"[]")
		}
		if a.Map != nil {
			at(a.Map.ElementType, path+"{}")
			for _, f := range a.Map.Fields {
				at(f.Type, path+"."+f.Name)
			}
		}
	}
	td, _ := s.FindNamedType(name)
	if td.Transition != schema.NoTransition {
		found["."] = td.Transition.String()
	}
	atom(td.Atom, "")
	return found
}

func wantTransitions(t *testing.T, c *Catalog, name, want string) {
	t.Helper()
	s, _, ok := c.LookupType(name)
	if !ok {
		t.Fatalf("no type %s", name)
	}
	var lines []string
	found := transitionsOf(s, name)
	for _, path := range sortedKeys(found) {
		lines = append(lines, path+" "+found[path])
	}
	if got := strings.Join(lines, "\n"); got != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, strings.TrimSpace(want))
	}
}

const markedDefinitions = `
  T:
    type: object
    properties:
      a: {type: string, x-kubernetes-immutable: true}
      b: {type: object, x-kubernetes-immutable-keys: true, additionalProperties: {type: string, x-kubernetes-immutable: true}}
      c: {type: array, x-kubernetes-list-type: set, x-kubernetes-addition-only: true, items: {type: string}}
      d: {type: array, items: {type: array, items: {type: object, x-kubernetes-deletion-only: true, additionalProperties: {type: string}}}}
      e: {x-kubernetes-int-or-string: true, x-kubernetes-set-once: true}
      f: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-immutable: true}
      g: {type: object, x-kubernetes-immutable: true}
      plain: {$ref: '#/components/schemas/U'}
      sibling: {$ref: '#/components/schemas/U', x-kubernetes-immutable: true}
      wrapped: {allOf: [{$ref: '#/components/schemas/U'}], x-kubernetes-set-once: true}
      within: {allOf: [{$ref: '#/components/schemas/U', x-kubernetes-set-once: true}]}
      both: {allOf: [{$ref: '#/components/schemas/U', x-kubernetes-set-once: true}], x-kubernetes-immutable: true}
      type: {$ref: '#/components/schemas/Marked'}
      alias: {$ref: '#/components/schemas/Alias'}
      list: {$ref: '#/components/schemas/MarkedList', x-kubernetes-list-type: set}
      nearer: {$ref: '#/components/schemas/MarkedList', x-kubernetes-list-type: set, x-kubernetes-immutable: true}
      items: {type: array, items: {$ref: '#/components/schemas/U', x-kubernetes-immutable: true}}
  U: {type: object, properties: {x: {type: string, default: d, x-kubernetes-immutable: true}}}
  Marked: {type: object, x-kubernetes-immutable: true}
  Alias: {$ref: '#/components/schemas/U', x-kubernetes-addition-only: true}
  MarkedList: {type: array, x-kubernetes-addition-only: true, items: {type: string}}
`

const markedTransitions = `
.a immutable
.alias (additionOnly)
.b immutableKeys
.both immutable
.b{} immutable
.c additionOnly
.d[][] deletionOnly
.e setOnce
.f immutable
.g immutable
.items[] immutable
.list (additionOnly)
.nearer immutable(additionOnly)
.sibling immutable
.type (immutable)
.within setOnce
.wrapped setOnce
`

func TestTransitionsOfDocuments(t *testing.T) {
	inV2 := strings.ReplaceAll(strings.Trim(markedDefinitions, "\n"), "#/components/schemas/", "#/definitions/")
	for name, doc := range map[string][]byte{"v2": v2(inV2), "v3": v3(markedDefinitions)} {
		t.Run(name, func(t *testing.T) {
			c := New(Options{})
			if err := c.AddOpenAPI("doc.yaml", doc); err != nil {
				t.Fatal(err)
			}
			wantTransitions(t, c, "T", markedTransitions)
			wantTransitions(t, c, "U", ".x immutable")
			wantTransitions(t, c, "Alias", ". additionOnly\n.x immutable")
		})
	}
}

func TestTransitionsOfCRDs(t *testing.T) {
	c := New(Options{})
	if err := c.AddCRD("crd.yaml", crd(`{type: object, properties: {
  kind: {type: string, x-kubernetes-immutable: true},
  spec: {type: object, x-kubernetes-set-once: true, properties: {
    keys: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], x-kubernetes-immutable-keys: true, items: {type: object, required: [k], properties: {k: {type: string, x-kubernetes-immutable: true}}}},
    metadata: {type: object, x-kubernetes-immutable: true},
    any: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-immutable: true},
    embedded: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-immutable: true, properties: {apiVersion: {type: string, x-kubernetes-immutable: true}}}}}}}`)); err != nil {
		t.Fatal(err)
	}
	wantTransitions(t, c, widget, `
.kind immutable
.spec setOnce
.spec.any immutable
.spec.embedded immutable
.spec.embedded.apiVersion immutable
.spec.keys immutableKeys
.spec.keys[].k immutable
.spec.metadata immutable
`)
}

func TestTransitionsOfSchemas(t *testing.T) {
	text := schema.String
	spec := schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
		{Name: "f", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &text}, Transition: schema.Immutable}},
	}}}
	c := New(Options{})
	if err := c.AddSchema("own", &schema.Schema{Types: []schema.TypeDef{{Name: "T", Atom: spec, Transition: schema.SetOnce}}}); err != nil {
		t.Fatal(err)
	}
	wantTransitions(t, c, "T", ". setOnce\n.f immutable")
	spec.Map.Fields[0].Type.Transition = schema.AdditionOnly
	err := New(Options{}).AddSchema("own", &schema.Schema{Types: []schema.TypeDef{{Name: "T", Atom: spec}}})
	if want := `own: T: the transition "additionOnly" of .f needs a map that has an elementType and is not atomic, or an associative list`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestBadTransitions(t *testing.T) {
	openAPI := func(c *Catalog, doc []byte) error { return c.AddOpenAPI("doc", doc) }
	crds := func(c *Catalog, doc []byte) error { return c.AddCRD("doc", doc) }
	const at = "doc: spec.versions[0].schema.openAPIV3Schema"
	for _, test := range []struct {
		name string
		add  func(*Catalog, []byte) error
		doc  []byte
		want string
	}{
		{"false", openAPI, v3("  T: {type: string, x-kubernetes-immutable: false}"),
			`doc: components.schemas.T.x-kubernetes-immutable: want true, found false; remove it to allow changes`},
		{"entries of a scalar", crds, crd(`{type: object, properties: {s: {type: string, x-kubernetes-immutable-keys: true}}}`),
			at + `.properties.s: the marker immutableKeys is only allowed with additionalProperties or the list type map, and not on an atomic map`},
		{"entries of an atomic map", crds, crd(`{type: object, properties: {s: {type: object, x-kubernetes-map-type: atomic, x-kubernetes-addition-only: true, additionalProperties: {type: string}}}}`),
			at + `.properties.s: the marker additionOnly is only allowed with additionalProperties, the list type map or the list type set, and not on an atomic map`},
		{"keys of a set", crds, crd(`{type: object, properties: {s: {type: array, x-kubernetes-list-type: set, x-kubernetes-immutable-keys: true, items: {type: string}}}}`),
			at + `.properties.s: the marker immutableKeys is only allowed with additionalProperties or the list type map, and not on an atomic map`},
		{"text", openAPI, v3("  T: {type: string, x-kubernetes-immutable-keys: 'true'}"),
			`doc: components.schemas.T.x-kubernetes-immutable-keys: want true, found the string "true"; remove it to allow changes`},
		{"name of another rule", openAPI, v3("  T: {type: string, x-kubernetes-immutable: setOnce}"),
			`doc: components.schemas.T.x-kubernetes-immutable: want true, found the string "setOnce"; write x-kubernetes-set-once: true`},
		{"null", openAPI, v3("  T: {type: string, x-kubernetes-set-once: null}"),
			`doc: components.schemas.T.x-kubernetes-set-once: want true, found null; remove it to allow changes`},
		{"below a mark", crds, crd(`{type: object, properties: {spec: {type: object, x-kubernetes-immutable: true, properties: {a: {type: object, x-kubernetes-addition-only: false}}}}}`),
			at + `.properties.spec.properties.a.x-kubernetes-addition-only: want true, found false; remove it to allow changes`},
		{"two", crds, crd(`{type: object, properties: {spec: {type: object, x-kubernetes-immutable: true, x-kubernetes-deletion-only: true}}}`),
			at + `.properties.spec: want one of x-kubernetes-immutable and x-kubernetes-deletion-only, found both`},
		{"branch", crds, crd(`{type: object, properties: {f: {type: string}}, allOf: [{properties: {f: {x-kubernetes-immutable: true}}}]}`),
			at + `.allOf[0].properties.f.x-kubernetes-immutable: this marker has no effect in a branch of an allOf; move it to the schema around the allOf`},
		{"root", crds, crd(`{type: object, x-kubernetes-immutable: true}`),
			at + `: want no immutability marker on the whole object, found immutable; mark spec or its fields`},
		{"metadata", crds, crd(`{type: object, properties: {metadata: {type: object, properties: {labels: {type: object, x-kubernetes-immutable-keys: true, additionalProperties: {type: string}}}}}}`),
			at + `.properties.metadata.properties.labels: want no immutability marker in metadata, which the API server manages, found immutableKeys; remove it`},
		{"embedded metadata", crds, crd(`{type: object, properties: {e: {type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object, x-kubernetes-immutable: true}}}}}`),
			at + `.properties.e.properties.metadata: want no immutability marker in metadata, which the API server manages, found immutable; remove it`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.add(New(Options{}), test.doc)
			if err == nil || err.Error() != test.want {
				t.Errorf("got\n%v\nwant\n%s", err, test.want)
			}
		})
	}
	c := New(Options{})
	if err := c.AddOpenAPI("doc", v3("  T: {type: object, properties: {f: {type: string}}, allOf: [{properties: {f: {x-kubernetes-immutable: true}}}]}")); err != nil {
		t.Errorf("a published document: %v", err)
	} else if len(c.Warnings()) != 1 {
		t.Errorf("warnings: %v", c.Warnings())
	}
}
