// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"slices"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/schema"
)

// FuzzDocument passes arbitrary data to every function that adds documents. The function
// must return an error, or add types whose schemas compile and are the same in a second
// run.
func FuzzDocument(f *testing.F) {
	f.Add(crd(`{type: object, properties: {spec: {type: object, properties: {ports: {type: array,
 x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, protocol], items: {type: object, required: [port],
 properties: {port: {type: integer}, protocol: {type: string, default: TCP}}}},
 template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}}`))
	f.Add(v2(plainDefinitions))
	f.Add(v3("  A: {type: array, default: [], items: {$ref: '#/components/schemas/A', x-kubernetes-list-type: set}}\n" +
		"  B: {allOf: [{$ref: '#/components/schemas/A', default: [1]}, {required: [x]}], nullable: true}\n" +
		"  C: {$ref: '#/components/schemas/B'}"))
	f.Add([]byte(`{"openapi":"3.0.0","paths":{"/apis/g/v1/namespaces/{namespace}/ts/{name}/status":{"get":{"x-kubernetes-group-version-kind":{"group":"g","version":"v1","kind":"T"}}}},
"components":{"schemas":{"T":{"type":["object","null"],"additionalProperties":{"type":"number","default":1e3},"x-kubernetes-unions":[{"fields-to-discriminateBy":{"a":"A"}}],"x-kubernetes-group-version-kind":[{"group":"g","version":"v1","kind":"T"}]}}}}`))
	f.Add([]byte("T: {a: 1, 'b[].c{}': x, '': {}}\nU: {}"))
	f.Add([]byte("T: {'': {x-kubernetes-unions: [{discriminator: a, fields-to-discriminateBy: {spec: S}}]}, list: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port]}}"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		if len(doc) > 1<<16 {
			return
		}
		for _, add := range []func(*Catalog) error{
			func(c *Catalog) error { return c.AddOpenAPI("doc", doc) },
			func(c *Catalog) error { return c.AddCRD("doc", doc) },
			func(c *Catalog) error {
				if err := c.AddOpenAPI("v2", v2(plainDefinitions)); err != nil {
					t.Fatal(err)
				}
				return c.AddDefaults("doc", doc)
			},
			func(c *Catalog) error {
				if err := c.AddOpenAPI("v2", v2(plainDefinitions)); err != nil {
					t.Fatal(err)
				}
				return c.AddMarkers("doc", doc)
			},
		} {
			a, b := New(Options{}), New(Options{})
			errA, errB := add(a), add(b)
			if (errA == nil) != (errB == nil) || errA != nil && errA.Error() != errB.Error() {
				t.Fatalf("two runs differ: %v and %v", errA, errB)
			}
			if errA == nil {
				use(t, a, b)
			}
		}
	})
}

func use(t *testing.T, a, b *Catalog) {
	for _, name := range a.Types() {
		s, ref, ok := a.LookupType(name)
		again, _, _ := b.LookupType(name)
		if !ok {
			t.Fatalf("no type %q", name)
		}
		if compiled.Node(s, ref).Missing {
			t.Fatalf("the type %q cannot be resolved", name)
		}
		x, err := yaml.Marshal(s)
		y, _ := yaml.Marshal(again)
		if err != nil || string(x) != string(y) {
			t.Fatalf("two runs differ: %v\n%s\n%s", err, x, y)
		}
	}
	for _, k := range a.Kinds() {
		if _, ok := a.Type(k.APIVersion, k.Kind); !ok {
			t.Fatalf("no type for %v", k)
		}
	}
	a.unsatisfiedKeys()
	a.Warnings()
	found, again := a.Lint(), b.Lint()
	if !slices.Equal(found, again) {
		t.Fatalf("two runs differ: %v\n%v", found, again)
	}
	if !slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == DefaultValue }) {
		removeAndRestore(t, a)
	}
}

// removeAndRestore removes the defaults from all types of a catalog and adds them again.
// The types must then be the same as before.
func removeAndRestore(t *testing.T, whole *Catalog) {
	for _, name := range whole.Types() {
		s, _, _ := whole.LookupType(name)
		bare := &schema.Schema{DeclarativeDefaults: true}
		for _, td := range s.Types {
			td = copyType(td)
			eachDefault(&td, func(def *any, _ schema.TypeRef, _ string) { *def = nil })
			bare.Types = append(bare.Types, td)
		}
		c := New(Options{})
		if err := c.AddSchema("bare", bare); err != nil {
			continue // the document has invalid list keys, which cause only a warning in published documents
		}
		if err := c.AddDefaultsOf(whole); err != nil {
			continue // skip the same invalid list keys
		}
		again, _, ok := c.LookupType(name)
		if !ok {
			t.Fatalf("no type %q", name)
		}
		x, _ := yaml.Marshal(s)
		y, _ := yaml.Marshal(again)
		if string(x) != string(y) {
			t.Fatalf("%q changed when its defaults were removed and added again:\n%s\n%s", name, x, y)
		}
	}
}
