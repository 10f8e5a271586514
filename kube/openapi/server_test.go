// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/schema"
)

// testdata/server/schemas contains merge schemas that were recorded from a kube-apiserver
// 1.36. Each file is named after its root type.
func TestServerSchemas(t *testing.T) {
	c := recorded(t)
	if err := c.AddCRD("widgets.json", readFile(t, "testdata/server/widgets.json")); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/server/schemas/*.yaml.gz")
	if err != nil || len(files) < 9 {
		t.Fatalf("found %d schemas: %v", len(files), err)
	}
	for _, file := range files {
		root := strings.TrimSuffix(filepath.Base(file), ".yaml.gz")
		t.Run(root, func(t *testing.T) {
			var want schema.Schema
			if err := yaml.Unmarshal(readFile(t, file), &want); err != nil {
				t.Fatal(err)
			}
			got, ref, ok := c.LookupType(root)
			if !ok || *ref.NamedType != root {
				t.Fatalf("no type %s", root)
			}
			if len(got.Types) != len(want.Types) {
				t.Errorf("got %d types, want %d", len(got.Types), len(want.Types))
			}
			for _, w := range want.Types {
				g, ok := got.FindNamedType(w.Name)
				if !ok {
					t.Errorf("no type %s", w.Name)
					continue
				}
				g.Default = nil
				// The schema language of this server has no field "nullable".
				g.Atom, w.Atom = notNullable(plainAtom(g.Atom)), plainAtom(w.Atom)
				if g, w := unpruned(yamlOf(t, g)), yamlOf(t, w); g != w {
					t.Errorf("%s: got\n%s\nwant\n%s", root, g, w)
				}
			}
		})
	}
}

// recorded returns a catalog of the same release as the recorded server.
func recorded(t *testing.T) *Catalog {
	t.Helper()
	c, err := BuiltinRelease("1.36", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func notNullable(a schema.Atom) schema.Atom {
	if a.List != nil {
		a.List.ElementType.Nullable = false
		notNullable(a.List.ElementType.Inlined)
	}
	if a.Map != nil {
		a.Map.ElementType.Nullable = false
		notNullable(a.Map.ElementType.Inlined)
		for i := range a.Map.Fields {
			a.Map.Fields[i].Type.Nullable = false
			notNullable(a.Map.Fields[i].Type.Inlined)
		}
	}
	return a
}

// A CRD must lead to the same schema as the document that the server published for it.
func TestCRDPublished(t *testing.T) {
	crd, published := recorded(t), New(Options{})
	if err := crd.AddCRD("widgets.json", readFile(t, "testdata/server/widgets.json")); err != nil {
		t.Fatal(err)
	}
	const file = "testdata/server/openapi-v3-apis-example.com-v1.json.gz"
	if err := published.AddOpenAPI(file, readFile(t, file)); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"Widget", "WidgetList"} {
		a, _, ok := crd.Lookup("example.com/v1", kind)
		b, _, ok2 := published.Lookup("example.com/v1", kind)
		if !ok || !ok2 {
			t.Fatalf("%s: found in the CRD %v, in the document %v", kind, ok, ok2)
		}
		// Published documents contain no information about pruning.
		if a, b := unpruned(yamlOf(t, a)), yamlOf(t, b); a != b {
			t.Errorf("%s: from the CRD\n%s\nfrom the document\n%s", kind, a, b)
		}
	}
	a, _ := crd.Kind("example.com/v1", "Widget")
	b, _ := published.Kind("example.com/v1", "Widget")
	a.Source, b.Source = "", ""
	if a.Singular != "widget" { // a published document has no singular and no short names
		t.Errorf("singular name %q", a.Singular)
	}
	a.Singular, a.ShortNames = "", nil
	if a, b := yamlOf(t, a), yamlOf(t, b); a != b {
		t.Errorf("from the CRD\n%s\nfrom the document\n%s", a, b)
	}
}

// unpruned removes the information about pruning from a schema in YAML.
func unpruned(yaml string) string { return pruning.ReplaceAllString(yaml, "") }

var pruning = regexp.MustCompile(`(?m)^ *unknownFields: (prune|preserve|shallow)\n`)
