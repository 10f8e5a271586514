// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestUnionsLikeReference sends random requests for objects of unionSchema to two field
// managers, one with and one without Options.Unions. Without the option, the test itself
// clears the members that the request no longer selects. The results must be equal. With the
// option, an apply must have all conflicts that it has without the option, and conflicts
// with the owners of cleared members.
func TestUnionsLikeReference(t *testing.T) {
	on := objects.UnionManager(t, fieldmanager.Options{})
	off := objects.NewManager(t, fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return objects.UnionParser.Type("App"), nil }})
	cleared, conflicts, kept := 0, 0, 0
	for seed := range int64(1500) {
		r := rand.New(rand.NewSource(seed))
		var live map[string]any
		for step := range 6 {
			manager := []string{"a", "b", "c"}[r.Intn(3)]
			spec := randomSpec(r, 2)
			object := map[string]any{"apiVersion": "v1", "kind": "App", "metadata": map[string]any{"name": "x"}, "spec": spec}
			update := r.Intn(3) == 0
			force := r.Intn(2) == 0
			request := func(m *fieldmanager.FieldManager, force bool) (*fieldmanager.Result, error) {
				if !update {
					return m.Apply(live, object, manager, force)
				}
				sent := copied(live)
				if sent == nil {
					sent = copied(object)
				}
				was, _ := sent["spec"].(map[string]any)
				sent["spec"] = overlaid(was, copied(spec))
				return m.Update(live, sent, manager)
			}
			plain, err := request(off, true)
			if err != nil {
				t.Fatalf("%d.%d: %v", seed, step, err)
			}
			before, _ := live["spec"].(map[string]any)
			after, _ := copied(plain.Object)["spec"].(map[string]any)
			config := spec
			if update {
				config = nil
			}
			ref := &byHand{update: update}
			if before != nil {
				ref.spec(before, after, config)
			}
			var wantOwners []string
			held := false
			for _, e := range plain.Managed.Entries() {
				rest := fieldpath.NewSet()
				mine := e.Manager == manager && (e.Operation == managedfields.OperationApply) == !update
				e.Set.Iterate(func(p fieldpath.Path) {
					if ref.has(p) && (update || !mine) {
						held = true
					} else {
						rest.Insert(p.Copy())
					}
				})
				if !rest.Empty() {
					e.Set = rest
					wantOwners = append(wantOwners, ownersOfEntry(t, e))
				}
			}

			if !update && !force {
				_, offErr := request(off, false)
				_, onErr := request(on, false)
				var conflict *fieldmanager.ConflictError
				want := offErr != nil || held
				if errors.As(onErr, &conflict) != want || onErr != nil && !want {
					t.Fatalf("%d.%d: got %v, without unions %v, others own cleared members: %v", seed, step, onErr, offErr, held)
				}
				if want {
					conflicts++
				}
			}
			got, err := request(on, true)
			if err != nil {
				t.Fatalf("%d.%d: %v", seed, step, err)
			}
			gotSpec, _ := got.Object["spec"].(map[string]any)
			if !reflect.DeepEqual(gotSpec, after) {
				t.Fatalf("%d.%d: update %v\nlive %s\nsent %s\ngot  %s\nwant %s\ncleared %q", seed, step, update, objects.AsJSON(before), objects.AsJSON(spec), objects.AsJSON(gotSpec), objects.AsJSON(after), ref.gone)
			}
			var gotOwners []string
			for _, e := range got.Managed.Entries() {
				gotOwners = append(gotOwners, ownersOfEntry(t, e))
			}
			slices.Sort(gotOwners)
			slices.Sort(wantOwners)
			if !slices.Equal(gotOwners, wantOwners) {
				t.Fatalf("%d.%d: update %v\nlive %s\nsent %s\ngot  %q\nwant %q\ncleared %q", seed, step, update, objects.AsJSON(before), objects.AsJSON(spec), gotOwners, wantOwners, ref.gone)
			}
			warned := 0
			for _, w := range got.Warnings {
				if strings.Contains(w.Message, "this field is cleared") {
					warned++
					if !slices.Contains(ref.gone, w.Path) {
						t.Fatalf("%d.%d: warning about %s, which is not cleared: %q", seed, step, w.Path, ref.gone)
					}
				} else {
					kept++
				}
			}
			if warned != len(ref.gone) {
				t.Fatalf("%d.%d: %d warnings, %q cleared", seed, step, warned, ref.gone)
			}
			cleared += len(ref.gone)
			live = got.Object
		}
	}
	t.Logf("%d cleared, %d conflicts, %d kept because they were sent", cleared, conflicts, kept)
	if cleared < 1000 || conflicts < 1000 || kept < 1000 {
		t.Errorf("%d cleared, %d conflicts, %d kept because they were sent: too few cases", cleared, conflicts, kept)
	}
}

func ownersOfEntry(t *testing.T, e managedfields.Entry) string {
	text, err := e.Set.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %s %s", e.Manager, e.Operation, text)
}

func copied(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	return copyOf(m).(map[string]any)
}

func copyOf(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, c := range x {
			out[name] = copyOf(c)
		}
		return out
	case []any:
		out := []any{}
		for _, c := range x {
			out = append(out, copyOf(c))
		}
		return out
	}
	return v
}

// overlaid returns a copy of base with the fields of top added or replaced. It replaces each
// list as a whole, as a careless edit of an object does.
func overlaid(base, top map[string]any) map[string]any {
	out := copied(base)
	if out == nil {
		out = map[string]any{}
	}
	for name, v := range top {
		below, ok := v.(map[string]any)
		if had, isMap := out[name].(map[string]any); ok && isMap {
			v = overlaid(had, below)
		}
		out[name] = v
	}
	return out
}

func randomSpec(r *rand.Rand, depth int) map[string]any {
	out := map[string]any{}
	if r.Intn(2) == 0 {
		out["replicas"] = int64(r.Intn(2))
	}
	if r.Intn(3) > 0 {
		out["strategy"] = randomStrategy(r, depth)
	}
	if r.Intn(3) == 0 {
		source := map[string]any{}
		for _, name := range []string{"git", "image"} {
			if r.Intn(2) == 0 {
				source[name] = "v"
			}
		}
		if r.Intn(3) == 0 {
			source["inline"] = map[string]any{"k": "v"}
		}
		out["source"] = source
	}
	if r.Intn(3) == 0 {
		parts := []any{}
		for _, name := range r.Perm(3) {
			if r.Intn(2) == 0 {
				part := randomStrategy(r, depth-1)
				part["name"] = []string{"a", "b", "c"}[name]
				if r.Intn(2) == 0 {
					part["kind"] = "k"
				}
				parts = append(parts, part)
			}
		}
		out["parts"] = parts
	}
	if r.Intn(3) == 0 {
		out["byName"] = map[string]any{"a": randomStrategy(r, depth-1)}
	}
	if r.Intn(4) == 0 {
		out["fixed"] = randomStrategy(r, depth-1)
	}
	return out
}

func randomStrategy(r *rand.Rand, depth int) map[string]any {
	out := map[string]any{}
	if c := r.Intn(4); c < 3 {
		out["type"] = []string{"RollingUpdate", "Recreate", "Canary"}[c]
	}
	if r.Intn(3) == 0 {
		out["rollingUpdate"] = map[string]any{"maxSurge": int64(r.Intn(2))}
	}
	if r.Intn(4) == 0 {
		out["canary"] = int64(r.Intn(2))
	}
	if depth > 0 && r.Intn(3) == 0 {
		out["below"] = randomStrategy(r, depth-1)
	}
	return out
}

// byHand clears the union members that are not selected, for each union of unionSchema.
type byHand struct {
	update bool
	gone   []string
}

func (h *byHand) has(p fieldpath.Path) bool {
	return slices.ContainsFunc(h.gone, func(g string) bool {
		s := p.String()
		return s == g || strings.HasPrefix(s, g+".") || strings.HasPrefix(s, g+"[")
	})
}

func child(m map[string]any, name string) map[string]any {
	c, _ := m[name].(map[string]any)
	return c
}

func (h *byHand) spec(before, after, config map[string]any) {
	h.strategy(".spec.strategy", child(before, "strategy"), child(after, "strategy"), child(config, "strategy"))
	h.source(child(before, "source"), child(after, "source"), child(config, "source"))
	h.strategy(".spec.byName.a", child(child(before, "byName"), "a"), child(child(after, "byName"), "a"), child(child(config, "byName"), "a"))
	parts, _ := after["parts"].([]any)
	for _, p := range parts {
		part := p.(map[string]any)
		named := func(in map[string]any) map[string]any {
			all, _ := in["parts"].([]any)
			for _, other := range all {
				if o := other.(map[string]any); o["name"] == part["name"] {
					return o
				}
			}
			return nil
		}
		h.strategy(fmt.Sprintf(`.spec.parts[kind="k",name=%q]`, part["name"]), named(before), part, named(config))
	}
}

func (h *byHand) remove(path, name string, before, after, config map[string]any) {
	if after[name] == nil || config[name] != nil || h.update && !reflect.DeepEqual(before[name], after[name]) {
		return
	}
	delete(after, name)
	h.gone = append(h.gone, path+"."+name)
}

func (h *byHand) strategy(path string, before, after, config map[string]any) {
	if before == nil || after == nil {
		return
	}
	typ := func(m map[string]any) any {
		if m["type"] == nil {
			return "RollingUpdate"
		}
		return m["type"]
	}
	if now := typ(after); typ(before) != now {
		if now != "RollingUpdate" {
			h.remove(path, "rollingUpdate", before, after, config)
		}
		if now != "Canary" {
			h.remove(path, "canary", before, after, config)
		}
	}
	h.strategy(path+".below", child(before, "below"), child(after, "below"), child(config, "below"))
}

func (h *byHand) source(before, after, config map[string]any) {
	if before == nil || after == nil {
		return
	}
	var added []string
	names := []string{"git", "image", "inline"}
	for _, name := range names {
		if after[name] != nil && before[name] == nil {
			added = append(added, name)
		}
	}
	if len(added) != 1 {
		return
	}
	for _, name := range names {
		if name != added[0] {
			h.remove(".spec.source", name, before, after, config)
		}
	}
}
