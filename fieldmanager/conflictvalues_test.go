// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestValuesOfConflicts checks that the values in a conflict are the stored value and the
// value that force would store. It has cases for every kind of field, for null and empty
// values, and for owners in another version.
func TestValuesOfConflicts(t *testing.T) {
	gated := objects.MixedManager(t, fieldmanager.Options{})
	typ, err := gated.Type("v1", "App")
	if err != nil {
		t.Fatal(err)
	}
	typ.Schema = &schema.Schema{Types: typ.Schema.Types} // without declarative defaults, null counts as a value
	plain := objects.NewManager(t, fieldmanager.Options{Converter: fieldmanager.NoneConverter,
		Types: func(string, string) (typed.ParseableType, error) { return typ, nil }})
	kinds := map[string]int{}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := []*fieldmanager.FieldManager{gated, plain}[seed%2]
		one := func(all ...string) string { return all[r.IntN(len(all))] }
		number := func() string { return one("0", "1", "2", "null") }
		object := func() map[string]any {
			spec := map[string]string{
				"a": number(), "q": one(`{"cpu":"1"}`, `{"cpu":"1000m","memory":"1"}`, `{}`, `null`),
				"sel":   one(`{"x":1}`, `{"x":2}`, `{}`, `null`),
				"m":     one(`{"a":`+number()+`}`, `{"a":1,"b":`+number()+`}`, `{}`, `null`),
				"items": one(`[{"k":1,"v":`+number()+`},{"k":2}]`, `[{"k":1}]`, `[{"k":2,"v":1},{"k":1,"v":`+number()+`}]`, `[]`, `null`),
			}
			text := ""
			for _, name := range []string{"a", "q", "sel", "m", "items"} {
				if r.IntN(3) > 0 {
					text += `,"` + name + `":` + spec[name]
				}
			}
			o := objects.MixedApp(t, one(`{"b":1`, `{"b":2`)+text+`}`)
			o["apiVersion"] = one("v1", "v2")
			return o
		}
		var live map[string]any
		for _, manager := range []string{"a", "b", "c"} {
			config := object()
			result, err := m.Apply(live, config, manager, true)
			if err != nil {
				t.Fatal(err)
			}
			var conflict *fieldmanager.ConflictError
			if live != nil {
				if _, err := m.Apply(live, config, manager, false); err != nil && !errors.As(err, &conflict) {
					t.Fatal(err)
				}
			}
			if conflict == nil {
				live = result.Object
				continue
			}
			for _, c := range conflict.Conflicts {
				in := func(object map[string]any) (any, bool) {
					object, typ, err := m.Convert(object, c.APIVersion)
					if err != nil {
						t.Fatal(err)
					}
					return place.Finders{}.Value(place.TypedOf(typ, object), c.Path)
				}
				was, had := in(live)
				is, has := in(result.Object)
				if c.HasLive != had || !reflect.DeepEqual(c.Live, was) || c.HasYours != has || !reflect.DeepEqual(c.Yours, is) {
					t.Fatalf("%d: %s by %s over %s: conflict over %v in %s: live %v %v, want %v %v; yours %v %v, want %v %v", seed, objects.AsJSON(config), manager,
						objects.AsJSON(live), c.Path, c.APIVersion, c.HasLive, c.Live, had, was, c.HasYours, c.Yours, has, is)
				}
				kinds[fmt.Sprintf("%T", is)]++
				if c.APIVersion != config["apiVersion"] {
					kinds["of another version"]++
				}
			}
			live = result.Object
		}
	}
	t.Log(kinds)
	for _, kind := range []string{"string", "int64", "map[string]interface {}", "[]interface {}", "<nil>", "of another version"} {
		if kinds[kind] < 100 {
			t.Errorf("%d conflicts over a value %s: the test covers too few cases", kinds[kind], kind)
		}
	}
}
