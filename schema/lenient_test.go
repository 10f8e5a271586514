// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

const strictTypes = `types:
- name: object
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: inline, type: {map: {fields: [{name: a, type: {scalar: numeric}}]}}}
    - {name: self, type: {namedType: object}}
    - {name: empty, type: {map: {}}}
    - name: items
      type:
        list:
          elementRelationship: associative
          keys: [name]
          elementType: {map: {fields: [{name: name, type: {scalar: string}}]}}
`

func TestLenientAllowsWhatIsNotDeclaredOnly(t *testing.T) {
	p, err := typed.NewParser(strictTypes)
	if err != nil {
		t.Fatal(err)
	}
	strict := p.Type("object")
	lenientSchema, ref := strict.Schema.Lenient(strict.TypeRef)
	lenient := typed.ParseableType{Schema: lenientSchema, TypeRef: ref}
	for name, c := range map[string]struct {
		object          typed.YAMLObject
		strict, lenient bool
	}{
		"known":                {`{name: a, labels: {x: v}, inline: {a: 1}, items: [{name: a}]}`, true, true},
		"at the top":           {`{new: 1}`, false, true},
		"inlined":              {`{inline: {new: {deep: [1, {a: b}]}}}`, false, true},
		"below itself":         {`{self: {self: {new: true}}}`, false, true},
		"in an item":           {`{items: [{name: a, new: null}]}`, false, true},
		"in an empty map":      {`{empty: {new: a}}`, false, true},
		"wrong type":           {`{name: 1}`, false, false},
		"wrong type of a map":  {`{labels: {x: 1}}`, false, false},
		"item without its key": {`{items: [{new: a}]}`, false, false},
		"duplicate":            {`{items: [{name: a}, {name: a, new: 1}]}`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := strict.FromYAML(c.object); (err == nil) != c.strict {
				t.Errorf("strict: %v", err)
			}
			if _, err := lenient.FromYAML(c.object); (err == nil) != c.lenient {
				t.Errorf("lenient: %v", err)
			}
		})
	}
	if _, ok := p.Schema.FindNamedType("__untyped_deduced_"); ok {
		t.Error("the schema itself was changed")
	}
}

// TestLenientWithOneOfItsTypes checks schemas that already define one of the two types that
// Lenient adds.
func TestLenientWithOneOfItsTypes(t *testing.T) {
	for _, name := range []typed.YAMLObject{"__untyped_atomic_", "__untyped_deduced_"} {
		p, err := typed.NewParser(strictTypes + "- name: " + name + `
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: ` + name + `}}
  map: {elementType: {namedType: ` + name + `}}
`)
		if err != nil {
			t.Fatal(err)
		}
		lenient, ref := p.Schema.Lenient(p.Type("object").TypeRef)
		if _, err := (typed.ParseableType{Schema: lenient, TypeRef: ref}).FromYAML(`{new: {deep: [1, {a: b}]}}`); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLenientIsMadeOnceConcurrently(t *testing.T) {
	p, err := typed.NewParser(strictTypes)
	if err != nil {
		t.Fatal(err)
	}
	td, _ := p.Schema.FindNamedType("object")
	inlined := schema.TypeRef{Inlined: td.Atom}
	first, ref := p.Schema.Lenient(inlined)
	var group sync.WaitGroup
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			if again, at := p.Schema.Lenient(inlined); again != first || at != ref {
				t.Error("another schema or reference")
			}
		}()
	}
	group.Wait()
	var other schema.Schema
	p.Schema.CopyInto(&other)
	other.MissingKeys = schema.StrictKeys
	if made, _ := other.Lenient(inlined); made == first || made.MissingKeys != schema.StrictKeys {
		t.Error("the policies of another schema")
	}
	if again, _ := p.Schema.Lenient(inlined); again != first {
		t.Error("the first lenient schema is not cached")
	}
}

// TestLenientOfACycle checks a cycle of inlined types, which Go literals can contain.
func TestLenientOfACycle(t *testing.T) {
	m := &schema.Map{}
	m.Fields = []schema.StructField{{Name: "self", Type: schema.TypeRef{Inlined: schema.Atom{Map: m}}}}
	s := &schema.Schema{}
	lenient, ref := s.Lenient(schema.TypeRef{Inlined: schema.Atom{Map: m}})
	typ := typed.ParseableType{Schema: lenient, TypeRef: ref}
	if _, err := typ.FromYAML(`{self: {self: {new: 1}}}`); err != nil {
		t.Error(err)
	}
}
