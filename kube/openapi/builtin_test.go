// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
	"github.com/dovetail-ssa/dovetail/kube/internal/specs"
	"github.com/dovetail-ssa/dovetail/typed"
)

// For every built-in type, the schema must compile and the keys must be valid. The types
// must fill in the same defaults as slowDefaults, both in an empty object and in an object
// with all lists and maps. The result must be valid, and filling in defaults a second time
// must not change it.
func TestBuiltinTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the documents of a release")
	}
	slow := slowDefaults{}
	for _, file := range must(specs.V3(Release()))(t) {
		var doc struct {
			Components struct{ Schemas map[string]any }
		}
		if err := json.Unmarshal(readFile(t, file), &doc); err != nil {
			t.Fatal(err)
		}
		for name, s := range doc.Components.Schemas {
			slow[name] = s
		}
	}
	c := Builtin(Options{})
	if len(c.Types()) != len(slow) {
		t.Errorf("got %d types, want %d", len(c.Types()), len(slow))
	}
	objects, defaults := 0, 0
	for _, name := range c.Types() {
		s, ref, ok := c.LookupType(name)
		if !ok {
			t.Fatalf("no type %s", name)
		}
		if err := s.CheckKeys(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		pt := typed.ParseableType{Schema: s, TypeRef: ref}
		for _, object := range []func() any{
			func() any { return nil },
			func() any { return slow.skeleton(slow[name], 0) },
			func() any { return slow.skeleton(slow[name], 6) },
		} {
			want := slow.root(slow[name], object())
			got, err := pt.Default(object())
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if !reflect.DeepEqual(plainNumbers(t, got), plainNumbers(t, want)) {
				t.Errorf("%s: of %s got\n%s\nwant\n%s", name, jsonOf(t, object()), jsonOf(t, got), jsonOf(t, want))
			}
			if !reflect.DeepEqual(got, object()) {
				defaults++
			}
			again, err := pt.Default(got)
			if err != nil || jsonOf(t, again) != jsonOf(t, got) {
				t.Errorf("%s: filled in again: %v\n%s", name, err, jsonOf(t, again))
			}
			if got == nil {
				continue
			}
			objects++
			tv, err := pt.FromUnstructured(got, typed.AllowDuplicates)
			if lacksKeys(err) {
				continue // these keys have no defaults
			}
			if err != nil {
				t.Errorf("%s: %v in %s", name, err, jsonOf(t, got))
				continue
			}
			if again, err := tv.Default(); err != nil || again != tv {
				t.Errorf("%s: a second filling-in changed the value: %v", name, err)
			}
		}
	}
	if objects < 1400 || defaults < 600 {
		t.Errorf("%d objects, %d with defaults: too few", objects, defaults)
	}
	t.Logf("%d types, %d objects, %d with defaults", len(slow), objects, defaults)
}

// lacksKeys reports whether every error is about an item without a key.
func lacksKeys(err error) bool {
	var all typed.ValidationErrors
	return errors.As(err, &all) && !slices.ContainsFunc(all, func(e typed.ValidationError) bool {
		return diag.Of(e) == nil || diag.Of(e).Code != diag.NoIdentity
	})
}

// Lint must find no invalid or unused defaults in the built-in types. The list keys in its
// findings must be the same as those that unsatisfiedKeys returns. In the documents that
// the types come from, every list of objects must have a list type, except the items of
// List kinds.
func TestLintBuiltin(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the documents of a release")
	}
	count := func(c *Catalog) map[Rule]int {
		n := map[Rule]int{}
		for _, f := range c.Lint() {
			n[f.Rule]++
		}
		return n
	}
	want := map[Rule]int{KeyUnsatisfied: 4, ZeroKey: 108, BelowOptional: 8}
	if got := count(Builtin(Options{})); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var docs []Document
	for _, file := range must(specs.V3(Release()))(t) {
		docs = append(docs, Document{filepath.Base(file), readFile(t, file)})
	}
	c := New(Options{})
	if err := c.AddOpenAPIs(docs...); err != nil {
		t.Fatal(err)
	}
	if got := count(c); !reflect.DeepEqual(got, want) {
		t.Errorf("in the documents: got %v, want %v", got, want)
	}
}

// slowDefaults fills in defaults as KEP-1929 describes, by reading the definitions of
// documents directly.
type slowDefaults map[string]any

// resolve follows references to a schema. It also returns the first default that it finds
// on the way.
func (d slowDefaults) resolve(s any) (schema map[string]any, def any) {
	for {
		m, _ := s.(map[string]any)
		if def == nil {
			def = m["default"]
		}
		branches, _ := m["allOf"].([]any)
		if len(branches) != 1 {
			ref, ok := m["$ref"].(string)
			if !ok {
				return m, def
			}
			s = d[strings.TrimPrefix(ref, "#/components/schemas/")]
			continue
		}
		s = branches[0]
	}
}

func (d slowDefaults) root(s, v any) any {
	if _, def := d.resolve(s); v == nil && def != nil {
		v = deepCopy(def)
	}
	return d.fill(s, v)
}

func (d slowDefaults) fill(s, v any) any {
	m, _ := d.resolve(s)
	switch v := v.(type) {
	case map[string]any:
		properties, _ := m["properties"].(map[string]any)
		for name, p := range properties {
			child, def := v[name], any(nil)
			if _, def = d.resolve(p); child == nil && def != nil {
				child = deepCopy(def)
			}
			if child == nil {
				delete(v, name)
				continue
			}
			v[name] = d.fill(p, child)
		}
		for name, child := range v {
			if _, knownReleases := properties[name]; !knownReleases && m["additionalProperties"] != nil {
				v[name] = d.fill(m["additionalProperties"], child)
			}
		}
	case []any:
		for i := range v {
			v[i] = d.fill(m["items"], v[i])
		}
	}
	return v
}

// skeleton returns an object of a type with all its lists and maps, down to the given
// depth. The object contains no scalars. skeleton returns nil if the type is a scalar.
func (d slowDefaults) skeleton(s any, depth int) any {
	m, _ := d.resolve(s)
	switch {
	case m["type"] == "array":
		if depth == 0 {
			return []any{}
		}
		if item := d.skeleton(m["items"], depth-1); item != nil {
			return []any{item}
		}
		return []any{}
	case m["type"] == "object":
		object := map[string]any{}
		if depth == 0 {
			return object
		}
		properties, _ := m["properties"].(map[string]any)
		for name, p := range properties {
			if child := d.skeleton(p, depth-1); child != nil {
				object[name] = child
			}
		}
		if more, ok := m["additionalProperties"].(map[string]any); ok {
			if child := d.skeleton(more, depth-1); child != nil {
				object["key"] = child
			}
		}
		return object
	}
	return nil
}

func deepCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, c := range v {
			out[name] = deepCopy(c)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, c := range v {
			out[i] = deepCopy(c)
		}
		return out
	}
	return v
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	return string(must(json.Marshal(v))(t))
}

// plainNumbers encodes v as JSON and decodes it again, so that 0 and 0.0 become equal.
func plainNumbers(t *testing.T, v any) (out any) {
	t.Helper()
	if err := json.Unmarshal([]byte(jsonOf(t, v)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Each release has types of its own. An OpenAPI v2 document that is added gets the
// defaults of the same release.
func TestBuiltinRelease(t *testing.T) {
	for _, release := range Releases() {
		c, err := BuiltinRelease(release, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Release() != release {
			t.Errorf("got %s, want %s", c.Release(), release)
		}
		if minor, err := BuiltinRelease(releases.Minor(release), Options{}); err != nil || minor.Release() != release {
			t.Errorf("%s: %v", releases.Minor(release), err)
		}
		t.Logf("%s: %d types, %d kinds", release, len(c.Types()), len(c.Kinds()))
	}
	has := func(release, apiVersion, kind string) bool {
		c, err := BuiltinRelease(release, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, ok := c.Type(apiVersion, kind)
		return ok
	}
	if !has("1.33", "resource.k8s.io/v1alpha3", "ResourceSlice") || has("1.34", "resource.k8s.io/v1alpha3", "ResourceSlice") {
		t.Error("1.34 has removed v1alpha3 of ResourceSlice, but the catalog has it")
	}
	if defaultRelease := Release(); strings.Contains(defaultRelease, "-") {
		t.Errorf("%s is no release", defaultRelease)
	}
	if has("1.35", "scheduling.k8s.io/v1beta1", "PodGroup") || !has("1.37", "scheduling.k8s.io/v1beta1", "PodGroup") {
		t.Error("PodGroup came with 1.37")
	}
	for _, bad := range []string{"", "1", "1.20", "x.36"} {
		if _, err := BuiltinRelease(bad, Options{}); err == nil {
			t.Errorf("%q: the invalid release was accepted", bad)
		}
	}
}
