// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

var (
	transitionPairs = flag.Int("transitions", 8000, "how many random updates TestCheckTransitionLikeSlowVersion makes")
	transitionSeed  = flag.Int64("transitions-seed", 0, "where it starts")
)

// TestCheckTransitionLikeSlowVersion makes random updates of random schemas with random
// transition rules. CheckTransition must return the same errors as the slow reference.
func TestCheckTransitionLikeSlowVersion(t *testing.T) {
	const pairs = 20 // pairs of values for each schema
	rejected, several, compared, total := 0, 0, 0, 0
	broken := map[string]int{}
	for seed := *transitionSeed; total < *transitionPairs; seed++ {
		g := &transitionGen{Rand: rand.New(rand.NewSource(seed))}
		s := g.schema()
		root := "root"
		pt := typed.ParseableType{Schema: s, TypeRef: schema.TypeRef{NamedType: &root}}
		for range pairs {
			total++
			var o typed.TransitionOptions
			anyOrder := g.Intn(3) == 0
			if anyOrder {
				o.IgnoreItemOrder = true
			}
			a := g.object(pt.TypeRef, 5)
			b := g.changed(pt.TypeRef, a)
			old, next := typed.AsTypedUnvalidated(value.NewValueInterface(a), s, pt.TypeRef), typed.AsTypedUnvalidated(value.NewValueInterface(b), s, pt.TypeRef)
			if g.Intn(2) == 0 {
				old, next = defaulted(old), defaulted(next)
				a, b = old.AsValue().Unstructured(), next.AsValue().Unstructured()
			}
			if g.chance(50) {
				compared += compare(old, next, g.chance(70))
			}
			err := old.CheckTransition(next, o)
			got := breaches(t, err)
			slow := reference{schema: s, anyOrder: anyOrder}
			if a != nil && b != nil {
				slow.place(pt.TypeRef, spot{}, a, b, true, true)
			}
			if want := texts(slow.found); !slices.Equal(texts(got), want) {
				text, _ := yaml.Marshal(s)
				t.Fatalf("seed %d, any order %v:\n%s\nold  %s\nnew  %s\ngot\n%s\nwant\n%s", seed, anyOrder, text,
					yamlOf(a), yamlOf(b), strings.Join(texts(got), "\n"), strings.Join(want, "\n"))
			}
			if !slices.IsSortedFunc(err2errors(err), func(a, b typed.TransitionError) int { return a.Path.Compare(b.Path) }) {
				t.Fatalf("seed %d: not in order: %v", seed, err)
			}
			for _, b := range got {
				broken[b.rule]++
			}
			if len(got) > 0 {
				rejected++
			}
			if len(got) > 1 {
				several++
			}
		}
	}
	t.Logf("%d of %d updates rejected, %d for several reasons; %d compared before", rejected, total, several, compared)
	for _, rule := range schema.Transitions() {
		if broken[rule.String()] < total/100 {
			t.Errorf("%s was broken %d times in %d updates: too few to test anything", rule, broken[rule.String()], total)
		}
	}
	if compared < total/20 {
		t.Errorf("%d of %d were compared before: too few to test anything", compared, total)
	}
	if rejected < total/3 || rejected > total*2/3 || several < total/10 {
		t.Errorf("%d of %d updates rejected, %d for several reasons: too few to test anything", rejected, total, several)
	}
}

// compare compares old and next, as an update does before the check. The check can use the
// result. compare returns 1 if the values could be compared, and otherwise 0.
func compare(old, next *typed.TypedValue, valid bool) int {
	if valid {
		_ = old.Validate(typed.AllowDuplicates) // Validate is called because it caches facts about the value
		_ = next.Validate(typed.AllowDuplicates)
	}
	if _, err := old.Compare(next); err != nil {
		return 0
	}
	return 1
}

func defaulted(tv *typed.TypedValue) *typed.TypedValue {
	if out, err := tv.Default(); err == nil {
		return out
	}
	return tv
}

func err2errors(err error) (all typed.TransitionErrors) {
	errors.As(err, &all)
	return all
}

func breaches(t *testing.T, err error) (found []breach) {
	t.Helper()
	all := err2errors(err)
	if err != nil && all == nil {
		t.Fatal(err)
	}
	for _, e := range all {
		b := breach{path: e.Path.String(), field: e.Field, rule: e.Transition.String(), message: e.Message}
		if (e.Type == typed.TransitionInvalid) != (e.Message == "field is immutable") {
			t.Fatalf("a wrong type: %+v", e)
		}
		if b.had = e.Old != nil; b.had {
			b.old = e.Old.Unstructured()
		}
		if b.has = e.New != nil; b.has {
			b.next = e.New.Unstructured()
		}
		found = append(found, b)
	}
	return found
}

func texts(found []breach) []string {
	all := make([]string, len(found))
	for i, b := range found {
		all[i] = b.String()
	}
	slices.Sort(all)
	return all
}

func yamlOf(v any) string {
	text, err := yaml.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return "\n" + string(text)
}

// transitionGen generates schemas with transition rules, objects of their types, and updates.
type transitionGen struct {
	*rand.Rand
	s     *schema.Schema
	ruled int // percentage of types and references with a transition rule
}

func (g *transitionGen) chance(percent int) bool { return g.Intn(100) < percent }

func pick[T any](g *transitionGen, all ...T) T { return all[g.Intn(len(all))] }

var namesOfTypes = []string{"root", "one", "two", "three"}

func (g *transitionGen) schema() *schema.Schema {
	g.s = &schema.Schema{DeclarativeDefaults: g.chance(50)}
	g.ruled = pick(g, 8, 30, 60)
	if g.chance(10) {
		g.s.MissingKeys = schema.StrictKeys
	}
	for i, name := range namesOfTypes {
		td := schema.TypeDef{Name: name}
		if i == 0 {
			td.Atom = schema.Atom{Map: g.structure(5)}
		} else {
			td.Atom = g.atom(2)
			td.Transition = g.transition(td.Atom)
			if g.chance(10) {
				td.Default = g.scalar()
			}
		}
		g.s.Types = append(g.s.Types, td)
	}
	return g.s
}

// transition returns a transition rule or none. If it returns a rule, the rule usually
// has an effect on the type a.
func (g *transitionGen) transition(a schema.Atom) schema.Transition {
	switch entries := a.List != nil && a.List.ElementRelationship == schema.Associative || a.Map != nil && a.Map.Fields == nil; {
	case !g.chance(g.ruled):
		return schema.NoTransition
	case !entries && g.chance(80):
		return pick(g, schema.Immutable, schema.SetOnce)
	}
	return pick(g, schema.Transitions()...)
}

func (g *transitionGen) ref(depth int) schema.TypeRef {
	tr := schema.TypeRef{Nullable: g.chance(20)}
	if g.chance(12) {
		name := pick(g, namesOfTypes...)
		tr.NamedType = &name
		// Find the type in g.s.Types. Do not call methods of the schema, because it is
		// not yet complete.
		var a schema.Atom
		for _, td := range g.s.Types {
			if td.Name == name {
				a = td.Atom
			}
		}
		tr.Transition = g.transition(a)
		if atomic := schema.Atomic; g.chance(10) && (a.Map != nil || a.List != nil) {
			tr.ElementRelationship = &atomic
		}
		return tr
	}
	tr.Inlined = g.atom(depth)
	tr.Transition = g.transition(tr.Inlined)
	return tr
}

func scalarType(s schema.Scalar) schema.Atom { return schema.Atom{Scalar: &s} }

func (g *transitionGen) atom(depth int) schema.Atom {
	if depth <= 0 {
		return scalarType(pick(g, schema.String, schema.Numeric, schema.Boolean, schema.Untyped))
	}
	switch g.Intn(12) {
	case 0, 1:
		return schema.Atom{Map: g.structure(depth)}
	case 2, 3:
		return schema.Atom{Map: &schema.Map{ElementType: g.ref(depth - 1), ElementRelationship: pick(g, "", schema.Atomic)}}
	case 4, 5:
		return schema.Atom{List: &schema.List{ElementRelationship: schema.Atomic, ElementType: g.ref(depth - 1)}}
	case 6:
		return schema.Atom{List: &schema.List{ElementRelationship: schema.Associative, ElementType: schema.TypeRef{Inlined: scalarType(schema.Untyped)}}}
	case 7:
		// This type is a set of sets, lists or objects.
		return schema.Atom{List: &schema.List{ElementRelationship: schema.Associative, ElementType: g.ref(depth - 1)}}
	case 8, 9:
		return schema.Atom{List: g.keyed(depth)}
	case 10:
		// This type allows any value.
		a := scalarType(schema.Untyped)
		a.List = &schema.List{ElementRelationship: pick(g, schema.Atomic, schema.Associative), ElementType: g.ref(depth - 1)}
		a.Map = &schema.Map{ElementType: g.ref(depth - 1)}
		return a
	}
	return g.atom(0)
}

func (g *transitionGen) structure(depth int) *schema.Map {
	m := &schema.Map{ElementRelationship: pick(g, "", "", schema.Atomic)}
	for _, name := range []string{"a", "b", "c", "d", "e"}[:2+g.Intn(4)] {
		f := schema.StructField{Name: name, Type: g.ref(depth - 1)}
		if g.chance(10) {
			f.Default = g.scalar()
		}
		m.Fields = append(m.Fields, f)
	}
	if g.chance(10) {
		m.ElementType = g.ref(depth - 1)
	} else if g.chance(15) {
		m.UnknownFields = schema.PreserveUnknown
	}
	return m
}

func (g *transitionGen) keyed(depth int) *schema.List {
	item := g.structure(depth)
	l := &schema.List{ElementRelationship: schema.Associative, Keys: []string{"k", "a"}[:1+g.Intn(2)]}
	key := schema.StructField{Name: "k", Type: schema.TypeRef{Inlined: g.keyType(), Nullable: g.chance(5), Transition: pick(g, schema.NoTransition, schema.Immutable)}}
	if g.chance(50) {
		key.Default = pick[any](g, "x", "y", int64(1), true)
	}
	m := &schema.Map{Fields: append(item.Fields, key), ElementRelationship: item.ElementRelationship, ElementType: item.ElementType}
	for i := range m.Fields {
		if m.Fields[i].Name == "a" {
			m.Fields[i].Type = schema.TypeRef{Inlined: g.keyType()}
			m.Fields[i].Default = pick[any](g, nil, "x", int64(1))
		}
	}
	l.ElementType = schema.TypeRef{Inlined: schema.Atom{Map: m}}
	l.ElementType.Transition = g.transition(l.ElementType.Inlined)
	return l
}

// keyType returns the type of a list key. It is never numeric, because different integers can
// be equal as floats. Such integers could identify the same item in one comparison and
// different items in another.
func (g *transitionGen) keyType() schema.Atom {
	return scalarType(pick(g, schema.String, schema.Boolean, schema.Untyped))
}

func (g *transitionGen) scalar() any {
	return pick[any](g, "x", "y", "", int64(0), int64(1), float64(1), 1.5, true, false)
}

// object returns a value of the type tr. The value is usually valid.
func (g *transitionGen) object(tr schema.TypeRef, depth int) any {
	if g.chance(3) {
		return pick[any](g, nil, "odd", int64(7), []any{}, map[string]any{}, []any{"x", nil}, map[string]any{"a": "x"})
	}
	if tr.Nullable && g.chance(20) {
		return nil
	}
	atom, _ := g.s.Resolve(tr)
	kinds := []string{}
	if atom.Map != nil {
		kinds = append(kinds, "map")
	}
	if atom.List != nil {
		kinds = append(kinds, "list")
	}
	if atom.Scalar != nil {
		kinds = append(kinds, "scalar")
	}
	if len(kinds) == 0 {
		return g.scalar()
	}
	switch pick(g, kinds...) {
	case "map":
		out := map[string]any{}
		if depth <= 0 {
			return out
		}
		for _, f := range atom.Map.Fields {
			if g.chance(85) {
				out[f.Name] = g.object(f.Type, depth-1)
			}
		}
		if atom.Map.ElementType != (schema.TypeRef{}) || g.chance(5) {
			for range g.Intn(3) {
				if name := pick(g, "u", "v", "w"); atom.Map.UnknownFields == "" {
					out[name] = g.object(atom.Map.ElementType, depth-1)
				} else {
					out[name] = g.scalar()
				}
			}
		}
		return out
	case "list":
		out := []any{}
		if depth > 0 {
			for range g.Intn(5) {
				out = append(out, g.object(atom.List.ElementType, depth-1))
			}
		}
		return out
	}
	switch *atom.Scalar {
	case schema.String:
		return pick(g, "x", "y", "")
	case schema.Numeric:
		return pick[any](g, int64(0), int64(1), float64(1), 1.5, int64(1<<53+1), float64(1<<53))
	case schema.Boolean:
		return g.chance(50)
	}
	return g.scalar()
}

// changed returns an object with a few changes. Some changes only write the same value in
// another form. Unchanged parts may or may not share memory with v.
func (g *transitionGen) changed(tr schema.TypeRef, v any) any {
	out := v
	for range pick(g, 1, 1, 4, 8) {
		out = g.change(tr, out, 5)
	}
	if g.chance(50) {
		return deepCopy(out)
	}
	return out
}

func (g *transitionGen) change(tr schema.TypeRef, v any, depth int) any {
	atom, _ := g.s.Resolve(tr)
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 || depth == 0 {
			break
		}
		out := maps.Clone(x)
		names := slices.Sorted(maps.Keys(x))
		name := pick(g, names...)
		at := func(name string) (below schema.TypeRef) {
			if atom.Map != nil {
				below = atom.Map.ElementType
				if f, ok := atom.Map.FindField(name); ok {
					below = f.Type
				}
			}
			return below
		}
		switch {
		case g.chance(15):
			delete(out, name)
		case g.chance(15) && atom.Map != nil && len(atom.Map.Fields) > 0:
			f := pick(g, atom.Map.Fields...)
			if out[f.Name] = g.object(f.Type, 2); g.chance(50) && f.Default != nil {
				out[f.Name] = f.Default
			}
		case g.chance(10):
			name := pick(g, "u", "v", "w")
			out[name] = g.object(at(name), 2)
		case g.chance(5):
			out[name] = nil
		default:
			out[name] = g.change(at(name), x[name], depth-1)
		}
		return out
	case []any:
		if len(x) == 0 || depth == 0 {
			break
		}
		var item schema.TypeRef
		if atom.List != nil {
			item = atom.List.ElementType
		}
		out := slices.Clone(x)
		i := g.Intn(len(x))
		switch {
		case g.chance(25):
			g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		case g.chance(15):
			out = slices.Delete(out, i, i+1)
		case g.chance(20):
			out = slices.Insert(out, i, g.object(item, 2))
		default:
			out[i] = g.change(item, x[i], depth-1)
		}
		return out
	case int64:
		if g.chance(50) {
			return float64(x)
		}
	case float64:
		if g.chance(50) && x == float64(int64(x)) {
			return int64(x)
		}
	}
	if g.chance(10) {
		return v
	}
	return g.object(tr, 2)
}
