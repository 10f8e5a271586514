// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

func TestNodeIsWhatTheSchemaSays(t *testing.T) {
	s := &Schema{DeclarativeDefaults: true, MissingKeys: StrictKeys, ZeroKeysUnset: true, Types: []TypeDef{
		{Name: "numeric", Atom: Atom{Scalar: ptr(Numeric)}, Default: 7},
		{Name: "odd", Atom: Atom{Scalar: ptr(Scalar("quantity"))}},
		{Name: "list", Atom: Atom{List: &List{ElementRelationship: Associative, Keys: []string{"z", "a", "n"}, ElementType: named("item"), ElementDefault: "i"}}},
		{Name: "item", Atom: Atom{Map: &Map{Fields: []StructField{
			{Name: "z", Type: named("numeric"), Default: 1}, {Name: "a", Type: named("numeric")}, {Name: "n", Type: TypeRef{NamedType: ptr("numeric"), Nullable: true}, Default: 2},
		}}}},
		{Name: "open", Atom: Atom{Map: &Map{ElementType: named("numeric"), ElementRelationship: Atomic, ElementDefault: 3}}},
	}}

	n := s.node(named("list"))
	if n.Type != "list" || n.Kinds() != graph.ListKind || n.Scalar != graph.NoScalar || n.Map != nil || n.Missing || n.Nullable || !n.Declarative {
		t.Errorf("list: %+v", n)
	}
	l := n.List
	if !l.IsAssociative() || !l.Strict || !l.Declarative || l.KeyFault != "" || l.ItemDefault != "i" || fmt.Sprint(l.KeyNames) != "[z a n]" {
		t.Errorf("list: %+v", l)
	}
	want := []graph.Key{
		{Name: "a", IfMissing: 7, NullIsMissing: true, ZeroIsMissing: true},
		{Name: "n", IfMissing: 2, ZeroIsMissing: true},
		{Name: "z", IfMissing: 1, NullIsMissing: true, ZeroIsMissing: true},
	}
	if fmt.Sprint(l.Keys) != fmt.Sprint(want) {
		t.Errorf("keys: %+v, want %+v", l.Keys, want)
	}
	if l.Item != s.node(named("item")) {
		t.Error("the item is not the node of its type")
	}
	if f := l.Item.Map.Field("z"); f == nil || f.Default != 1 || f.Type.Scalar != graph.Numeric || f.Type.Default != 7 || int(f.Rank) != 2 {
		t.Errorf("field z: %+v", f)
	}
	if m := s.node(named("open")).Map; !m.Open || !m.Atomic || m.Elem != s.node(named("numeric")) || m.ElemDefault != 3 || m.At("any") != m.Elem || m.Field("any") != nil {
		t.Errorf("open map: %+v", m)
	}
	if m := l.Item.Map; m.Open || m.Atomic || m.Elem == nil || m.Elem.Kinds() != 0 {
		t.Errorf("closed struct: %+v", m)
	}
	if n := s.node(named("odd")); n.Scalar != graph.Invalid || n.ScalarText != "quantity" {
		t.Errorf("odd scalar: %+v", n)
	}

	s = &Schema{Types: s.Types}
	for _, k := range s.node(named("list")).List.Keys {
		if k.NullIsMissing || k.ZeroIsMissing || k.Name == "a" && k.IfMissing != nil {
			t.Errorf("without the gate: %+v", k)
		}
	}
}

// TestDeducedMaps checks that graph.Map.Deduced is true for a map that declares no fields
// and has untyped entries. It must be false for a map with declared fields, even if the map
// also allows untyped entries.
func TestDeducedMaps(t *testing.T) {
	untyped := TypeRef{Inlined: Atom{Scalar: ptr(Untyped)}}
	s := &Schema{Types: []TypeDef{
		{Name: untypedDeduced, Atom: Atom{Map: &Map{ElementType: named(untypedDeduced)}}},
		{Name: "scalars", Atom: Atom{Map: &Map{ElementType: untyped}}},
		{Name: "fields", Atom: Atom{Map: &Map{Fields: []StructField{{Name: "a", Type: untyped}}, ElementType: named(untypedDeduced)}}},
		{Name: "texts", Atom: Atom{Map: &Map{ElementType: TypeRef{Inlined: Atom{Scalar: ptr(String)}}}}},
	}}
	for name, want := range map[string]bool{untypedDeduced: true, "scalars": true, "fields": false, "texts": false} {
		if got := s.node(named(name)).Map.Deduced; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestReferencesThatLeadNowhere(t *testing.T) {
	s := &Schema{Types: []TypeDef{
		{Name: "list", Atom: Atom{List: &List{ElementRelationship: Associative, Keys: []string{"k"}, ElementType: named("gone")}}},
		{Name: "scalars", Atom: Atom{List: &List{ElementRelationship: Associative, Keys: []string{"k"}, ElementType: named("scalar")}}},
		{Name: "scalar", Atom: Atom{Scalar: ptr(String)}},
		{Name: "map", Atom: Atom{Map: &Map{Fields: []StructField{{Name: "f", Type: named("gone")}, {Name: "n"}}}}},
	}}
	if n := s.node(named("gone")); !n.Missing || n.Type != "gone" || n.Kinds() != 0 {
		t.Errorf("missing type: %+v", n)
	}
	if n := s.node(TypeRef{NamedType: ptr("scalar"), ElementRelationship: ptr(Atomic)}); !n.Missing {
		t.Errorf("relationship on a scalar: %+v", n)
	}
	if l := s.node(named("list")).List; l.KeyFault != "invalid elementType for list" || !l.Item.Missing {
		t.Errorf("list of a missing type: %+v", l)
	}
	if l := s.node(named("scalars")).List; l.KeyFault != "associative list may not have non-map types" {
		t.Errorf("list of scalars with keys: %+v", l)
	}
	m := s.node(named("map"))
	if f := m.Map.Field("f"); !f.Type.Missing || !f.HasType() || m.ChildTypesExist {
		t.Errorf("field of a missing type: %+v", f)
	}
	if f := m.Map.Field("n"); f.Type.Missing || f.Type.Kinds() != 0 || f.HasType() {
		t.Errorf("field without a type: %+v", f)
	}
}

func TestVariantsShareWhatIsBelow(t *testing.T) {
	s := &Schema{Types: []TypeDef{{Name: "m", Atom: Atom{Map: &Map{Fields: []StructField{{Name: "f", Type: named("m")}}}}}}}
	plain, null := s.node(named("m")), s.node(TypeRef{NamedType: ptr("m"), Nullable: true})
	if plain == null || plain.Nullable || !null.Nullable {
		t.Error("a nullable variant is not a node of its own")
	}
	if plain.Map != null.Map {
		t.Error("variants that differ only in nullable do not share their map")
	}
	atomic := s.node(TypeRef{NamedType: ptr("m"), ElementRelationship: ptr(Atomic)})
	if !atomic.Map.Atomic || plain.Map.Atomic || atomic.Map.Field("f").Type != plain {
		t.Error("an override affects other references")
	}
	if s.node(named("m")) != plain || s.node(TypeRef{NamedType: ptr("m"), ElementRelationship: ptr(Atomic)}) != atomic {
		t.Error("the second call returns another node")
	}
}

func TestCycles(t *testing.T) {
	byName := &Schema{Types: []TypeDef{
		{Name: "a", Atom: Atom{Map: &Map{Fields: []StructField{{Name: "b", Type: named("b")}}}}},
		{Name: "b", Atom: Atom{List: &List{ElementRelationship: Atomic, ElementType: named("a")}}},
	}}
	a := byName.node(named("a"))
	if a.Map.Field("b").Type.List.Item != a {
		t.Error("a cycle of names is no cycle of nodes")
	}

	// Go literals can contain a type that is inlined into itself.
	m := &Map{}
	m.Fields = []StructField{{Name: "self", Type: TypeRef{Inlined: Atom{Map: m}}}}
	m.ElementType = TypeRef{Inlined: Atom{List: &List{ElementType: TypeRef{Inlined: Atom{Map: m}}}}}
	literal := &Schema{Types: []TypeDef{{Name: "m", Atom: Atom{Map: m}}}}
	n := literal.node(named("m")).Map.Field("self").Type
	if n.Map.Field("self").Type != n || n.Map.Elem.List.Item != n {
		t.Error("a cycle of pointers is no cycle of nodes")
	}
}

func TestLastOfTwoFieldsCountsInNodes(t *testing.T) {
	s := &Schema{Types: []TypeDef{
		{Name: "a", Atom: Atom{Scalar: ptr(String)}},
		{Name: "a", Atom: Atom{Map: &Map{Fields: []StructField{
			{Name: "f", Default: 1}, {Name: "g"}, {Name: "f", Type: TypeRef{Nullable: true}, Default: 2},
		}}}},
	}}
	n := s.node(named("a"))
	if n.Kinds() != graph.MapKind {
		t.Fatalf("kinds are %v; want those of the last of two types", n.Kinds())
	}
	if fs := n.Map.Fields; len(fs) != 2 || fs[0].Name != "f" || fs[0].Default != 2 || !fs[0].Type.Nullable || fs[1].Name != "g" {
		t.Errorf("fields: %+v", fs)
	}
}

// TestDeepNesting checks that compiling a schema needs little stack. It compiles 10,000
// levels with a stack limit that a recursive function would exceed.
func TestDeepNesting(t *testing.T) {
	const depth = 10_000
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	tr := TypeRef{Inlined: Atom{Scalar: ptr(String)}}
	for i := range depth {
		if i%2 == 0 {
			tr = TypeRef{Inlined: Atom{Map: &Map{Fields: []StructField{{Name: "f", Type: tr}}}}}
		} else {
			tr = TypeRef{Inlined: Atom{List: &List{ElementRelationship: Atomic, ElementType: tr}}}
		}
	}
	s := &Schema{Types: []TypeDef{{Name: "deep", Atom: tr.Inlined}}}
	t.Run("on a stack of its own", func(t *testing.T) {
		levels := 0
		for n := s.node(named("deep")); n.Scalar == graph.NoScalar; levels++ {
			if n.Map != nil {
				n = n.Map.Field("f").Type
			} else {
				n = n.List.Item
			}
		}
		if levels != depth {
			t.Errorf("%d levels, want %d", levels, depth)
		}
	})
}

// TestDefaultsAreMarked checks that the node of a type records whether the type has a
// default at any depth. The default may be in a cycle, or in a type that was compiled
// before.
func TestDefaultsAreMarked(t *testing.T) {
	leaf := func(def any) *Map {
		return &Map{Fields: []StructField{{Name: "x", Type: TypeRef{Inlined: Atom{Scalar: ptr(String)}}, Default: def}}}
	}
	field := func(names ...string) *Map {
		m := &Map{}
		for _, n := range names {
			m.Fields = append(m.Fields, StructField{Name: n, Type: named(n)})
		}
		return m
	}
	s := &Schema{Types: []TypeDef{
		{Name: "none", Atom: Atom{Map: leaf(nil)}},
		{Name: "some", Atom: Atom{Map: leaf("d")}},
		{Name: "false", Atom: Atom{Map: leaf(false)}},
		{Name: "named", Atom: Atom{Scalar: ptr(String)}, Default: ""},
		{Name: "items", Atom: Atom{List: &List{ElementType: named("none"), ElementDefault: 0}}},
		{Name: "values", Atom: Atom{Map: &Map{ElementType: named("none"), ElementDefault: 0}}},
		{Name: "listOfSome", Atom: Atom{List: &List{ElementType: named("some")}}},
		{Name: "mapOfSome", Atom: Atom{Map: &Map{ElementType: named("some")}}},
		{Name: "ring1", Atom: Atom{Map: field("ring2")}},
		{Name: "ring2", Atom: Atom{Map: field("ring3", "some")}},
		{Name: "ring3", Atom: Atom{Map: field("ring1")}},
		{Name: "bare1", Atom: Atom{Map: field("bare2", "none")}},
		{Name: "bare2", Atom: Atom{Map: field("bare1")}},
		{Name: "above", Atom: Atom{Map: field("ring1", "bare1")}},
		{Name: "beside", Atom: Atom{Map: field("none", "bare1")}},
		{Name: "missing", Atom: Atom{Map: field("gone")}},
	}}
	for _, c := range []struct {
		name string
		want bool
	}{
		{"none", false}, {"some", true}, {"false", true}, {"named", true}, {"items", true}, {"values", true},
		{"listOfSome", true}, {"mapOfSome", true}, {"ring3", true}, {"ring1", true}, {"ring2", true},
		{"bare1", false}, {"bare2", false}, {"above", true}, {"beside", false}, {"missing", false},
	} {
		if got := s.node(named(c.name)).HasDefaults; got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestReferencesAreBounded checks that the number of cached references is limited, even if
// each call has a new reference. It also checks that a reused reference is compiled only
// once.
func TestReferencesAreBounded(t *testing.T) {
	s := &Schema{Types: []TypeDef{{Name: "a", Atom: Atom{Map: &Map{ElementType: TypeRef{Inlined: Atom{Scalar: ptr(String)}}}}}}}
	fresh := func() TypeRef {
		return TypeRef{Inlined: Atom{Map: &Map{ElementType: TypeRef{NamedType: ptr("a")}}}}
	}
	kept := fresh()
	first := s.node(kept)
	again := 0
	for i := range 3 * maxReferences {
		if n := s.node(fresh()); n.Map == nil || n.Map.Elem != first.Map.Elem {
			t.Fatalf("reference %d leads elsewhere", i)
		}
		if s.node(kept) == first {
			again++
		}
	}
	c := s.computed().compilers[s.policies()].Load()
	if n := len(c.others); n > maxReferences {
		t.Errorf("%d references are cached", n)
	}
	if again < 3*maxReferences-3 {
		t.Errorf("a reused reference was found %d times of %d", again, 3*maxReferences)
	}
}
