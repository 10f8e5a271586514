// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestResolveOfManyRenamed checks an owner in whose version all fields have other names. The
// search for causes must try each field of the config only once. One try for each field and
// each conflict would take minutes.
func TestResolveOfManyRenamed(t *testing.T) {
	const n = 100
	conversions := 0
	p, err := typed.NewParser(manyFields)
	if err != nil {
		t.Fatal(err)
	}
	fm := objects.NewManager(t, fieldmanager.Options{
		Types: func(string, string) (typed.ParseableType, error) { return p.Type("object"), nil },
		Converter: func(o map[string]any, version string) (map[string]any, error) {
			conversions++
			from, to := "data", "info"
			if version == "v1" {
				from, to = to, from
			}
			if fields, ok := o[from]; ok && o["apiVersion"] != version {
				o = maps.Clone(o)
				delete(o, from)
				o[to] = fields
			}
			return fieldmanager.NoneConverter(o, version)
		},
	})
	object := func(version, name, v string, own int) map[string]any {
		fields := map[string]any{}
		for i := range n {
			fields[fmt.Sprint("k", i)] = v
		}
		for i := range own {
			fields[fmt.Sprint("a", i)] = v // this field sorts first
		}
		return map[string]any{"apiVersion": version, "kind": "Many", "metadata": map[string]any{"name": "x"}, name: fields}
	}
	live, err := fm.Apply(nil, object("v2", "info", "a", 0), "other", false)
	if err != nil {
		t.Fatal(err)
	}
	conversions = 0
	got, err := resolve.New(fm, live.Object, object("v1", "data", "b", n), "you").Apply(resolve.Choices{Yield: []fieldpath.Path{{}}})
	if err != nil {
		t.Fatal(err)
	}
	if left := got.Config["data"].(map[string]any); len(got.Resolutions) != n || len(left) != n || left["a0"] != "b" {
		t.Errorf("%d conflicts are resolved, %d fields left", len(got.Resolutions), len(left))
	}
	if conversions > 20*n { // each attempt needs about six conversions
		t.Errorf("%d conversions for %d conflicts", conversions, n)
	}
}
