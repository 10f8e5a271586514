// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

var resolveWorlds = flag.Int("resolve", 300, "how many random schemas TestResolveRandom makes")

var recordedSeed = flag.Int64("resolve-recorded", 9, "seed of TestResolveRecorded")

// resolveGen generates random schemas, and objects and configs of their types.
type resolveGen struct {
	*rand.Rand
	s *schema.Schema
}

func (g *resolveGen) chance(percent int) bool { return g.IntN(100) < percent }

func scalarAtom(s schema.Scalar) schema.Atom { return schema.Atom{Scalar: &s} }

func (g *resolveGen) ref(depth int) schema.TypeRef {
	tr := schema.TypeRef{Inlined: g.atom(depth), Nullable: g.chance(10)}
	return tr
}

func (g *resolveGen) atom(depth int) schema.Atom {
	if depth <= 0 {
		return scalarAtom([]schema.Scalar{schema.String, schema.Numeric, schema.Untyped}[g.IntN(3)])
	}
	relation := schema.Separable
	if g.chance(20) {
		relation = schema.Atomic
	}
	switch g.IntN(10) {
	case 0, 1, 2:
		return schema.Atom{Map: g.structure(depth, relation)}
	case 3:
		return schema.Atom{Map: &schema.Map{ElementType: g.ref(depth - 1), ElementRelationship: relation}}
	case 4:
		return schema.Atom{List: &schema.List{ElementRelationship: schema.Atomic, ElementType: g.ref(depth - 1)}}
	case 5:
		return schema.Atom{List: &schema.List{ElementRelationship: schema.Associative, ElementType: schema.TypeRef{Inlined: scalarAtom(schema.String)}}}
	case 6, 7, 8:
		item := g.structure(depth, schema.Separable)
		key := schema.StructField{Name: "k", Type: schema.TypeRef{Inlined: scalarAtom(schema.Numeric)}}
		second := schema.StructField{Name: "p", Type: schema.TypeRef{Inlined: scalarAtom(schema.String)}, Default: "a"}
		item.Fields = append(item.Fields, key, second)
		keys := [][]string{{"k"}, {"k", "p"}, {"p"}}[g.IntN(3)]
		return schema.Atom{List: &schema.List{ElementRelationship: schema.Associative, Keys: keys,
			ElementType: schema.TypeRef{Inlined: schema.Atom{Map: item}}}}
	}
	return g.atom(0)
}

func (g *resolveGen) structure(depth int, relation schema.ElementRelationship) *schema.Map {
	m := &schema.Map{ElementRelationship: relation}
	for _, name := range []string{"a", "b", "c", "d"}[:2+g.IntN(3)] {
		f := schema.StructField{Name: name, Type: g.ref(depth - 1)}
		if s := f.Type.Inlined.Scalar; g.chance(20) && s != nil {
			f.Default = "a"
			if *s == schema.Numeric {
				f.Default = int64(1)
			}
		}
		m.Fields = append(m.Fields, f)
	}
	return m
}

// schemaOfObjects generates a random type of a whole object.
func (g *resolveGen) schemaOfObjects() typed.ParseableType {
	anything := schema.TypeRef{NamedType: ptr("anything")}
	untyped := schema.Untyped
	g.s = &schema.Schema{DeclarativeDefaults: g.chance(70), Types: []schema.TypeDef{
		{Name: "anything", Atom: schema.Atom{Scalar: &untyped, Map: &schema.Map{ElementType: anything},
			List: &schema.List{ElementType: anything, ElementRelationship: schema.Atomic}}},
		{Name: "object", Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
			{Name: "apiVersion", Type: anything}, {Name: "kind", Type: anything}, {Name: "metadata", Type: anything},
			{Name: "spec", Type: schema.TypeRef{Inlined: schema.Atom{Map: g.structure(4, schema.Separable)}}},
		}}}},
	}}
	return typed.ParseableType{Schema: g.s, TypeRef: schema.TypeRef{NamedType: ptr("object")}}
}

func ptr[T any](v T) *T { return &v }

func (g *resolveGen) value(tr schema.TypeRef) any {
	atom, _ := g.s.Resolve(tr)
	switch {
	case g.chance(4):
		return nil
	case atom.Map != nil:
		return g.mapping(atom.Map)
	case atom.List != nil:
		list := []any{}
		seen := map[string]bool{}
		for range g.IntN(4) {
			item := g.value(atom.List.ElementType)
			if atom.List.ElementRelationship == schema.Associative {
				id := objects.AsJSON(item)
				if len(atom.List.Keys) > 0 {
					m, _ := item.(map[string]any)
					if m == nil {
						continue
					}
					if m["k"] == nil && slices.Contains(atom.List.Keys, "k") {
						m["k"] = int64(g.IntN(2))
					}
					if _, ok := m["p"]; ok && m["p"] == nil {
						delete(m, "p")
					}
					id = ""
					for _, k := range atom.List.Keys {
						v := m[k]
						if v == nil {
							v = "a"
						}
						id += objects.AsJSON(v)
					}
				}
				if item == nil || seen[id] {
					continue
				}
				seen[id] = true
			}
			list = append(list, item)
		}
		return list
	case atom.Scalar != nil && *atom.Scalar == schema.Numeric:
		return int64(g.IntN(3))
	}
	return []string{"a", "b", "c"}[g.IntN(3)]
}

func (g *resolveGen) mapping(m *schema.Map) map[string]any {
	out := map[string]any{}
	for _, f := range m.Fields {
		if g.chance(65) {
			out[f.Name] = g.value(f.Type)
		}
	}
	if m.Fields == nil {
		for _, name := range []string{"x", "y.z/a"} {
			if g.chance(60) {
				out[name] = g.value(m.ElementType)
			}
		}
	}
	return out
}

func (g *resolveGen) object(t typed.ParseableType) map[string]any {
	atom, _ := g.s.Resolve(t.TypeRef)
	spec := atom.Map.Fields[3].Type.Inlined.Map
	return map[string]any{"apiVersion": "v1", "kind": "Thing", "metadata": map[string]any{"name": "x"}, "spec": g.mapping(spec)}
}

// counts has the number of cases of each kind that a random test has covered.
type counts struct{ worlds, conflicts, several, items, versions, shared, lost, odd, partial, versionLoss int }

// TestResolveRandom checks that each choice has the effect that its comment describes. It
// uses random schemas, owners and configs.
func TestResolveRandom(t *testing.T) {
	var n counts
	worlds := *resolveWorlds
	if testing.Short() {
		worlds /= 6
	}
	for seed := range worlds {
		g := &resolveGen{Rand: rand.New(rand.NewPCG(uint64(seed), 7))}
		typ := g.schemaOfObjects()
		fm := objects.NewManager(t, fieldmanager.Options{
			Types:            func(string, string) (typed.ParseableType, error) { return typ, nil },
			Converter:        fieldmanager.NoneConverter,
			CheckTransitions: true,
		})
		for range 6 {
			live, name := g.history(fm, typ), fmt.Sprintf("seed %d", seed)
			checkOutcomes(t, g.Rand, fm, typ, name, live, g.object(typ), &n)
		}
	}
	t.Logf("%+v", n)
	if n.conflicts < worlds || n.several < worlds/4 || n.items < worlds/10 || n.shared < worlds/2 || n.partial < worlds/10 || n.versions < worlds/2 {
		t.Errorf("%+v: the test covers too few cases", n)
	}
	if n.versionLoss > n.conflicts/200 {
		t.Errorf("%d of %d outcomes were lost between versions", n.versionLoss, n.conflicts)
	}
	if n.odd > n.conflicts/10 {
		t.Errorf("%d of %d configs were not compared field by field", n.odd, n.conflicts)
	}
}

// history returns an object after several managers have written it.
func (g *resolveGen) history(fm *fieldmanager.FieldManager, typ typed.ParseableType) map[string]any {
	var live map[string]any
	for _, who := range []string{"a", "b", "c", "you", "d"} {
		if g.chance(40) {
			continue
		}
		var r *fieldmanager.Result
		var err error
		o := g.object(typ)
		if g.chance(25) {
			o["apiVersion"] = "v2"
		}
		if g.chance(65) {
			r, err = fm.Apply(live, o, who, true)
		} else {
			if live != nil {
				o["metadata"] = live["metadata"]
			}
			r, err = fm.Update(live, o, who)
		}
		if err == nil {
			live = r.Object
		}
	}
	return live
}

// TestResolveRecorded checks the effects of the choices, like TestResolveRandom. It uses
// objects that Kubernetes API servers stored, and the objects of the merge scenarios. The
// config has the fields of one owner with changed values, and another manager applies it.
func TestResolveRecorded(t *testing.T) {
	var n counts
	for i, o := range objects.OwnedObjects(t) {
		g := rand.New(rand.NewPCG(uint64(i), uint64(*recordedSeed)))
		managed, err := managedfields.Decode(o.Live)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range managed.Entries() {
			if e.Subresource != "" {
				continue
			}
			config, err := ownership.ExtractOwner(o.Fm, o.Live, e.Owner)
			if err != nil || config == nil {
				continue
			}
			for range 4 {
				changed := objects.Deep(config).(map[string]any)
				changed = objects.Whole(changed).(map[string]any)
				for _, k := range slices.Sorted(maps.Keys(changed)) {
					if k != "apiVersion" && k != "kind" && k != "metadata" {
						changed[k] = mutated(g, changed[k])
					}
				}
				checkOutcomes(t, g, o.Fm, o.Typ, o.Name+" "+e.Manager, o.Live, changed, &n)
			}
		}
	}
	t.Logf("%+v", n)
	if n.conflicts < 500 || n.several < 100 || n.shared < 300 {
		t.Errorf("%+v: the test covers too few cases", n)
	}
}

func mutated(g *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = mutated(g, v[k])
		}
	case []any:
		for i := range v {
			v[i] = mutated(g, v[i])
		}
	case string:
		if g.IntN(4) == 0 {
			return v + "x"
		}
	case int64:
		if g.IntN(4) == 0 {
			return v + 1
		}
	case bool:
		return v != (g.IntN(4) == 0)
	}
	return v
}

// outcomeCheck checks the outcomes of one apply that has conflicts.
type outcomeCheck struct {
	*testing.T
	fm           *fieldmanager.FieldManager
	typ          typed.ParseableType
	name         string
	live, config map[string]any
	e            *fieldmanager.ConflictError
	request      *resolve.Request
	n            *counts
}

const you = "you"

func checkOutcomes(t *testing.T, g *rand.Rand, fm *fieldmanager.FieldManager, typ typed.ParseableType, name string, live, config map[string]any, n *counts) {
	t.Helper()
	n.worlds++
	before := objects.AsJSON([]any{live, config})
	_, err := fm.Apply(live, config, you, false)
	var e *fieldmanager.ConflictError
	if !errors.As(err, &e) {
		return
	}
	c := &outcomeCheck{t, fm, typ, name, live, config, e, resolve.New(fm, live, config, you), n}
	n.conflicts += len(e.Conflicts)
	if len(e.Conflicts) > 1 {
		n.several++
	}
	c.force()
	c.yield()
	c.share()
	c.single()
	c.partly(g)
	if after := objects.AsJSON([]any{live, config}); after != before {
		c.fail("the inputs have changed:\n%s\n%s", before, after)
	}
}

func (c *outcomeCheck) fail(format string, args ...any) {
	c.Helper()
	c.Fatalf("%s: %s\nlive   %s\nconfig %s\n%v", c.name, fmt.Sprintf(format, args...), objects.AsJSON(c.live), objects.AsJSON(c.config), c.e)
}

// same fails the test unless both results, or both errors, are equal.
func (c *outcomeCheck) same(what string, got *fieldmanager.Result, gotErr error, want *fieldmanager.Result, wantErr error) {
	c.Helper()
	if (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
		c.fail("%s: got %v, want %v", what, gotErr, wantErr)
	}
	if gotErr == nil && (objects.AsJSON(got.Object) != objects.AsJSON(want.Object) || got.Changed != want.Changed) {
		c.fail("%s: got\n%s\nwant\n%s", what, objects.AsJSON(got.Object), objects.AsJSON(want.Object))
	}
}

// force checks that forcing all conflicts has the same outcome as an apply with force. It
// tries each way to choose Force for all conflicts.
func (c *outcomeCheck) force() {
	c.Helper()
	want, wantErr := c.fm.Apply(c.live, c.config, you, true)
	var paths []fieldpath.Path
	for i := range c.e.Conflicts {
		paths = append(paths, c.e.Conflicts[i].Path)
	}
	for what, choices := range map[string]resolve.Choices{
		"all paths":  {Force: paths},
		"the root":   {Force: []fieldpath.Path{{}}},
		"by choice":  {Choose: func(*fieldmanager.Conflict) resolve.Choice { return resolve.Force }},
		"the longer": {Force: paths, Yield: []fieldpath.Path{{}}},
	} {
		got, err := resolve.New(c.fm, c.live, c.config, you).Apply(choices)
		c.same(what, got.Result, err, want, wantErr)
		if len(got.Resolutions) != len(paths) {
			c.fail("%s: resolved %v", what, got.Resolutions)
		}
	}
	got, err := c.request.Apply(all(resolve.Force))
	c.same("outcome", got.Result, err, want, wantErr)
}

// yield checks that yielding all conflicts leaves no conflicts, changes neither values nor
// owners, and keeps all other parts of the config.
func (c *outcomeCheck) yield() {
	c.Helper()
	got, err := c.request.Apply(all(resolve.Yield))
	var fixed *fieldmanager.ImmutableError
	if errors.As(err, &fixed) {
		return
	}
	if err != nil && c.mixed() {
		c.n.versionLoss++
		return
	}
	if err != nil {
		c.fail("yield: %v", err)
	}
	want, err := c.fm.Apply(c.live, got.Config, you, false)
	c.same("yield", got.Result, nil, want, err)
	yours := objects.OwnedBy(got.Result, yourself)
	yielded := fieldpath.NewSet()
	odd := false
	for i := range c.e.Conflicts {
		x := &c.e.Conflicts[i]
		yielded.Insert(x.Path)
		if x.APIVersion != "v1" {
			c.n.versions++
		}
		if yours.Has(x.Path) {
			c.fail("yield: you own %v with\n%s", x.Path, objects.AsJSON(got.Config))
		}
		if theirs := objects.OwnedBy(got.Result, x.Owner); !theirs.Has(x.Path) {
			if c.mixed() {
				c.n.versionLoss++
				return
			}
			c.fail("yield: %v does not own %v any more", x.Owner, x.Path)
		}
		v, has := valueIn(c, got.Result.Object, x.Path)
		if has != x.HasLive || objects.AsJSON(v) != objects.AsJSON(x.Live) {
			c.fail("yield: %v becomes %v", x.Path, objects.AsJSON(v))
		}
		if _, has := valueIn(c, c.config, x.Path); !has {
			odd = true // a value above the path of the conflict causes the conflict
		}
		if last := x.Path[len(x.Path)-1]; last.FieldName == nil || len(x.Path) > 1 && x.Path[len(x.Path)-2].Key != nil {
			c.n.items++
		}
	}
	if odd {
		c.n.odd++
		return
	}
	before, after := c.set(c.config), c.set(got.Config)
	rest := before.Difference(yielded).RecursiveDifference(yielded)
	// Entries of maps with arbitrary keys are owned separately. If an entry becomes empty and
	// the applier did not own it before, it is removed.
	owned := ownedIn(c.live, yourself)
	for p := range rest.Difference(after).All() {
		p = p.Copy()
		above := false
		for d := range yielded.All() {
			above = above || len(d) > len(p) && d[:len(p)].Equals(p)
		}
		if above && p[len(p)-1].FieldName != nil && !owned.Has(p) {
			rest = rest.Difference(fieldpath.NewSet(p))
		}
	}
	// If the config sets no key of an item, and the item becomes empty, all keys of the
	// item are written.
	for p := range after.Difference(rest).All() {
		p = p.Copy()
		if n := len(p); n > 1 && p[n-2].Key != nil && !keyWritten(before, p[:n-1]) {
			rest.Insert(p)
		}
	}
	// Containers that were owned before must stay, even if they are empty.
	rest = rest.Union(after.Intersection(owned))
	if !after.Equals(rest) && !c.keyYielded(yielded) {
		c.fail("yield: the config\n%s\nhas beyond what it should\n%v\nand lacks\n%v", objects.AsJSON(got.Config), after.Difference(rest), rest.Difference(after))
	}
}

// mixed reports whether managers use several API versions. In that case, the merge removes
// fields in several steps, as structured-merge-diff does. In these steps, items that have
// only defaults and nulls can be lost or rejected.
func (c *outcomeCheck) mixed() bool {
	managed, err := managedfields.Decode(c.live)
	if err != nil {
		c.fail("%v", err)
	}
	for _, e := range managed.Entries() {
		if e.APIVersion != c.config["apiVersion"] {
			return true
		}
	}
	return false
}

// keyWritten reports whether set has a key of the item at path.
func keyWritten(set *fieldpath.Set, path fieldpath.Path) bool {
	keys := path[len(path)-1].Key
	for _, k := range *keys {
		if set.Has(append(path.Copy(), fieldpath.FieldNameElement(k.Name))) {
			return true
		}
	}
	return false
}

// keyYielded reports whether set has a key of any item. Yielding a key removes the item.
func (c *outcomeCheck) keyYielded(set *fieldpath.Set) bool {
	for p := range set.All() {
		if n := len(p); n > 1 && p[n-2].Key != nil && p[n-1].FieldName != nil {
			for _, k := range *p[n-2].Key {
				if k.Name == *p[n-1].FieldName {
					return true
				}
			}
		}
	}
	return false
}

// share checks that sharing all conflicts leaves no conflicts, changes no value, and makes
// all managers owners of the fields.
func (c *outcomeCheck) share() {
	c.Helper()
	got, err := c.request.Apply(all(resolve.Share))
	var fixed *fieldmanager.ImmutableError
	if errors.As(err, &fixed) {
		return
	}
	if _, duplicates := c.typ.FromUnstructured(c.live); err != nil && duplicates != nil {
		return // a config cannot have an item twice
	}
	if err != nil && c.mixed() {
		c.n.versionLoss++
		return
	}
	if err != nil {
		c.fail("share: %v", err)
	}
	want, err := c.fm.Apply(c.live, got.Config, you, false)
	c.same("share", got.Result, nil, want, err)
	yours := objects.OwnedBy(got.Result, yourself)
	for i := range c.e.Conflicts {
		x := &c.e.Conflicts[i]
		if !x.HasLive {
			c.n.lost++
			continue
		}
		v, has := valueIn(c, got.Result.Object, x.Path)
		if !has || objects.AsJSON(v) != objects.AsJSON(x.Live) {
			c.fail("share: %v becomes %v with\n%s", x.Path, objects.AsJSON(v), objects.AsJSON(got.Config))
		}
		if x.Live == nil {
			continue // nobody owns a null that has no default
		}
		c.n.shared++
		if c.mixed() && !objects.OwnedBy(got.Result, x.Owner).Has(x.Path) {
			c.n.versionLoss++
			return
		}
		if theirs := objects.OwnedBy(got.Result, x.Owner); !theirs.Has(x.Path) || !yours.Has(x.Path) && !isContainer(x.Live) {
			c.fail("share: %v is not shared with %v\n%s\n%v", x.Path, x.Owner, objects.AsJSON(got.Config), yours)
		}
	}
}

func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// single checks that a choice for one conflict resolves that conflict.
func (c *outcomeCheck) single() {
	c.Helper()
	_, duplicates := c.typ.FromUnstructured(c.live)
	for i := range c.e.Conflicts {
		x := &c.e.Conflicts[i]
		for _, choice := range []resolve.Choice{resolve.Force, resolve.Yield, resolve.Share} {
			got, err := c.request.Apply(resolve.Choices{}.With(x, choice))
			var left *fieldmanager.ConflictError
			if err == nil {
				continue
			}
			if !errors.As(err, &left) {
				var fixed *fieldmanager.ImmutableError
				if !errors.As(err, &fixed) {
					c.fail("%v %v: %v", choice, x.Path, err)
				}
				continue
			}
			for _, l := range left.Conflicts {
				if l.Path.Equals(x.Path) && choice != resolve.Force && c.mixed() {
					c.n.versionLoss++
					continue
				}
				if l.Path.Equals(x.Path) && (choice != resolve.Share || duplicates == nil) {
					c.fail("%v %v: there is still a conflict with\n%s", choice, x.Path, objects.AsJSON(got.Config))
				}
			}
			if choice == resolve.Force && objects.AsJSON(got.Config) != objects.AsJSON(c.config) {
				c.fail("force %v changes the config", x.Path)
			}
		}
	}
}

// partly forces some conflicts, yields some, and refuses all other conflicts. It checks the outcome.
func (c *outcomeCheck) partly(g *rand.Rand) {
	c.Helper()
	chosen := map[string]resolve.Choice{}
	var choices, yieldOnly resolve.Choices
	refused := 0
	for i := range c.e.Conflicts {
		p := c.e.Conflicts[i].Path
		if _, ok := chosen[p.String()]; ok {
			continue
		}
		choice := []resolve.Choice{resolve.Force, resolve.Yield, resolve.Refuse}[g.IntN(3)]
		chosen[p.String()] = choice
		switch choice {
		case resolve.Force:
			choices.Force = append(choices.Force, p)
		case resolve.Yield:
			choices.Yield = append(choices.Yield, p)
			yieldOnly.Yield = append(yieldOnly.Yield, p)
		default:
			refused++
		}
	}
	nested := false // a choice for a path also covers the paths below it
	for i := range c.e.Conflicts {
		for j := range c.e.Conflicts {
			a, b := c.e.Conflicts[i].Path, c.e.Conflicts[j].Path
			nested = nested || len(a) < len(b) && b[:len(a)].Equals(a)
		}
	}
	if nested {
		return
	}
	got, err := resolve.New(c.fm, c.live, c.config, you).Apply(choices)
	if refused > 0 {
		var left *fieldmanager.ConflictError
		if !errors.As(err, &left) {
			c.fail("with %v: %v", chosen, err)
		}
		for _, l := range left.Conflicts {
			if chosen[l.Path.String()] != resolve.Refuse {
				c.fail("with %v: %v is left", chosen, l.Path)
			}
		}
		for p, choice := range chosen {
			if choice == resolve.Refuse && !slices.ContainsFunc(left.Conflicts, func(l fieldmanager.Conflict) bool { return l.Path.String() == p }) {
				c.fail("with %v: %v is not left", chosen, p)
			}
		}
		// Rest must keep the choices made so far.
		for _, choice := range []resolve.Choice{resolve.Force, resolve.Yield, resolve.Share} {
			all, err := c.request.Apply(choices.Rest(choice))
			then, thenErr := resolve.New(c.fm, c.live, got.Config, you).Apply(choices.Rest(choice))
			c.same(fmt.Sprintf("with %v, then %v", chosen, choice), all.Result, err, then.Result, thenErr)
		}
		return
	}
	c.n.partial++
	rest, _ := resolve.New(c.fm, c.live, c.config, you).Apply(yieldOnly)
	want, wantErr := c.fm.Apply(c.live, rest.Config, you, true)
	c.same(fmt.Sprintf("with %v", chosen), got.Result, err, want, wantErr)
}

var yourself = managedfields.Owner{Manager: you, Operation: managedfields.OperationApply}

func ownedIn(live map[string]any, o managedfields.Owner) *fieldpath.Set {
	managed, err := managedfields.Decode(live)
	if err != nil {
		panic(err)
	}
	return objects.OwnedBy(&fieldmanager.Result{Managed: managed}, o)
}

func (c *outcomeCheck) set(object map[string]any) *fieldpath.Set {
	c.Helper()
	tv, err := c.typ.FromUnstructured(object)
	if err != nil {
		c.fail("%v in %s", err, objects.AsJSON(object))
	}
	set, err := tv.ToFieldSet()
	if err != nil {
		c.fail("%v", err)
	}
	return set
}

// valueIn returns the value at a path. It is slow, because it compares the identity of each
// item with the path.
func valueIn(c *outcomeCheck, object map[string]any, path fieldpath.Path) (any, bool) {
	c.Helper()
	v := any(object)
	ref, known := c.typ.TypeRef, true
	for _, e := range path {
		var atom schema.Atom
		if known {
			atom, known = c.typ.Schema.Resolve(ref)
		}
		switch x := v.(type) {
		case map[string]any:
			if e.FieldName == nil {
				return nil, false
			}
			next, ok := x[*e.FieldName]
			if !ok {
				return nil, false
			}
			if v = next; atom.Map != nil {
				ref = atom.Map.ElementType
				if f, ok := atom.Map.FindField(*e.FieldName); ok {
					ref = f.Type
				}
			}
		case []any:
			found := false
			if atom.List == nil {
				return nil, false
			}
			ref = atom.List.ElementType
			for _, item := range x {
				one, err := typed.AsTyped(value.NewValueInterface([]any{item}), c.typ.Schema, schema.TypeRef{Inlined: schema.Atom{List: atom.List}})
				if err != nil {
					continue
				}
				set, err := one.ToFieldSet()
				if err == nil && set.Has(fieldpath.Path{e}) {
					v, found = item, true
					break
				}
			}
			if !found {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return v, true
}
