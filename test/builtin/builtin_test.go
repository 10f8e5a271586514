// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"flag"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
	"github.com/dovetail-ssa/dovetail/typed"
)

var (
	objects = flag.Int("objects", 10, "objects of each kind")
	total   = flag.Int("random", 12_000, "random objects of all kinds, as clients send them")
	quick   = flag.Bool("quick", false, "stop at the first difference")
	first   = flag.Int64("seed", 1, "seed of the first object")
)

// kind is a built-in type for which both Kubernetes' Go code and the catalog of schemas have a
// definition.
type kind struct {
	name  string
	new   func() runtime.Object
	typed typed.ParseableType
}

// kinds returns all kinds, sorted. The result missing has the kinds of the catalog without Go code.
func kinds(t *testing.T) (all []kind, missing []string) {
	catalog, err := openapi.BuiltinRelease(Minor, openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	types := legacyscheme.Scheme.AllKnownTypes()
	found := map[string]bool{}
	for gvk := range types {
		pt, ok := catalog.Type(gvk.GroupVersion().String(), gvk.Kind)
		if !ok {
			continue
		}
		name := gvk.GroupVersion().String() + " " + gvk.Kind
		found[name] = true
		all = append(all, kind{name, func() runtime.Object {
			object, err := legacyscheme.Scheme.New(gvk)
			if err != nil {
				t.Fatal(err)
			}
			object.GetObjectKind().SetGroupVersionKind(gvk)
			return object
		}, pt})
	}
	slices.SortFunc(all, func(a, b kind) int { return strings.Compare(a.name, b.name) })
	for _, k := range catalog.Kinds() {
		if name := k.APIVersion + " " + k.Kind; !found[name] {
			missing = append(missing, name)
		}
	}
	return all, missing
}

// TestDefaultsOfBuiltinTypes fills the defaults of the schema into random objects of each
// kind. If Kubernetes' functions have already defaulted the object, the schema may add only
// zero values. If not, the test fills in the defaults in a Go object and in the same object as
// plain data. Both objects must get the same values.
func TestDefaultsOfBuiltinTypes(t *testing.T) {
	all, missing := kinds(t)
	t.Logf("%d kinds; these kinds have no Go code: %s", len(all), strings.Join(missing, ", "))
	if len(all) < 200 {
		t.Errorf("%d kinds; too little was tested", len(all))
	}
	zeros, defaulted, total := 0, 0, len(all)**objects
	for i, k := range all {
		for n := range *objects {
			seed := *first + int64(n)*int64(len(all)) + int64(i)
			object := k.new()
			filler(rand.New(rand.NewSource(seed))).Fill(object)
			object.GetObjectKind().SetGroupVersionKind(k.new().GetObjectKind().GroupVersionKind())

			before := plain.Of(object)
			asData, asGo := k.defaultedBothWays(t, object)
			if len(changes{}.compare("", before, asData)) > 0 {
				defaulted++
			}
			for path, what := range (changes{}).compare("", asData, asGo) {
				t.Errorf("%s, seed %d: at %s, plain data and the Go object get different values: %s", k.name, seed, path, what)
			}

			legacyscheme.Scheme.Default(object)
			before = plain.Of(object)
			asData, asGo = k.defaultedBothWays(t, object)
			for path, what := range (changes{}).compare("", before, asData) {
				t.Errorf("%s, seed %d: %s: %s", k.name, seed, path, what)
			}
			for path, what := range (changes{}).compare("", before, asGo) {
				t.Errorf("%s, seed %d: in the Go object, at %s: %s", k.name, seed, path, what)
			}
			if !cmp.Equal(before, asData) {
				zeros++
			}
		}
	}
	t.Logf("%d objects: %d gained more than zero values without Kubernetes' functions, %d gained zero values after them", total, defaulted, zeros)
	if zeros < total/10 || defaulted < total/100 {
		t.Error("too little was tested")
	}
}

// defaultedBothWays fills in the defaults of an object in two ways: as plain data, and as a Go
// value. It does not modify the object.
func (k kind) defaultedBothWays(t *testing.T, object runtime.Object) (asData, asGo any) {
	t.Helper()
	asData, err := k.typed.Default(plain.Of(object))
	if err != nil {
		t.Fatalf("%s: %v", k.name, err)
	}
	copied := object.DeepCopyObject()
	if _, err := k.typed.Default(copied); err != nil {
		t.Fatalf("%s: defaulting the Go object: %v", k.name, err)
	}
	return asData, plain.Of(copied)
}

// changes describes the changes of an object, by path. The paths contain no indexes of items.
type changes map[string]string

// compare adds the changes between before and after, and returns c.
func (c changes) compare(path string, before, after any) changes {
	switch b := before.(type) {
	case map[string]any:
		a, ok := after.(map[string]any)
		if !ok {
			break
		}
		for name, v := range b {
			if v == nil {
				if kept, ok := a[name]; ok && kept != nil && !zero(kept) {
					c[path+"."+name] = fmt.Sprintf("null became %v", kept)
				}
				continue
			}
			if kept, ok := a[name]; ok {
				c.compare(path+"."+name, v, kept)
			} else if !zero(v) {
				c[path+"."+name] = fmt.Sprintf("%v is gone", v)
			}
		}
		for name, v := range a {
			if _, ok := b[name]; !ok && !zero(v) {
				c[path+"."+name] = fmt.Sprintf("became %v", v)
			}
		}
		return c
	case []any:
		a, ok := after.([]any)
		if !ok || len(a) != len(b) {
			break
		}
		for i := range b {
			c.compare(path+"[]", b[i], a[i])
		}
		return c
	case nil:
		if after == nil || zero(after) {
			return c
		}
	}
	if !reflect.DeepEqual(before, after) {
		c[path] = fmt.Sprintf("%v became %v", before, after)
	}
	return c
}

// zero reports whether v consists only of zero values.
func zero(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for _, c := range x {
			if !zero(c) {
				return false
			}
		}
		return true
	case []any:
		return len(x) == 0
	}
	return v == nil || v == "" || v == false || v == int64(0) || v == float64(0)
}
