// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"math/rand"
	"reflect"
	"testing"
)

// random generates schemas. It chooses from few values, so that equal parts are common.
type random struct{ *rand.Rand }

func (r random) name() string { return string(rune('a' + r.Intn(3))) }

func (r random) value() any {
	return []any{nil, nil, "x", 1, 1.0, []any{"x"}, map[string]any{"k": "v"}}[r.Intn(7)]
}

func (r random) relationship() ElementRelationship {
	return []ElementRelationship{"", Atomic, Associative, Separable}[r.Intn(4)]
}

func (r random) transition() Transition {
	return []Transition{NoTransition, NoTransition, Immutable, ImmutableKeys, AdditionOnly, DeletionOnly, SetOnce}[r.Intn(7)]
}

func (r random) schema() *Schema {
	s := &Schema{DeclarativeDefaults: r.Intn(2) == 0, ZeroKeysUnset: r.Intn(2) == 0}
	if r.Intn(2) == 0 {
		s.MissingKeys = StrictKeys
	}
	for range r.Intn(3) {
		s.Types = append(s.Types, TypeDef{Name: r.name(), Atom: r.atom(3), Default: r.value(), Transition: r.transition()})
	}
	return s
}

func (r random) ref(depth int) TypeRef {
	tr := TypeRef{Nullable: r.Intn(4) == 0, Transition: r.transition()}
	if r.Intn(3) == 0 {
		rel := r.relationship()
		tr.ElementRelationship = &rel
	}
	if r.Intn(2) == 0 {
		name := r.name()
		tr.NamedType = &name
	} else {
		tr.Inlined = r.atom(depth - 1)
	}
	return tr
}

func (r random) atom(depth int) Atom {
	var a Atom
	if depth <= 0 || r.Intn(3) == 0 {
		s := []Scalar{Numeric, String, Boolean, Untyped}[r.Intn(4)]
		a.Scalar = &s
		return a
	}
	if r.Intn(2) == 0 {
		a.List = &List{ElementType: r.ref(depth), ElementRelationship: r.relationship(), ElementDefault: r.value()}
		for range r.Intn(3) {
			a.List.Keys = append(a.List.Keys, r.name())
		}
		return a
	}
	a.Map = &Map{ElementType: r.ref(depth), ElementRelationship: r.relationship(), ElementDefault: r.value()}
	for range r.Intn(3) {
		a.Map.Fields = append(a.Map.Fields, StructField{Name: r.name(), Type: r.ref(depth), Default: r.value()})
	}
	for range r.Intn(2) {
		a.Map.Required = append(a.Map.Required, r.name())
	}
	if r.Intn(4) == 0 {
		a.Map.UnknownFields = []UnknownFieldPolicy{PruneUnknown, PreserveUnknown, ShallowUnknown}[r.Intn(3)]
	}
	if r.Intn(4) == 0 {
		name := r.name()
		a.Map.Unions = []Union{{Discriminator: &name, DeduceInvalidDiscriminator: r.Intn(2) == 0, Fields: []UnionField{{r.name(), r.name()}}}}
	}
	return a
}

// TestEqualsSeesEveryField compares Equals with reflect.DeepEqual, which compares all fields.
// Two schemas from one seed share no pointer and must be equal. Each atom allows only one
// kind of value, because Equals compares only the type of the first kind.
func TestEqualsSeesEveryField(t *testing.T) {
	equal := 0
	for seed := range int64(3000) {
		a := random{rand.New(rand.NewSource(seed))}.schema()
		again := random{rand.New(rand.NewSource(seed))}.schema()
		if !a.Equals(again) || !again.Equals(a) {
			t.Fatalf("seed %d: a schema does not equal itself", seed)
		}
		b := random{rand.New(rand.NewSource(seed + 1))}.schema()
		want := reflect.DeepEqual(a, b)
		if got := a.Equals(b); got != want || b.Equals(a) != want {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
		if want {
			equal++
		}
	}
	if equal == 0 || equal > 1000 {
		t.Errorf("%d of 3000 pairs are equal: too few or too many for a test", equal)
	}
}

func ptr[T any](v T) *T { return &v }

// TestEqualsSeesEachDifference changes one field at a time, so that no field can be
// forgotten. Equals must return false after each change.
func TestEqualsSeesEachDifference(t *testing.T) {
	list := func(l List) *Schema { return &Schema{Types: []TypeDef{{Atom: Atom{List: &l}}}} }
	mapping := func(m *Map) *Schema { return &Schema{Types: []TypeDef{{Atom: Atom{Map: m}}}} }
	field := func(f StructField) *Schema { return mapping(&Map{Fields: []StructField{f}}) }
	union := func(u Union) *Schema { return mapping(&Map{Unions: []Union{u}}) }
	for name, pair := range map[string][2]*Schema{
		"gate":                 {{}, {DeclarativeDefaults: true}},
		"missing keys":         {{}, {MissingKeys: StrictKeys}},
		"zero keys":            {{}, {ZeroKeysUnset: true}},
		"number of types":      {{}, {Types: []TypeDef{{}}}},
		"type name":            {{Types: []TypeDef{{Name: "a"}}}, {Types: []TypeDef{{Name: "b"}}}},
		"type default":         {{Types: []TypeDef{{Default: 1}}}, {Types: []TypeDef{{Default: 2}}}},
		"type transition":      {{Types: []TypeDef{{Transition: Immutable}}}, {Types: []TypeDef{{}}}},
		"transition":           {field(StructField{Type: TypeRef{Transition: Immutable}}), field(StructField{Type: TypeRef{Transition: SetOnce}})},
		"kind":                 {list(List{}), mapping(&Map{})},
		"scalar":               {{Types: []TypeDef{{Atom: Atom{Scalar: ptr(String)}}}}, {Types: []TypeDef{{Atom: Atom{Scalar: ptr(Numeric)}}}}},
		"list relationship":    {list(List{}), list(List{ElementRelationship: Atomic})},
		"list keys":            {list(List{Keys: []string{"a"}}), list(List{Keys: []string{"b"}})},
		"list items":           {list(List{}), list(List{ElementType: TypeRef{NamedType: ptr("a")}})},
		"item default":         {list(List{}), list(List{ElementDefault: ""})},
		"map relationship":     {mapping(&Map{}), mapping(&Map{ElementRelationship: Atomic})},
		"map values":           {mapping(&Map{}), mapping(&Map{ElementType: TypeRef{Nullable: true}})},
		"value default":        {mapping(&Map{}), mapping(&Map{ElementDefault: false})},
		"required":             {mapping(&Map{}), mapping(&Map{Required: []string{"a"}})},
		"unknown fields":       {mapping(&Map{}), mapping(&Map{UnknownFields: PruneUnknown})},
		"field name":           {field(StructField{Name: "a"}), field(StructField{Name: "b"})},
		"field default":        {field(StructField{Default: map[string]any{"a": 1}}), field(StructField{Default: map[string]any{"a": 2}})},
		"field type":           {field(StructField{Type: TypeRef{NamedType: ptr("a")}}), field(StructField{Type: TypeRef{NamedType: ptr("b")}})},
		"inlined type":         {field(StructField{Type: TypeRef{Inlined: Atom{Scalar: ptr(String)}}}), field(StructField{Type: TypeRef{Inlined: Atom{Scalar: ptr(Numeric)}}})},
		"reference override":   {field(StructField{Type: TypeRef{ElementRelationship: ptr(Atomic)}}), field(StructField{})},
		"discriminator":        {union(Union{Discriminator: ptr("a")}), union(Union{Discriminator: ptr("b")})},
		"discriminator at all": {union(Union{Discriminator: ptr("a")}), union(Union{})},
		"deduce discriminator": {union(Union{DeduceInvalidDiscriminator: true}), union(Union{})},
		"union field":          {union(Union{Fields: []UnionField{{FieldName: "a"}}}), union(Union{Fields: []UnionField{{FieldName: "b"}}})},
		"union value":          {union(Union{Fields: []UnionField{{DiscriminatorValue: "a"}}}), union(Union{Fields: []UnionField{{DiscriminatorValue: "b"}}})},
		"nil":                  {nil, {}},
	} {
		t.Run(name, func(t *testing.T) {
			if pair[0].Equals(pair[1]) || pair[1].Equals(pair[0]) {
				t.Error("two different schemas are equal")
			}
			if !pair[0].Equals(pair[0]) || !pair[1].Equals(pair[1]) {
				t.Error("a schema does not equal itself")
			}
		})
	}
}

// TestReferencesWithEqualRelationshipsAreEqual checks that Equals compares the relationships
// of references by value, although they are pointers.
func TestReferencesWithEqualRelationshipsAreEqual(t *testing.T) {
	a, b := TypeRef{ElementRelationship: ptr(Atomic)}, TypeRef{ElementRelationship: ptr(Atomic)}
	if !a.Equals(&b) {
		t.Error("not equal")
	}
	*b.ElementRelationship = Separable
	if a.Equals(&b) {
		t.Error("equal")
	}
}

func TestNilPartsAreEqualToNilOnly(t *testing.T) {
	for name, got := range map[string][3]bool{
		"TypeRef":     {(*TypeRef)(nil).Equals(nil), (*TypeRef)(nil).Equals(&TypeRef{}), (&TypeRef{}).Equals(nil)},
		"TypeDef":     {(*TypeDef)(nil).Equals(nil), (*TypeDef)(nil).Equals(&TypeDef{}), (&TypeDef{}).Equals(nil)},
		"Atom":        {(*Atom)(nil).Equals(nil), (*Atom)(nil).Equals(&Atom{}), (&Atom{}).Equals(nil)},
		"Map":         {(*Map)(nil).Equals(nil), (*Map)(nil).Equals(&Map{}), (&Map{}).Equals(nil)},
		"List":        {(*List)(nil).Equals(nil), (*List)(nil).Equals(&List{}), (&List{}).Equals(nil)},
		"StructField": {(*StructField)(nil).Equals(nil), (*StructField)(nil).Equals(&StructField{}), (&StructField{}).Equals(nil)},
		"Union":       {(*Union)(nil).Equals(nil), (*Union)(nil).Equals(&Union{}), (&Union{}).Equals(nil)},
		"UnionField":  {(*UnionField)(nil).Equals(nil), (*UnionField)(nil).Equals(&UnionField{}), (&UnionField{}).Equals(nil)},
	} {
		if got != [3]bool{true, false, false} {
			t.Errorf("%s: %v", name, got)
		}
	}
	if a, b := (&UnionField{FieldName: "a"}), (&UnionField{FieldName: "a"}); !a.Equals(b) || a.Equals(&UnionField{FieldName: "b"}) {
		t.Error("union fields are not compared by value")
	}
}

// TestEqualsIgnoresAndLeavesCaches checks that Equals ignores cached data, and that neither
// Equals nor the use of a schema changes the schema.
func TestEqualsIgnoresAndLeavesCaches(t *testing.T) {
	build := func() *Schema { return random{rand.New(rand.NewSource(11))}.schema() }
	used, fresh := build(), build()
	for _, name := range []string{"a", "b", "c"} {
		used.node(TypeRef{NamedType: ptr(name)})
	}
	if !used.Equals(fresh) || !fresh.Equals(used) {
		t.Error("using a schema changed it")
	}
	if !reflect.DeepEqual(fresh, build()) {
		t.Error("Equals changed a schema")
	}
}
