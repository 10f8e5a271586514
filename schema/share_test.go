// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"math/rand"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

func shareTypes(t *testing.T) {
	SetProcessPolicies(Policies{ShareTypes: true})
	t.Cleanup(func() { SetProcessPolicies(Policies{}) })
}

// meta returns a new schema with types that many schemas have in common: a struct, a list with
// keys, a ring of two types and a recursive type. The function change may modify the schema.
func meta(change func(*Schema)) *Schema {
	str := func() TypeRef { return TypeRef{Inlined: Atom{Scalar: ptr(String)}} }
	s := &Schema{Types: []TypeDef{
		{Name: "meta", Atom: Atom{Map: &Map{Fields: []StructField{
			{Name: "owners", Type: TypeRef{Inlined: Atom{List: &List{ElementRelationship: Associative, Keys: []string{"uid"}, ElementType: named("owner")}}}},
			{Name: "name", Type: str()}, {Name: "labels", Type: TypeRef{Inlined: Atom{Map: &Map{ElementType: str()}}}, Default: map[string]any{}},
			{Name: "ring", Type: named("ring1")}, {Name: "any", Type: named("any")},
		}}}},
		{Name: "owner", Atom: Atom{Map: &Map{Fields: []StructField{{Name: "uid", Type: str(), Default: "none"}, {Name: "kind", Type: str()}}}}},
		{Name: "ring1", Atom: Atom{Map: &Map{Fields: []StructField{{Name: "next", Type: named("ring2")}, {Name: "x", Type: str()}}}}},
		{Name: "ring2", Atom: Atom{List: &List{ElementRelationship: Atomic, ElementType: named("ring1")}}},
		{Name: "any", Atom: Atom{Scalar: ptr(Untyped), List: &List{ElementRelationship: Atomic, ElementType: named("any")}, Map: &Map{ElementType: named("any")}}},
	}}
	if change != nil {
		change(s)
	}
	return s
}

func TestEqualTypesHaveOneNode(t *testing.T) {
	a := meta(nil)
	b := meta(func(s *Schema) {
		slices.Reverse(s.Types)
		s.Types = append(s.Types, TypeDef{Name: "more", Atom: Atom{Map: &Map{Fields: []StructField{{Name: "m", Type: named("meta")}}}}})
	})
	for _, name := range []string{"ring2", "meta", "owner", "any"} {
		if a.node(named(name)) != b.node(named(name)) {
			t.Errorf("%s has two nodes", name)
		}
	}
	if b.node(named("more")).Map.Field("m").Type != a.node(named("meta")) {
		t.Error("a type of one schema only does not lead to the node of both")
	}
	null := TypeRef{NamedType: ptr("ring1"), Nullable: true}
	if a.node(null) != b.node(null) || a.node(null).Map != b.node(named("ring1")).Map {
		t.Error("schemas do not share the nodes of variants")
	}
}

// TestTypesThatDifferDoNotShare checks that two types do not share a compiled node if they
// differ in a property that an operation uses. The difference can be at any level below the
// type, and in a ring of types.
func TestTypesThatDifferDoNotShare(t *testing.T) {
	plain := meta(nil)
	ring := func(s *Schema) *Map { return s.Types[2].Map }
	for name, change := range map[string]func(*Schema){
		"default of a key":     func(s *Schema) { s.Types[1].Map.Fields[0].Default = "other" },
		"type of a default":    func(s *Schema) { s.Types[0].Map.Fields[2].Default = []any{} },
		"default of a type":    func(s *Schema) { s.Types[1].Default = "d" },
		"default of an item":   func(s *Schema) { s.Types[0].Map.Fields[0].Type.Inlined.List.ElementDefault = "d" },
		"default of a value":   func(s *Schema) { s.Types[0].Map.Fields[2].Type.Inlined.Map.ElementDefault = "d" },
		"key":                  func(s *Schema) { s.Types[0].Map.Fields[0].Type.Inlined.List.Keys[0] = "kind" },
		"relation of a list":   func(s *Schema) { s.Types[0].Map.Fields[0].Type.Inlined.List.ElementRelationship = Atomic },
		"relation of a map":    func(s *Schema) { s.Types[0].Map.Fields[2].Type.Inlined.Map.ElementRelationship = Atomic },
		"relation of a ref":    func(s *Schema) { s.Types[0].Map.Fields[3].Type.ElementRelationship = ptr(Atomic) },
		"scalar":               func(s *Schema) { s.Types[0].Map.Fields[1].Type.Inlined.Scalar = ptr(Numeric) },
		"spelling of a scalar": func(s *Schema) { s.Types[0].Map.Fields[1].Type.Inlined.Scalar = ptr(Scalar("odd")) },
		"null":                 func(s *Schema) { s.Types[0].Map.Fields[1].Type.Nullable = true },
		"name of a field":      func(s *Schema) { s.Types[0].Map.Fields[1].Name = "title" },
		"one field more": func(s *Schema) {
			s.Types[0].Map.Fields = append(s.Types[0].Map.Fields, StructField{Name: "z", Type: named("any")})
		},
		"missing type":     func(s *Schema) { s.Types = append(s.Types[:1:1], s.Types[2:]...) },
		"other fields":     func(s *Schema) { s.Types[1].Map.ElementType = named("any") },
		"unknown fields":   func(s *Schema) { s.Types[1].Map.UnknownFields = PreserveUnknown },
		"unknown in ring":  func(s *Schema) { ring(s).UnknownFields = PreserveUnknown },
		"default in ring":  func(s *Schema) { ring(s).Fields[1].Default = "d" },
		"type in ring":     func(s *Schema) { ring(s).Fields[1].Type = named("any") },
		"null in ring":     func(s *Schema) { ring(s).Fields[0].Type.Nullable = true },
		"relation in ring": func(s *Schema) { s.Types[3].List.ElementRelationship = Separable },
		"declarative":      func(s *Schema) { s.DeclarativeDefaults = true },
		"strict keys":      func(s *Schema) { s.MissingKeys = StrictKeys },
		"transition":       func(s *Schema) { s.Types[0].Map.Fields[1].Type.Transition = Immutable },
		"one of a type":    func(s *Schema) { s.Types[1].Transition = SetOnce },
		"one in ring":      func(s *Schema) { ring(s).Fields[0].Type.Transition = AdditionOnly },
		"ring is no ring":  func(s *Schema) { s.Types[3].List.ElementType = named("any") },
	} {
		for _, on := range []bool{false, true} {
			t.Run(fmt.Sprint(name, on), func(t *testing.T) {
				SetProcessPolicies(Policies{ShareTypes: on})
				defer SetProcessPolicies(Policies{})
				a, b := meta(nil), meta(change)
				if a.node(named("meta")) != plain.node(named("meta")) {
					t.Error("equal schemas do not share")
				}
				if a.node(named("meta")) == b.node(named("meta")) {
					t.Error("the schemas share a type that differs")
				}
			})
		}
	}
}

func TestSharedTypesSayTheSame(t *testing.T) {
	shareTypes(t)
	build := func() *Schema {
		return meta(func(s *Schema) {
			self := &Map{}
			self.Fields = []StructField{{Name: "z"}, {Name: "a"}, {Name: "self", Type: TypeRef{Inlined: Atom{Map: self}}}}
			s.Types = append(s.Types,
				TypeDef{Name: "self", Atom: Atom{Map: self}},
				TypeDef{Name: "union", Atom: Atom{Map: &Map{Fields: []StructField{{Name: "z"}, {Name: "a"}}, Unions: []Union{{}}}}, Default: "d"},
				TypeDef{Name: "twice", Atom: Atom{Map: &Map{Fields: []StructField{{Name: "f", Default: 1}, {Name: "a"}, {Name: "f", Default: 2}}, Required: []string{"f"}}}})
		})
	}
	a, b, was := build(), build(), build()
	a.shareTypes()
	b.node(named("meta"))
	for i, td := range was.Types {
		for _, s := range []*Schema{a, b} {
			got := s.Types[i]
			if td.Name == "self" {
				if got.Map.Fields[2].Type.Inlined.Map != got.Map {
					t.Error("a type that is inlined into itself has changed")
				}
				continue
			}
			if td.Map != nil && td.Name != "union" {
				slices.SortStableFunc(td.Map.Fields, func(x, y StructField) int { return slices.Compare([]byte(x.Name), []byte(y.Name)) })
			}
			if !got.Equals(&td) {
				t.Errorf("%s has changed: %+v, was %+v", td.Name, got, td)
			}
			if td.Name == "twice" {
				if f, _ := got.Map.FindField("f"); f.Default != 2 {
					t.Error("the last of two fields is not used")
				}
			}
		}
		if shared := a.Types[i].Map == b.Types[i].Map; td.Map != nil && shared != (td.Name != "self" && td.Name != "union") {
			t.Errorf("%s: the map is shared: %v", td.Name, shared)
		}
	}
	if x, _ := a.Resolve(named("meta")); x.Map != a.Types[0].Map {
		t.Error("Resolve returns another type than the schema has")
	}
}

// sorted returns the expected form of a after sharing. It computes this form in a simple
// way: it copies the type and sorts the fields.
func sorted(a Atom) Atom {
	if a.List != nil {
		l := *a.List
		l.ElementType.Inlined = sorted(l.ElementType.Inlined)
		a.List = &l
	}
	if a.Map != nil {
		m := &Map{}
		a.Map.CopyInto(m)
		m.ElementType.Inlined = sorted(m.ElementType.Inlined)
		m.Fields = slices.Clone(m.Fields)
		for i := range m.Fields {
			m.Fields[i].Type.Inlined = sorted(m.Fields[i].Type.Inlined)
		}
		slices.SortStableFunc(m.Fields, func(a, b StructField) int { return strings.Compare(a.Name, b.Name) })
		a.Map = m
	}
	return a
}

// plainTypes reports whether schemas must share a type. They must share a type that has
// neither unions nor duplicate fields.
func plainTypes(a Atom) bool {
	plain := a.List == nil || plainTypes(a.List.ElementType.Inlined)
	if a.Map != nil {
		plain = plain && len(a.Map.Unions) == 0 && plainTypes(a.Map.ElementType.Inlined)
		names := map[string]bool{}
		for _, f := range a.Map.Fields {
			plain = plain && !names[f.Name] && plainTypes(f.Type.Inlined)
			names[f.Name] = true
		}
	}
	return plain
}

// TestRandomTypesAreShared checks that sharing does not change the meaning of types. Equal
// types must become one type, even if their fields have different orders.
func TestRandomTypesAreShared(t *testing.T) {
	shareTypes(t)
	var alive []*Schema
	one, several := 0, 0
	for seed := range int64(3000) {
		build := func() *Schema { return random{rand.New(rand.NewSource(seed))}.schema() }
		a, b, was := build(), build(), build()
		shuffle := rand.New(rand.NewSource(seed))
		for _, td := range b.Types {
			if td.Map != nil && plainTypes(td.Atom) {
				shuffle.Shuffle(len(td.Map.Fields), func(i, j int) {
					td.Map.Fields[i], td.Map.Fields[j] = td.Map.Fields[j], td.Map.Fields[i]
				})
			}
		}
		a.shareTypes()
		b.shareTypes()
		alive = append(alive, a, b)
		for i, td := range was.Types {
			plain := plainTypes(td.Atom)
			if got, want := textOf(a.Types[i].Atom), textOf(sorted(td.Atom)); plain && got != want {
				t.Fatalf("seed %d: %s is\n%s\nand was\n%s", seed, td.Name, got, want)
			}
			if !plain {
				several++
				continue
			}
			one++
			if a.Types[i].Map != b.Types[i].Map || a.Types[i].List != b.Types[i].List || a.Types[i].Scalar != b.Types[i].Scalar {
				t.Fatalf("seed %d: %s is not shared", seed, td.Name)
			}
		}
	}
	if one < 500 || several < 100 {
		t.Errorf("too few cases: %d types are shared, %d are not", one, several)
	}
	runtime.KeepAlive(alive)
}

// textOf returns all properties of a type as text. Nil and empty have different texts.
func textOf(a Atom) string {
	var b strings.Builder
	var write func(a Atom)
	ref := func(tr TypeRef) {
		fmt.Fprintf(&b, "(%v %v %v %v ", text(tr.NamedType), text(tr.ElementRelationship), tr.Nullable, tr.Transition)
		write(tr.Inlined)
		b.WriteString(")")
	}
	write = func(a Atom) {
		b.WriteString(text(a.Scalar))
		if l := a.List; l != nil {
			fmt.Fprintf(&b, "list %q %#v %T %#v", l.ElementRelationship, l.Keys, l.ElementDefault, l.ElementDefault)
			ref(l.ElementType)
		}
		if m := a.Map; m != nil {
			fmt.Fprintf(&b, "map %q %#v %T %#v %q %v", m.ElementRelationship, m.Required, m.ElementDefault, m.ElementDefault, m.UnknownFields, m.Fields == nil)
			ref(m.ElementType)
			for _, f := range m.Fields {
				fmt.Fprintf(&b, "%q %T %#v", f.Name, f.Default, f.Default)
				ref(f.Type)
			}
		}
	}
	write(a)
	return b.String()
}

func text[T ~string](p *T) string {
	if p == nil {
		return "-"
	}
	return string(*p)
}

// TestSameTypes checks that types with the same hash but different content are not the same.
func TestSameTypes(t *testing.T) {
	type written struct {
		m, kept *Map
		text    string
	}
	var all []written
	for seed := int64(0); len(all) < 2000; seed++ {
		r := random{rand.New(rand.NewSource(seed))}
		if a := r.atom(1 + r.Intn(2)); a.Map != nil && plainTypes(a) {
			kept := sorted(a)
			all = append(all, written{a.Map, kept.Map, textOf(kept)})
		}
	}
	same := 0
	for i, a := range all {
		for j, b := range all {
			if got := a.m.same(b.kept); got != (a.text == b.text) {
				t.Fatalf("%s\n%s\nare the same: %v", a.text, b.text, got)
			} else if got && i != j {
				same++
			}
		}
	}
	if same < 20 {
		t.Errorf("too few cases: %d pairs are the same", same)
	}
	fields := func(names ...string) *Map {
		m := &Map{}
		for _, name := range names {
			m.Fields = append(m.Fields, StructField{Name: name})
		}
		return m
	}
	for _, other := range []*Map{fields("a", "b"), fields("b", "c"), fields("0", "a")} {
		if fields("a", "a").same(other) || other.same(fields("a", "a")) {
			t.Error("a map with two fields of one name is the same as one without")
		}
	}
}

// TestSharingIsBounded checks that sharing stops for a type that contains exponentially many
// inlined types.
func TestSharingIsBounded(t *testing.T) {
	shareTypes(t)
	tower := func(height int) *Map {
		m := &Map{Fields: []StructField{{Name: "end", Type: TypeRef{Inlined: Atom{Scalar: ptr(String)}}}}}
		for range height {
			below := TypeRef{Inlined: Atom{Map: m}}
			m = &Map{Fields: []StructField{{Name: "a", Type: below}, {Name: "b", Type: below}}}
		}
		return m
	}
	circle := &Map{}
	circle.Fields = []StructField{{Name: "a", Type: TypeRef{Inlined: Atom{Map: circle}}}, {Name: "b", Type: TypeRef{Inlined: Atom{Map: circle}}}}
	low := &Schema{Types: []TypeDef{{Name: "tower", Atom: Atom{Map: tower(10)}}}}
	low.shareTypes()
	for _, m := range []*Map{tower(60), circle} {
		s := &Schema{Types: []TypeDef{{Name: "tower", Atom: Atom{Map: m}}, {Name: "other", Atom: Atom{Map: m}}}}
		if s.shareTypes(); s.Types[0].Map != m || s.Types[1].Map != m {
			t.Error("an exponentially large type is shared")
		}
	}
	again := &Schema{Types: []TypeDef{{Name: "tower", Atom: Atom{Map: tower(10)}}, {Name: "other", Atom: Atom{Map: tower(10)}}}}
	if again.shareTypes(); again.Types[0].Map != low.Types[0].Map || again.Types[1].Map != low.Types[0].Map {
		t.Error("a small type is not shared")
	}
	runtime.KeepAlive(low)
}

func TestNoTypesToShare(t *testing.T) {
	shareTypes(t)
	s := &Schema{}
	s.shareTypes()
	if _, ok := s.FindNamedType("meta"); ok || s.Types != nil {
		t.Errorf("a schema without types has %v", s.Types)
	}
}

func TestTypesAreLeftAloneByDefault(t *testing.T) {
	a := meta(nil)
	first, m := &a.Types[0], a.Types[0].Map
	a.shareTypes()
	a.node(named("meta"))
	if &a.Types[0] != first || a.Types[0].Map != m || m.Fields[0].Name != "owners" {
		t.Error("types are replaced")
	}
}

// TestTypesMayBeReplacedAfterShare checks that types may be replaced until the first use of the
// schema.
func TestTypesMayBeReplacedAfterShare(t *testing.T) {
	shareTypes(t)
	a := meta(nil)
	a.shareTypes()
	a.Types[1] = TypeDef{Name: "owner", Atom: Atom{Scalar: ptr(String)}}
	a.Types = append(a.Types, TypeDef{Name: "new", Atom: Atom{Scalar: ptr(Boolean)}})
	if a.node(named("owner")).Scalar != graph.String || a.node(named("new")).Scalar != graph.Boolean {
		t.Error("the schema compiles its old types")
	}
}

func TestCopyOfSharedTypes(t *testing.T) {
	shareTypes(t)
	a := meta(nil)
	a.shareTypes()
	var c Schema
	a.CopyInto(&c)
	if !reflect.DeepEqual(a, &c) {
		t.Error("a copy is not the same")
	}
	if c.shareTypes(); &c.Types[0] != &a.Types[0] {
		t.Error("a copy does not record that its types are shared")
	}
}

func TestConcurrentFirstUse(t *testing.T) {
	shareTypes(t)
	var schemas []*Schema
	for range 8 {
		schemas = append(schemas, meta(nil))
	}
	got := make([]*graph.Node, 64)
	var wg sync.WaitGroup
	for i := range got {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := schemas[i%len(schemas)]
			var c Schema
			s.CopyInto(&c)
			if !c.Equals(&c) || s.CheckKeys() != nil {
				t.Error("the schema is wrong")
			}
			s.shareTypes()
			got[i] = s.node(named([]string{"meta", "ring2"}[i/8%2]))
			if n := c.node(named("meta")); n.Map == nil {
				t.Error("a copy lacks a type")
			}
		}()
	}
	wg.Wait()
	for i, n := range got {
		if n != got[i/8%2*8] {
			t.Errorf("node %d is another one", i)
		}
	}
}

func TestSharedPartsAreCollected(t *testing.T) {
	shareTypes(t)
	var all []weak.Pointer[graph.Node]
	var types []weak.Pointer[Map]
	func() {
		// This schema is unique, so that no other test refers to its parts.
		s := meta(func(s *Schema) { ringField := &s.Types[2].Map.Fields[1]; ringField.Name = "collected" })
		for _, name := range []string{"meta", "ring1", "ring2"} {
			all = append(all, weak.Make(s.node(named(name))))
		}
		types = append(types, weak.Make(s.Types[2].Map))
		runtime.GC()
		if all[0].Value() == nil || types[0].Value() == nil {
			t.Error("parts of a schema in use were collected")
		}
		runtime.KeepAlive(s)
	}()
	runtime.GC()
	for i, p := range all {
		if p.Value() != nil {
			t.Errorf("node %d outlives its schema", i)
		}
	}
	if types[0].Value() != nil {
		t.Error("a type outlives its schema")
	}
}
