// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"math/rand"
	"reflect"
	"sync"
	"testing"
)

func named(name string) TypeRef { return TypeRef{NamedType: &name} }

func TestLastOfTwoTypesCounts(t *testing.T) {
	s := &Schema{Types: []TypeDef{
		{Name: "a", Atom: Atom{Scalar: ptr(String)}},
		{Name: "b", Atom: Atom{Scalar: ptr(Boolean)}},
		{Name: "a", Atom: Atom{Scalar: ptr(Numeric)}},
	}}
	if td, ok := s.FindNamedType("a"); !ok || *td.Scalar != Numeric {
		t.Errorf("got %v, %v", td, ok)
	}
	if _, ok := s.FindNamedType("c"); ok {
		t.Error("a missing type is found")
	}
	if _, ok := (&Schema{}).FindNamedType(""); ok {
		t.Error("an empty schema has a type")
	}
}

func TestResolve(t *testing.T) {
	list := &List{ElementRelationship: Associative, Keys: []string{"k"}, ElementType: named("scalar"), ElementDefault: "x"}
	struct_ := &Map{Fields: []StructField{{Name: "f", Type: named("scalar")}}, Required: []string{"f"}, ElementDefault: 1}
	s := &Schema{Types: []TypeDef{
		{Name: "scalar", Atom: Atom{Scalar: ptr(String)}},
		{Name: "list", Atom: Atom{List: list}},
		{Name: "map", Atom: Atom{Map: struct_}},
		{Name: "both", Atom: Atom{List: list, Map: struct_}},
		{Name: "nothing"},
	}}
	over := func(tr TypeRef, rel ElementRelationship) TypeRef {
		tr.ElementRelationship = &rel
		return tr
	}
	for name, c := range map[string]struct {
		ref  TypeRef
		want Atom
		ok   bool
	}{
		"by name":                   {named("list"), Atom{List: list}, true},
		"inlined":                   {TypeRef{Inlined: Atom{Map: struct_}}, Atom{Map: struct_}, true},
		"name before inlined":       {TypeRef{NamedType: ptr("list"), Inlined: Atom{Map: struct_}}, Atom{List: list}, true},
		"empty reference":           {TypeRef{}, Atom{}, true},
		"type without a kind":       {named("nothing"), Atom{}, true},
		"missing":                   {named("gone"), Atom{}, false},
		"missing and overridden":    {over(named("gone"), Atomic), Atom{}, false},
		"scalar overridden":         {over(named("scalar"), Atomic), Atom{}, false},
		"nothing overridden":        {over(TypeRef{}, Atomic), Atom{}, false},
		"list overridden":           {over(named("list"), Atomic), Atom{List: &List{ElementRelationship: Atomic, Keys: []string{"k"}, ElementType: list.ElementType, ElementDefault: "x"}}, true},
		"map overridden":            {over(named("map"), Atomic), Atom{Map: &Map{ElementRelationship: Atomic, Fields: struct_.Fields, Required: []string{"f"}, ElementDefault: 1}}, true},
		"inlined overridden":        {over(TypeRef{Inlined: Atom{List: list}}, Separable), Atom{List: &List{ElementRelationship: Separable, Keys: []string{"k"}, ElementType: list.ElementType, ElementDefault: "x"}}, true},
		"the map of two is changed": {over(named("both"), Atomic), Atom{List: list, Map: &Map{ElementRelationship: Atomic, Fields: struct_.Fields, Required: []string{"f"}, ElementDefault: 1}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := s.Resolve(c.ref)
			if ok != c.ok || !got.Equals(&c.want) || !got.Map.Equals(c.want.Map) || !got.List.Equals(c.want.List) {
				t.Errorf("got %v, %v, want %v, %v", got, ok, c.want, c.ok)
			}
			again, _ := s.Resolve(c.ref)
			if again != got {
				t.Error("the second call returns another atom")
			}
		})
	}
	if list.ElementRelationship != Associative || struct_.ElementRelationship != "" {
		t.Error("an override was written into the type")
	}
}

func TestFindField(t *testing.T) {
	m := &Map{Fields: []StructField{{Name: "a", Default: 1}, {Name: "b"}, {Name: "a", Default: 2}}}
	if f, ok := m.FindField("a"); !ok || f.Default != 2 {
		t.Errorf("got %v, %v; want the last of two fields", f, ok)
	}
	if _, ok := m.FindField("c"); ok {
		t.Error("a missing field is found")
	}
	if _, ok := (&Map{}).FindField(""); ok {
		t.Error("an empty map has a field")
	}
}

func TestCopyInto(t *testing.T) {
	for seed := range int64(200) {
		s := random{rand.New(rand.NewSource(seed))}.schema()
		if seed%2 == 0 {
			s.node(named("a"))
		}
		dst := Schema{Types: []TypeDef{{Name: "left over"}}, MissingKeys: "left over"}
		if seed%3 == 0 {
			dst.node(named("left over"))
		}
		s.CopyInto(&dst)
		if !s.Equals(&dst) {
			t.Fatalf("seed %d: the copy is not equal", seed)
		}
		if _, ok := dst.FindNamedType("left over"); ok {
			t.Fatalf("seed %d: the copy still has its old types", seed)
		}
		for _, name := range []string{"a", "b", "c"} {
			x, inS := s.FindNamedType(name)
			y, inDst := dst.FindNamedType(name)
			if inS != inDst || !x.Equals(&y) {
				t.Fatalf("seed %d: type %s differs", seed, name)
			}
		}
	}
	(&Schema{}).CopyInto(nil)
}

func TestMapCopyInto(t *testing.T) {
	m := random{rand.New(rand.NewSource(5))}
	for range 200 {
		a := m.atom(3)
		if a.Map == nil {
			continue
		}
		a.Map.FindField("a")
		dst := &Map{Fields: []StructField{{Name: "left over"}}}
		dst.FindField("left over")
		a.Map.CopyInto(dst)
		if !reflect.DeepEqual(a.Map, dst) {
			t.Fatalf("got %v, want %v", dst, a.Map)
		}
		if _, ok := dst.FindField("left over"); ok {
			t.Fatal("the copy still has its old fields")
		}
	}
	(&Map{}).CopyInto(nil)
}

// TestConcurrentUse uses a schema in many goroutines at once. Run it with -race.
func TestConcurrentUse(t *testing.T) {
	for round := range 20 {
		m := &Map{}
		s := &Schema{}
		for i := range 20 {
			m.Fields = append(m.Fields, StructField{Name: fmt.Sprint(i), Type: TypeRef{NamedType: ptr("m"), Nullable: i%2 == 0, ElementRelationship: ptr(Atomic)}})
		}
		s.Types = []TypeDef{{Name: "m", Atom: Atom{Map: m}}}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range 20 {
					name := fmt.Sprint((i*7 + g) % 20)
					if _, ok := m.FindField(name); !ok {
						t.Errorf("no field %s", name)
					}
					if _, ok := s.FindNamedType("m"); !ok {
						t.Error("no type m")
					}
					tr := TypeRef{NamedType: ptr("m")}
					if i%2 == 0 {
						tr.ElementRelationship = ptr(Atomic)
					}
					first, ok := s.Resolve(tr)
					if second, _ := s.Resolve(tr); !ok || first != second {
						t.Error("two atoms for one reference")
					}
					if n := s.node(tr); n != s.node(tr) || n.Map.Field(name) == nil || n.Map.Field(name).Type.Map == nil {
						t.Errorf("round %d: an unfinished node", round)
					}
					var dst Schema
					s.CopyInto(&dst)
					dst.FindNamedType("m")
				}
			}()
		}
		wg.Wait()
	}
}

// TestCopyTakesOtherPolicies checks that the policies of a copy can differ from those of the
// original. Programs set policies in a copy if they did not create the parser.
func TestCopyTakesOtherPolicies(t *testing.T) {
	s := &Schema{Types: []TypeDef{{Name: "l", Atom: Atom{List: &List{
		ElementRelationship: Associative, Keys: []string{"k"},
		ElementType: TypeRef{Inlined: Atom{Map: &Map{Fields: []StructField{{Name: "k", Type: TypeRef{Inlined: Atom{Scalar: ptr(String)}}, Default: "d"}}}}},
	}}}}}
	s.node(named("l"))
	var dst Schema
	s.CopyInto(&dst)
	dst.DeclarativeDefaults, dst.MissingKeys, dst.ZeroKeysUnset = true, StrictKeys, true
	n := dst.node(named("l"))
	if !n.Declarative || !n.List.Strict || !n.List.Keys[0].NullIsMissing || !n.List.Keys[0].ZeroIsMissing {
		t.Errorf("the copy uses the policies of the original: %+v %+v", n, n.List)
	}
	if n := s.node(named("l")); n.Declarative || n.List.Strict {
		t.Error("the original uses the policies of the copy")
	}
}

func TestIndex(t *testing.T) {
	for _, n := range []int{0, 1, unindexed, unindexed + 1, 100, 1000} {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprint("name", i)
		}
		if n > 3 {
			all[3] = all[0]
		}
		name := func(i int) string { return all[i] }
		x := newIndex(n, name)
		for i := range all {
			want := i
			if n > 3 && i == 0 {
				want = 3
			}
			if got := x.find(all[i], n, name); got != want {
				t.Errorf("of %d: %s is entry %d, want %d", n, all[i], got, want)
			}
		}
		for _, absent := range []string{"", "name", "name1000"} {
			if got := x.find(absent, n, name); got != -1 {
				t.Errorf("of %d: %q is entry %d", n, absent, got)
			}
		}
	}
}
