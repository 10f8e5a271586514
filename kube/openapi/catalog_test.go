// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"slices"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/compiled"
)

// A later document replaces kinds and definitions of earlier ones. Schemas that were
// returned before must not change.
func TestLaterWins(t *testing.T) {
	c := Builtin(Options{})
	before, _, _ := c.Lookup("v1", "ConfigMap")
	pods, _, _ := c.Lookup("v1", "Pod")
	if err := c.AddOpenAPI("mine.yaml", v3(`
  io.k8s.api.core.v1.ConfigMap:
    type: object
    x-kubernetes-group-version-kind: [{group: "", version: v1, kind: ConfigMap}]
    properties: {data: {type: string}}
`)); err != nil {
		t.Fatal(err)
	}
	after, _, _ := c.Lookup("v1", "ConfigMap")
	if len(before.Types) < 5 || len(after.Types) != 1 {
		t.Errorf("got %d types before and %d after", len(before.Types), len(after.Types))
	}
	// The document has no paths, so the catalog keeps the scope and resource name
	// that it already has for the kind.
	if k, _ := c.Kind("v1", "ConfigMap"); k.Scope != Namespaced || k.Resource != "configmaps" || k.Source != "mine.yaml" {
		t.Errorf("got %+v", k)
	}
	if again, _, _ := c.Lookup("v1", "Pod"); yamlOf(t, again) != yamlOf(t, pods) {
		t.Error("a type that the document does not mention has changed")
	}
}

// If several group documents contain the same definition, the catalog gets one
// definition with the kinds from all documents. A different definition with the same
// name causes a warning.
func TestGroupDocuments(t *testing.T) {
	options := func(group string) string {
		return `
  Options:
    type: object
    properties: {dryRun: {type: string}}
    x-kubernetes-group-version-kind: [{group: ` + group + `, version: v1, kind: Options}]
`
	}
	c := New(Options{})
	err := c.AddOpenAPIs(
		Document{"a", v3(options("a") + "  A: {type: object, properties: {b: {$ref: '#/components/schemas/B'}, s: {$ref: '#/components/schemas/S'}}}\n  S: {type: string}")},
		Document{"b", v3(options("b") + "  B: {type: object, properties: {a: {$ref: '#/components/schemas/A'}}}\n  S: {type: integer}")},
	)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Types(), []string{"A", "B", "Options", "S"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, version := range []string{"a/v1", "b/v1"} {
		if k, ok := c.Kind(version, "Options"); !ok || k.Type != "Options" {
			t.Errorf("%s: got %+v", version, k)
		}
	}
	w := c.Warnings()
	if len(w) != 1 || w[0].Error() != "b: components.schemas.S: this definition replaces a different one of the same name in a" {
		t.Errorf("got warnings %v", w)
	}
}

// Each kind that a server's documents declare must have a type that compiles.
func TestEveryBuiltinKind(t *testing.T) {
	c := Builtin(Options{})
	kinds := c.Kinds()
	for _, k := range kinds {
		p, ok := c.Type(k.APIVersion, k.Kind)
		if !ok || compiled.Node(p.Schema, p.TypeRef).Missing || p.Schema.DeclarativeDefaults {
			t.Errorf("%s %s has no type", k.APIVersion, k.Kind)
		}
	}
	if len(kinds) < 250 || len(c.Types()) < 700 {
		t.Errorf("got %d kinds and %d types", len(kinds), len(c.Types()))
	}
}

func TestConcurrentLookup(t *testing.T) {
	c := Builtin(Options{})
	if err := c.AddCRD("widgets.json", readFile(t, "testdata/server/widgets.json")); err != nil {
		t.Fatal(err)
	}
	want, _, _ := c.Lookup("apps/v1", "Deployment")
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if s, _, _ := c.Lookup("apps/v1", "Deployment"); s != want {
				t.Error("the same call returned another schema")
			}
			for _, k := range []string{"Pod", "Service", "Node"} {
				s, ref, _ := c.Lookup("v1", k)
				compiled.Node(s, ref)
			}
			s, ref, _ := c.Lookup("example.com/v1", "Widget")
			compiled.Node(s, ref)
			c.unsatisfiedKeys()
			c.Kinds()
		}()
	}
	wg.Wait()
}

func BenchmarkBuiltin(b *testing.B) {
	b.Run("Service", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c := Builtin(Options{})
			c.Type("v1", "Service")
		}
	})
	b.Run("Deployment", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c := Builtin(Options{})
			c.Type("apps/v1", "Deployment")
		}
	})
}

func BenchmarkAddCRD(b *testing.B) {
	doc := readFile(b, "testdata/server/widgets.json")
	b.ReportAllocs()
	for b.Loop() {
		if err := New(Options{}).AddCRD("widgets.json", doc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAddOpenAPI(b *testing.B) {
	const file = "testdata/server/openapi-v3-apis-apps-v1.json.gz"
	doc := readFile(b, file)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if err := New(Options{}).AddOpenAPI(file, doc); err != nil {
			b.Fatal(err)
		}
	}
}
