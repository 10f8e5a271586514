// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	upstream "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/dovetail-ssa/dovetail/schema"
)

// The overlay must only add to the result of schemaconv. The test reads documents with
// kube-openapi's own decoder, converts them with schemaconv, and compares each definition
// with the one in the catalog. The comparison omits everything that the overlay adds.
func TestSchemaconv(t *testing.T) {
	testdata := filepath.Join(moduleDir(t, "k8s.io/kube-openapi"), "pkg/schemaconv/testdata")
	files := []string{
		"testdata/server/openapi-v3-api-v1.json.gz",
		"testdata/server/openapi-v3-apis-apps-v1.json.gz",
		"testdata/server/openapi-v3-apis-example.com-v1.json.gz",
		filepath.Join(testdata, "swagger.json"),
	}
	crds, err := filepath.Glob(filepath.Join(testdata, "crds/openapiv3/*.json"))
	if err != nil || len(crds) == 0 {
		t.Fatalf("no CRD documents: %v", err)
	}
	for _, file := range append(files, crds...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data := readFile(t, file)
			c := New(Options{})
			if err := c.AddOpenAPI(file, data); err != nil {
				t.Fatal(err)
			}
			want := schemaconvTypes(t, data)
			if len(want) == 0 || len(want) != len(c.defs) {
				t.Fatalf("got %d definitions, want %d", len(c.defs), len(want))
			}
			for name, w := range want {
				got := c.defs[name].typ
				got.Atom = plainAtom(got.Atom)
				got.Default = nil
				if name == "io.k8s.apimachinery.pkg.util.intstr.IntOrString" && strings.HasSuffix(file, "swagger.json") {
					continue // TestIntOrString checks this definition
				}
				if g, w := yamlOf(t, got), yamlOf(t, w); g != w {
					t.Errorf("%s: got\n%s\nwant\n%s", name, g, w)
				}
			}
		})
	}
}

// The overlay must only add to the result of schemaconv for random documents, too. These
// documents combine kinds, formats, list types, patch strategies, map types and
// references. Many of the combinations are in no server's document.
func TestSchemaconvRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(values ...any) any { return values[r.IntN(len(values))] }
	var random func(depth int) map[string]any
	random = func(depth int) map[string]any {
		n := map[string]any{}
		set := func(name string, v any) {
			if v != nil {
				n[name] = v
			}
		}
		if r.IntN(6) == 0 {
			set("$ref", pick("#/components/schemas/A", "#/components/schemas/B"))
			set("x-kubernetes-map-type", pick(nil, "atomic", "granular"))
			return n
		}
		kind := pick(nil, "object", "object", "array", "array", "string", "integer", "number", "boolean")
		set("type", kind)
		set("nullable", pick(nil, nil, true))
		set("x-kubernetes-preserve-unknown-fields", pick(nil, nil, nil, true))
		switch kind {
		case "string":
			set("format", pick(nil, "byte", "date-time", "int-or-string"))
		case "array":
			item := random(depth - 1)
			if r.IntN(2) == 0 {
				item = map[string]any{"type": "object", "properties": map[string]any{"k": map[string]any{"type": "string"}}, "required": []any{"k"}}
			}
			n["items"] = item
			set("x-kubernetes-list-type", pick(nil, "atomic", "set", "map"))
			if n["x-kubernetes-list-type"] == "map" {
				n["x-kubernetes-list-map-keys"] = []any{"k"}
			}
			set("x-kubernetes-patch-strategy", pick(nil, "merge", "merge,retainKeys", "retainKeys"))
			set("x-kubernetes-patch-merge-key", pick(nil, "k"))
		case "object":
			set("x-kubernetes-map-type", pick(nil, "atomic", "granular"))
			if depth > 0 && r.IntN(3) > 0 {
				n["properties"] = map[string]any{"p": random(depth - 1), "q": random(depth - 1)}
			}
			if r.IntN(3) == 0 {
				n["additionalProperties"] = pick(true, false, random(depth-1))
			}
		}
		return n
	}
	compared := 0
	for range 3000 {
		data, err := json.Marshal(map[string]any{"openapi": "3.0.0", "components": map[string]any{"schemas": map[string]any{"A": random(3), "B": random(3)}}})
		if err != nil {
			t.Fatal(err)
		}
		c := New(Options{})
		if c.AddOpenAPI("random.json", data) != nil {
			continue // the catalog is stricter than schemaconv
		}
		for name, w := range schemaconvTypes(t, data) {
			got, ok := c.defs[name]
			if !ok {
				continue // the definition is only an alias of another one
			}
			got.typ.Atom, got.typ.Default = plainAtom(got.typ.Atom), nil
			if g, w := yamlOf(t, got.typ), yamlOf(t, w); g != w {
				t.Fatalf("%s: %s\ngot\n%s\nwant\n%s", name, data, g, w)
			}
			compared++
		}
	}
	if compared < 1000 {
		t.Errorf("only %d types compared", compared)
	}
}

// schemaconvTypes returns the types that schemaconv makes from a document, with sorted
// fields.
func schemaconvTypes(t *testing.T, data []byte) map[string]schema.TypeDef {
	t.Helper()
	var doc struct {
		Definitions map[string]*spec.Schema
		Components  struct{ Schemas map[string]*spec.Schema }
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	models := doc.Components.Schemas
	if models == nil {
		models = doc.Definitions
	}
	converted, err := schemaconv.ToSchemaFromOpenAPI(models, false)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]schema.TypeDef{}
	for _, td := range converted.Types {
		if _, ok := models[td.Name]; ok {
			types[td.Name] = schema.TypeDef{Name: td.Name, Atom: plainAtom(fromUpstream(td.Atom))}
		}
	}
	return types
}

// plainAtom returns the atom a with sorted fields. It removes everything that the overlay
// adds or changes. For example, the overlay makes a reference to a nullable definition
// nullable.
func plainAtom(a schema.Atom) schema.Atom {
	a = copyAtom(a)
	if a.List != nil {
		a.List.ElementDefault, a.List.ElementType.Nullable = nil, false
		a.List.ElementType.Inlined = plainAtom(a.List.ElementType.Inlined)
	}
	if a.Map != nil {
		m := a.Map
		m.ElementDefault, m.Required, m.Unions = nil, nil, nil
		m.ElementType.Inlined, m.ElementType.Nullable = plainAtom(m.ElementType.Inlined), false
		for i := range m.Fields {
			m.Fields[i].Type.Inlined, m.Fields[i].Type.Nullable = plainAtom(m.Fields[i].Type.Inlined), false
		}
		slices.SortFunc(m.Fields, func(a, b schema.StructField) int { return strings.Compare(a.Name, b.Name) })
	}
	return a
}

func yamlOf(t *testing.T, v any) string {
	t.Helper()
	data, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func readFile(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// moduleDir returns the directory of a module that this module depends on.
func moduleDir(t testing.TB, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

// fromUpstream converts an atom of structured-merge-diff. Scalars are shared, so that the
// compiler treats equal inlined scalars as the same type.
func fromUpstream(a upstream.Atom) schema.Atom {
	var out schema.Atom
	if a.Scalar != nil {
		out.Scalar = scalar(schema.Scalar(*a.Scalar))
	}
	if a.List != nil {
		out.List = &schema.List{
			ElementType:         refFromUpstream(a.List.ElementType),
			ElementRelationship: schema.ElementRelationship(a.List.ElementRelationship),
			Keys:                a.List.Keys,
		}
	}
	if a.Map != nil {
		out.Map = &schema.Map{
			ElementType:         refFromUpstream(a.Map.ElementType),
			ElementRelationship: schema.ElementRelationship(a.Map.ElementRelationship),
		}
		for i := range a.Map.Fields {
			f := &a.Map.Fields[i]
			out.Map.Fields = append(out.Map.Fields, schema.StructField{
				Name: f.Name, Type: refFromUpstream(f.Type), Default: f.Default,
			})
		}
	}
	return out
}

func refFromUpstream(r upstream.TypeRef) schema.TypeRef {
	out := schema.TypeRef{Inlined: fromUpstream(r.Inlined), Nullable: r.Nullable}
	if r.NamedType != nil {
		name := *r.NamedType
		out.NamedType = &name
	}
	if r.ElementRelationship != nil {
		rel := schema.ElementRelationship(*r.ElementRelationship)
		out.ElementRelationship = &rel
	}
	return out
}
