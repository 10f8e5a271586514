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
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestResolveWithDuplicates checks a config that has an item twice. Conflicts in this
// item must be resolved in the copy that is kept.
func TestResolveWithDuplicates(t *testing.T) {
	for keep, forced := range map[typed.Duplicates]int{typed.KeepFirst: 2, typed.KeepLast: 3} {
		m := objects.MixedManager(t, fieldmanager.Options{Duplicates: keep})
		live := objects.Succeeds(t)(m.Apply(nil, objects.MixedApp(t, `{"items":[{"k":1,"v":1}]}`), "a", false)).Object
		config := objects.MixedApp(t, `{"a":1,"items":[{"k":1,"v":2},{"k":1,"v":3}]}`)
		for choice, want := range map[resolve.Choice]string{
			resolve.Force: fmt.Sprintf(`{"a":1,"items":[{"k":1,"v":%d}]}`, forced),
			resolve.Yield: `{"a":1,"items":[{"k":1}]}`,
			resolve.Share: `{"a":1,"items":[{"k":1,"v":1}]}`,
		} {
			r, err := resolve.New(m, live, config, "b").Apply(all(choice))
			if err != nil {
				t.Errorf("%s, %v: %v", keep, choice, err)
				continue
			}
			if choice != resolve.Force && objects.AsJSON(r.Config["spec"]) != want {
				t.Errorf("%s, %v: the config is %s, want %s", keep, choice, objects.AsJSON(r.Config["spec"]), want)
			}
			if choice == resolve.Force && objects.AsJSON(r.Result.Object["spec"]) != want {
				t.Errorf("%s, %v: got %s, want %s", keep, choice, objects.AsJSON(r.Result.Object["spec"]), want)
			}
			if n := len(r.Result.Warnings); n != 1 {
				t.Errorf("%s, %v: want one warning, about the item that is removed, got %v", keep, choice, r.Result.Warnings)
			}
		}
	}
}

// TestResolveStripsManagedFields checks that the returned config has no managed fields, because a
// server would reject it. The given config keeps them.
func TestResolveStripsManagedFields(t *testing.T) {
	m := objects.MixedManager(t, fieldmanager.Options{StripManagedFields: true})
	live := objects.Succeeds(t)(m.Apply(nil, objects.MixedApp(t, `{"a":1}`), "a", false)).Object
	config := objects.MixedApp(t, `{"a":2,"items":[{"k":1}]}`)
	config["metadata"].(map[string]any)["managedFields"] = live["metadata"].(map[string]any)["managedFields"]
	for _, choice := range []resolve.Choice{resolve.Force, resolve.Yield, resolve.Share} {
		r, err := resolve.New(m, live, config, "b").Apply(all(choice))
		if err != nil {
			t.Fatalf("%v: %v", choice, err)
		}
		if _, there := r.Config["metadata"].(map[string]any)["managedFields"]; there {
			t.Errorf("%v: the config has managed fields", choice)
		}
		if n := len(r.Result.Warnings); n != 1 {
			t.Errorf("%v: want one warning, about the managed fields, got %v", choice, r.Result.Warnings)
		}
	}
	if _, there := config["metadata"].(map[string]any)["managedFields"]; !there {
		t.Error("Apply changed the given config")
	}
}

// TestResolveWithUnknown checks the choice Share for an atomic map. The config must get the
// live value without its undeclared fields.
func TestResolveWithUnknown(t *testing.T) {
	m := objects.MixedManager(t, fieldmanager.Options{CarryUnknown: true})
	live := objects.MixedApp(t, `{"sel":{"x":1,"new":5},"items":[{"k":1,"v":1,"new":{"z":1}}]}`)
	live["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{
		"manager": "a", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
		"fieldsV1": objects.Object(t, `{"f:spec":{"f:sel":{},"f:items":{"k:{\"k\":1}":{".":{},"f:k":{},"f:v":{},"f:new":{"f:z":{}}}}}}`),
	}}
	before := objects.AsJSON(live)
	r, err := resolve.New(m, live, objects.MixedApp(t, `{"sel":{"x":2},"items":[{"k":1,"v":2}]}`), "b").Apply(all(resolve.Share))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := objects.AsJSON(r.Config["spec"]), `{"items":[{"k":1,"v":1}],"sel":{"x":1}}`; got != want {
		t.Errorf("the config is %s, want %s", got, want)
	}
	if got, want := objects.AsJSON(r.Result.Object["spec"]), objects.AsJSON(live["spec"]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, o := range []string{"a", "b"} {
		owned := objects.OwnedBy(r.Result, managedfields.Owner{Manager: o, Operation: managedfields.OperationApply})
		if !owned.Has(fieldpath.MakePathOrDie("spec", "sel")) {
			t.Errorf("%s does not own .spec.sel: %v", o, owned)
		}
	}
	if objects.AsJSON(live) != before {
		t.Errorf("the live object is %s, was %s", objects.AsJSON(live), before)
	}
}

// TestResolveInMapsOfAnyKeys checks maps with keys of type any, which YAML decoders return.
// Apply must remove or change only the conflicting field.
func TestResolveInMapsOfAnyKeys(t *testing.T) {
	m := objects.MixedManager(t, fieldmanager.Options{})
	live := objects.Succeeds(t)(m.Apply(nil, objects.MixedApp(t, `{"a":1,"m":{"x":1},"items":[{"k":1,"v":1}]}`), "a", false)).Object
	mixed := maps.Clone(live)
	mixed["spec"] = map[any]any{"a": 1, "m": map[any]any{"x": 1}, "items": []any{map[any]any{"k": 1, "v": 1}}}
	config := objects.MixedApp(t, `{}`)
	config["spec"] = map[any]any{"a": 2, "b": 3, "m": map[any]any{"x": 2, "y": 3}, "items": []any{map[any]any{"k": 1, "v": 2}}}
	for choice, want := range map[resolve.Choice]string{
		resolve.Yield: `{"b":3,"items":[{"k":1}],"m":{"y":3}}`,
		resolve.Share: `{"a":1,"b":3,"items":[{"k":1,"v":1}],"m":{"x":1,"y":3}}`,
	} {
		for _, live := range []map[string]any{live, mixed} {
			r, err := resolve.New(m, live, config, "b").Apply(all(choice))
			if err != nil {
				t.Fatal(err)
			}
			if got := objects.AsJSON(r.Config["spec"]); got != want {
				t.Errorf("%v: the config is %s, want %s", choice, got, want)
			}
			if got, want := objects.AsJSON(r.Result.Object["spec"]), `{"a":1,"b":3,"items":[{"k":1,"v":1}],"m":{"x":1,"y":3}}`; got != want {
				t.Errorf("%v: got %s, want %s", choice, got, want)
			}
		}
	}
}
