// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/internal/specs"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// swagger returns the OpenAPI v2 document of the default release. It contains no defaults.
func swagger(t *testing.T) []byte {
	t.Helper()
	return must(os.ReadFile(must(specs.V2(openapi.Release()))(t)))(t)
}

// addSwagger adds the OpenAPI v2 document to a catalog, and checks that no type breaks the
// rules for list keys.
func addSwagger(t *testing.T, c *openapi.Catalog) *openapi.Catalog {
	t.Helper()
	if err := c.AddOpenAPI("swagger.json", swagger(t)); err != nil {
		t.Fatal(err)
	}
	for _, w := range c.Warnings() {
		t.Error(w)
	}
	return c
}

// differing returns the names of the types that differ between two catalogs.
func differing(t *testing.T, got, want *openapi.Catalog) (names []string) {
	t.Helper()
	if got, want := got.Types(), want.Types(); !slices.Equal(got, want) {
		t.Fatalf("got %d types, want %d", len(got), len(want))
	}
	for _, name := range want.Types() {
		if schemaText(t, got, name) != schemaText(t, want, name) {
			names = append(names, name)
		}
	}
	return names
}

// Adding the defaults of OpenAPI v3 to the types of OpenAPI v2 must result in the types of
// v3. The defaults come from the v3 documents or from the embedded types.
func TestDefaultsMakeV3(t *testing.T) {
	v3 := openapi.Builtin(openapi.Options{})
	c := addSwagger(t, openapi.New(openapi.Options{}))
	if n := len(differing(t, c, v3)); n < 400 {
		t.Errorf("without the defaults, only %d types differ, want most of them", n)
	}
	for _, d := range must(documents(openapi.Release()))(t) {
		if err := c.AddDefaults(d.Name, d.Data); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range differing(t, c, v3) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, schemaText(t, c, name), schemaText(t, v3, name))
	}
	for _, w := range c.Warnings() {
		t.Error(w)
	}
	for _, name := range differing(t, addSwagger(t, openapi.Builtin(openapi.Options{})), v3) {
		t.Errorf("%s differs with the embedded defaults", name)
	}
}

// beyondDefaults lists the differences between the v2 document and the v3 documents
// that are not defaults. AddDefaults does not affect these differences.
var beyondDefaults = []struct{ at, difference, reason string }{{
	at:         "io.k8s.apimachinery.pkg.api.resource.Quantity",
	difference: `oneOf: only v3 has [{"type":"string"},{"type":"number"}]`,
	reason:     "v2 has no oneOf; the merge schema takes any scalar in either",
}, {
	at:         "io.k8s.apimachinery.pkg.api.resource.Quantity",
	difference: `type: only v2 has "string"`,
	reason:     "the same",
}, {
	at:         "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
	difference: "x-kubernetes-group-version-kind",
	reason:     "each v3 document lists the versions of its own group; v2 lists them all, and some that no group serves",
}, {
	at:         "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent",
	difference: "x-kubernetes-group-version-kind",
	reason:     "the same",
}, {
	at:         "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
	difference: `oneOf: only v3 has [{"type":"integer"},{"type":"string"}]`,
	reason:     "v2 has no oneOf, and spells it as a format; the catalog reads both",
}, {
	at:         "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
	difference: `type: only v2 has "string"`,
	reason:     "the same",
}}

// The test compares all differences between the documents with beyondDefaults. v3 writes a
// reference as an allOf with one branch. The test treats this as equal to a plain
// reference in v2.
func TestBeyondDefaults(t *testing.T) {
	var v2 struct{ Definitions map[string]any }
	if err := json.Unmarshal(swagger(t), &v2); err != nil {
		t.Fatal(err)
	}
	var got []string
	seen := map[string]bool{}
	defaults := 0
	for _, d := range must(documents(openapi.Release()))(t) {
		var v3 struct {
			Components struct{ Schemas map[string]any }
		}
		if err := json.Unmarshal(d.Data, &v3); err != nil {
			t.Fatal(err)
		}
		for name, s := range v3.Components.Schemas {
			if seen[name] {
				continue
			}
			seen[name] = true
			got = append(got, differences(v2.Definitions[name], s, name, &defaults)...)
		}
	}
	if len(seen) != len(v2.Definitions) {
		t.Errorf("v3 has %d definitions, v2 %d", len(seen), len(v2.Definitions))
	}
	if defaults != 957 {
		t.Errorf("v3 has %d more defaults than v2, want 957", defaults)
	}
	slices.Sort(got)
	var want []string
	for _, d := range beyondDefaults {
		want = append(want, d.at+" "+d.difference)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// differences lists the differences between two schemas. It does not list differences
// in defaults, but counts them.
func differences(v2, v3 any, at string, defaults *int) (all []string) {
	a, b := asReference(v2), asReference(v3)
	names := maps.Clone(a)
	maps.Copy(names, b)
	for name := range names {
		x, inV2 := a[name]
		y, inV3 := b[name]
		_, isMap := x.(map[string]any)
		switch {
		case name == "default" && !inV2:
			*defaults++
		case name == "properties" && inV2 && inV3:
			for p := range x.(map[string]any) {
				all = append(all, differences(x.(map[string]any)[p], y.(map[string]any)[p], at+"."+p, defaults)...)
			}
			if len(x.(map[string]any)) != len(y.(map[string]any)) {
				all = append(all, at+" properties")
			}
		case isMap && inV3:
			all = append(all, differences(x, y, at+"."+name, defaults)...)
		case !inV3:
			all = append(all, fmt.Sprintf("%s %s: only v2 has %s", at, name, must1(json.Marshal(x))))
		case !inV2:
			all = append(all, fmt.Sprintf("%s %s: only v3 has %s", at, name, must1(json.Marshal(y))))
		case !reflect.DeepEqual(x, y):
			all = append(all, at+" "+name)
		}
	}
	return all
}

// asReference returns a schema with its reference in the form of v2.
func asReference(v any) map[string]any {
	m, _ := v.(map[string]any)
	ref := m
	if branches, ok := m["allOf"].([]any); ok && len(branches) == 1 {
		ref, _ = branches[0].(map[string]any)
	}
	to, ok := ref["$ref"].(string)
	if !ok {
		return m
	}
	m = maps.Clone(m)
	delete(m, "allOf")
	m["$ref"] = strings.Replace(to, "#/components/schemas/", "#/definitions/", 1)
	return m
}

func must1(data []byte, err error) string {
	if err != nil {
		panic(err)
	}
	return string(data)
}

// Kinds must have the same type, scope and subresources in both documents. In addition,
// the v2 document has DeleteOptions and WatchEvent for a few more versions.
func TestKindsOfV2(t *testing.T) {
	v2, v3 := addSwagger(t, openapi.New(openapi.Options{})), openapi.Builtin(openapi.Options{})
	if len(v2.Kinds()) < len(v3.Kinds()) {
		t.Errorf("got %d kinds, want at least %d", len(v2.Kinds()), len(v3.Kinds()))
	}
	for _, k := range v2.Kinds() {
		w, ok := v3.Kind(k.APIVersion, k.Kind)
		if !ok && (k.Kind == "DeleteOptions" || k.Kind == "WatchEvent") {
			continue
		}
		k.Source = ""
		if g, w := text(t, k), text(t, w); !ok || g != w {
			t.Errorf("got\n%s\nwant\n%s", g, w)
		}
	}
}
