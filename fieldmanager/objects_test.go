// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// owned is an object with managed fields, and the field manager for it.
type owned struct {
	name    string
	options fieldmanager.Options
	fm      *fieldmanager.FieldManager
	typ     typed.ParseableType
	live    map[string]any
}

// ownedObjects are all objects that the recorded API server answered with and
// all states of the merge scenarios, with declarative defaults.
func ownedObjects(t *testing.T) []owned {
	t.Helper()
	all := append(recordedObjects(t), scenarioObjects(t)...)
	if len(all) < 150 {
		t.Fatalf("only %d objects", len(all))
	}
	return all
}

func recordedObjects(t *testing.T) (all []owned) {
	t.Helper()
	types := newSchemas(true)
	for _, s := range loadScenarios(t) {
		w := &world{t: t, scenario: s, types: types, stored: map[string]map[string]any{}}
		w.learn()
		source := func(apiVersion, kind string) (typed.ParseableType, error) {
			at, ok := w.schemas[apiVersion+" "+kind]
			if !ok {
				return typed.ParseableType{}, fmt.Errorf("%s %s: %w", apiVersion, kind, fieldmanager.ErrUnknownType)
			}
			return types.typeOf(t, at[0], at[1]), nil
		}
		options := fieldmanager.Options{Types: source, Converter: fieldmanager.SameShape}
		fm := newManager(t, options)
		for i, st := range s.Steps {
			body := st.Response.Body
			version, _ := body["apiVersion"].(string)
			kind, _ := body["kind"].(string)
			typ, err := source(version, kind)
			if st.Response.Status >= 300 || err != nil {
				continue
			}
			if _, err := typ.FromUnstructured(body, typed.AllowDuplicates); err != nil {
				t.Fatalf("%s/%d: %v", s.Name, i, err)
			}
			all = append(all, owned{fmt.Sprintf("%s/%d", s.Name, i), options, fm, typ, body})
		}
	}
	return all
}

// scenarioObjects are the states of the merge scenarios, each as the spec of an
// object: those in which all managers use the version of the object.
func scenarioObjects(t *testing.T) (all []owned) {
	t.Helper()
	files, err := filepath.Glob("../internal/fixture/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		script, err := fixture.ParseScript(file, text)
		if err != nil {
			t.Fatal(err)
		}
		state := &fixture.State{}
		for i, step := range script.Case {
			if err := step.Op.Run(state); err != nil || state.Live == nil || len(state.Owners) == 0 {
				continue // some are meant to fail
			}
			if o, ok := asObject(t, state); ok {
				o.name = fmt.Sprintf("%s/%d", strings.TrimSuffix(filepath.Base(file), ".txtar"), i)
				all = append(all, o)
			}
		}
	}
	return all
}

// asObject makes an object of a state: its value is the spec.
func asObject(t *testing.T, s *fixture.State) (owned, bool) {
	t.Helper()
	if !s.Live.Schema().DeclarativeDefaults {
		return owned{}, false
	}
	apiVersion := ""
	var entries []fieldmanager.Entry
	for name, vs := range s.Owners {
		if apiVersion != "" && apiVersion != string(vs.APIVersion()) {
			return owned{}, false
		}
		apiVersion = string(vs.APIVersion())
		o := fieldmanager.Owner{Manager: name, Operation: fieldmanager.OperationUpdate, APIVersion: apiVersion}
		if vs.Applied() {
			o.Operation = fieldmanager.OperationApply
		}
		set := fieldpath.FromSorted(nil, []fieldpath.SetNode{{PathElement: fieldName("spec"), Set: vs.Set()}})
		entries = append(entries, fieldmanager.Entry{Owner: o, Set: set})
	}
	managed, err := fieldmanager.NewManaged(entries)
	if err != nil {
		t.Fatal(err)
	}
	parts := s.Live.Schema()
	wrapped := schema.Schema{DeclarativeDefaults: true, MissingKeys: parts.MissingKeys, ZeroKeysUnset: parts.ZeroKeysUnset}
	ref := func(name string) schema.TypeRef { return schema.TypeRef{NamedType: &name} }
	untyped := schema.Untyped
	wrapped.Types = append(wrapped.Types, parts.Types...)
	wrapped.Types = append(wrapped.Types, schema.TypeDef{Name: "Anything", Atom: schema.Atom{
		Scalar: &untyped,
		List:   &schema.List{ElementType: ref("Anything"), ElementRelationship: schema.Atomic},
		Map:    &schema.Map{ElementType: ref("Anything")},
	}}, schema.TypeDef{Name: "Wrapped", Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
		{Name: "apiVersion", Type: ref("Anything")},
		{Name: "kind", Type: ref("Anything")},
		{Name: "metadata", Type: ref("Anything")},
		{Name: "spec", Type: s.Live.TypeRef()},
	}}}})
	typ := typed.ParseableType{Schema: &wrapped, TypeRef: ref("Wrapped")}
	live := managed.Into(map[string]any{
		"apiVersion": apiVersion, "kind": "Wrapped",
		"metadata": map[string]any{"name": "x"},
		"spec":     s.Live.AsValue().Unstructured(),
	})
	source := func(version, _ string) (typed.ParseableType, error) {
		if version != apiVersion {
			return typed.ParseableType{}, fieldmanager.ErrUnknownType
		}
		return typ, nil
	}
	options := fieldmanager.Options{Types: source}
	return owned{options: options, fm: newManager(t, options), typ: typ, live: live}, true
}
