// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestForms checks the schemas of the cases in spec. Each schema has two forms:
// OpenAPI, and the form of structured-merge-diff. The OpenAPI form must compile to the
// other form.
func TestForms(t *testing.T) {
	groups, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		if g.Schema == nil {
			continue // cases that only read and write FieldsV1 need no schema
		}
		parser, err := typed.NewParser(typed.YAMLObject(g.Schema))
		if err != nil {
			t.Fatal(err)
		}
		openAPI, types := map[string]json.RawMessage{"v1": g.OpenAPI}, map[string]string{"v1": "object"}
		for name, v := range g.Versions {
			openAPI[name], types[name] = v.OpenAPI, v.Type
		}
		c := openapi.New(openapi.Options{})
		if err := c.AddCRD(g.Name, definition(t, openAPI)); err != nil {
			t.Fatal(err)
		}
		for name := range types {
			s, ref, ok := c.Lookup("spec.example.com/"+name, "K")
			if !ok {
				t.Fatalf("%s has no version %s", g.Name, name)
			}
			want := parser.Type(types[name])
			compareForms(t, g.Name+", "+name, form{s, ref}, form{want.Schema, want.TypeRef}, 0)
		}
	}
}

func definition(t *testing.T, openAPI map[string]json.RawMessage) []byte {
	var versions []any
	for _, name := range slices.Sorted(maps.Keys(openAPI)) {
		versions = append(versions, map[string]any{"name": name, "served": true, "storage": name == "v1",
			"schema": map[string]any{"openAPIV3Schema": openAPI[name]}})
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "ks.spec.example.com"},
		"spec": map[string]any{"group": "spec.example.com", "scope": "Namespaced", "versions": versions,
			"names": map[string]any{"kind": "K", "plural": "ks"}}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// form is one type of a schema.
type form struct {
	*schema.Schema
	ref schema.TypeRef
}

func (f form) atom() schema.Atom {
	a, _ := f.Resolve(f.ref)
	return a
}

// compareForms compares two types. got was compiled from a definition. So it also has the
// fields that every object has, such as metadata.
func compareForms(t *testing.T, at string, got, want form, depth int) {
	a, b := got.atom(), want.atom()
	if (a.Scalar == nil) != (b.Scalar == nil) || (a.List == nil) != (b.List == nil) || (a.Map == nil) != (b.Map == nil) {
		t.Errorf("%s: %+v, want %+v", at, a, b)
		return
	}
	if a.Scalar != nil && *a.Scalar != *b.Scalar {
		t.Errorf("%s: scalar %s, want %s", at, *a.Scalar, *b.Scalar)
	}
	if depth > 8 {
		return // the type contains itself
	}
	if a.List != nil {
		if a.List.ElementRelationship != b.List.ElementRelationship || !slices.Equal(a.Keys, b.Keys) {
			t.Errorf("%s: list %v by %v, want %v by %v", at, a.List.ElementRelationship, a.Keys, b.List.ElementRelationship, b.Keys)
		}
		compareForms(t, at+"[]", form{got.Schema, a.List.ElementType}, form{want.Schema, b.List.ElementType}, depth+1)
	}
	if a.Map == nil {
		return
	}
	if (a.Map.ElementRelationship == schema.Atomic) != (b.Map.ElementRelationship == schema.Atomic) {
		t.Errorf("%s: map %v, want %v", at, a.Map.ElementRelationship, b.Map.ElementRelationship)
	}
	known := map[string]schema.StructField{}
	for _, f := range b.Fields {
		known[f.Name] = f
	}
	for _, f := range a.Fields {
		w, ok := known[f.Name]
		if delete(known, f.Name); depth == 0 && slices.Contains([]string{"apiVersion", "kind", "metadata"}, f.Name) {
			continue
		}
		if !ok {
			t.Errorf("%s: unexpected field %s", at, f.Name)
			continue
		}
		if fmt.Sprint(f.Default) != fmt.Sprint(w.Default) {
			t.Errorf("%s.%s: default %v, want %v", at, f.Name, f.Default, w.Default)
		}
		compareForms(t, at+"."+f.Name, form{got.Schema, f.Type}, form{want.Schema, w.Type}, depth+1)
	}
	if len(known) > 0 {
		t.Errorf("%s: the fields %v are missing", at, slices.Sorted(maps.Keys(known)))
	}
	of := func(f form, m *schema.Map) form { return form{f.Schema, m.ElementType} }
	if none := (schema.TypeRef{}); a.Map.ElementType != none || b.Map.ElementType != none {
		compareForms(t, at+"{}", of(got, a.Map), of(want, b.Map), depth+1)
	}
}
