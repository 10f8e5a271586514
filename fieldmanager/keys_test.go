// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/resolve"
)

// TestOneRuleForKeys checks that all packages identify list items in the same way as the
// engine, which writes managed fields. They must use the same rule for keys that are absent,
// null or zero.
func TestOneRuleForKeys(t *testing.T) {
	odd, conflicts := 0, 0
	for seed := range uint64(400) {
		if t.Failed() {
			return
		}
		g := rand.New(rand.NewPCG(seed, 7))
		m, typ := objects.KeysManager(t, seed%4 > 1, seed%2 > 0)
		var items []any
		for range 1 + g.IntN(25) {
			item := map[string]any{"name": "n"}
			for name, values := range map[string][]any{
				"port": {int64(1), int64(2), int64(0), nil}, "protocol": {"TCP", "UDP", "", nil}, "secure": {true, false, nil},
			} {
				if i := g.IntN(len(values) + 1); i < len(values) {
					item[name] = values[i]
				}
			}
			one := map[string]any{"apiVersion": "v1", "kind": "object", "items": append(items[:len(items):len(items)], item)}
			if _, err := typ.FromUnstructured(one); err == nil {
				items = append(items, item)
			}
		}
		object := func(name string) map[string]any {
			list := make([]any, len(items))
			for i := range items {
				item := objects.Deep(items[i]).(map[string]any)
				item["name"] = name
				list[i] = item
			}
			return map[string]any{"apiVersion": "v1", "kind": "object", "metadata": map[string]any{"name": "x"}, "items": list}
		}
		stored, err := m.Update(nil, object("a"), "updater")
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}

		b, err := ownership.Blame(m, stored.Object)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		tv, err := typ.FromUnstructured(objects.WithoutManagedFields(stored.Object))
		if err != nil {
			t.Fatal(err)
		}
		set, err := tv.ToFieldSet()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range b.Lost {
			t.Errorf("%d: blame loses %v of %s", seed, l.Path, objects.AsJSON(items))
		}
		for path, p := range b.All() {
			if len(path) == 2 && !set.Has(path) {
				t.Errorf("%d: blame names an item %v, the engine does not; of %s", seed, path, objects.AsJSON(items))
			}
			if len(path) == 3 && p.State != ownership.Owned {
				t.Errorf("%d: blame has %v as %s; of %s", seed, path, p.State, objects.AsJSON(items))
			}
			if len(path) != 2 || path[1].Key == nil {
				continue
			}
			// The result must have the defaults of absent keys and of null keys.
			item, asWritten := p.Value.(map[string]any), []any{}
			for _, name := range []string{"port", "protocol", "secure"} {
				if v, ok := item[name]; ok {
					asWritten = append(asWritten, name, v)
				}
			}
			if len(asWritten) == 0 {
				continue
			}
			written := fieldpath.MakePathOrDie("items", fieldpath.KeyByFields(asWritten...))
			if !written.Equals(path) {
				odd++
			}
			if got, err := typ.ParsePath(written.String()); err != nil || !got.Equals(path) {
				t.Errorf("%d: ParsePath reads %v as %v, %v; want %v", seed, written, got, err, path)
			}
		}

		var conflict *fieldmanager.ConflictError
		if _, err := m.Apply(stored.Object, object("b"), "applier", false); !errors.As(err, &conflict) {
			t.Fatalf("%d: %v", seed, err)
		}
		conflicts += len(conflict.Conflicts)
		for _, c := range conflict.Conflicts {
			if !c.HasYours || c.Yours != "b" || !c.HasLive || c.Live != "a" {
				t.Errorf("%d: conflict %v has yours %v and live %v", seed, c.Path, c.Yours, c.Live)
			}
		}
		if len(conflict.Conflicts) != len(items) {
			t.Errorf("%d: %d conflicts over %s", seed, len(conflict.Conflicts), objects.AsJSON(items))
		}
		all := resolve.Choices{Share: []fieldpath.Path{{}}}
		if r, err := resolve.New(m, stored.Object, object("b"), "applier").Apply(all); err != nil || objects.AsJSON(r.Config["items"]) != objects.AsJSON(object("a")["items"]) {
			t.Errorf("%d: matching all: %v", seed, err)
		}
	}
	if odd < 500 || conflicts < 1000 {
		t.Errorf("%d identities that differ from the written keys, %d conflicts: the test covers too few cases", odd, conflicts)
	}
}
