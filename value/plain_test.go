// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"
)

func TestNewValueInterfaceKinds(t *testing.T) {
	for _, tc := range []struct {
		in   any
		want kind
	}{
		{nil, nullKind},
		{true, boolKind},
		{"a", stringKind},
		{1, intKind}, {int8(1), intKind}, {int16(1), intKind}, {int32(1), intKind}, {int64(1), intKind},
		{uint(1), intKind}, {uint8(1), intKind}, {uint16(1), intKind}, {uint32(1), intKind},
		{1.5, floatKind}, {float32(1.5), floatKind},
		{[]any{}, listKind}, {[]any(nil), listKind},
		{map[string]any{}, mapKind}, {map[any]any{}, mapKind}, {map[string]any(nil), mapKind},
		{uint64(1), undefinedKind}, {[]string{}, undefinedKind}, {[]byte{}, undefinedKind},
		{map[string]string{}, undefinedKind}, {struct{}{}, undefinedKind}, {(*int)(nil), undefinedKind},
	} {
		v := NewValueInterface(tc.in)
		if got := kindOf(v); got != tc.want {
			t.Errorf("%#v: kind %v, want %v", tc.in, got, tc.want)
		}
		if got := kindOfUnstructured(tc.in); got != tc.want {
			t.Errorf("%#v: kindOfUnstructured %v, want %v", tc.in, got, tc.want)
		}
		is := []bool{v.IsFloat(), v.IsInt(), v.IsString(), v.IsBool(), v.IsList(), v.IsMap(), v.IsNull()}
		for k, yes := range is {
			if yes != (kind(k) == tc.want) {
				t.Errorf("%#v: kind %d: %v", tc.in, k, yes)
			}
		}
	}
}

func TestNewValueInterfaceScalars(t *testing.T) {
	for _, in := range []any{7, int8(7), int16(7), int32(7), int64(7), uint(7), uint8(7), uint16(7), uint32(7)} {
		if got := NewValueInterface(in).AsInt(); got != 7 {
			t.Errorf("%T: %d", in, got)
		}
	}
	big := uint(math.MaxUint)
	if got := NewValueInterface(big).AsInt(); got != int64(big) {
		t.Errorf("a uint out of range: %d", got)
	}
	for _, in := range []any{1.5, float32(1.5)} {
		if got := NewValueInterface(in).AsFloat(); got != 1.5 {
			t.Errorf("%T: %v", in, got)
		}
	}
	if !NewValueInterface(true).AsBool() || NewValueInterface("a").AsString() != "a" {
		t.Error("bool or string")
	}
}

func TestNewValueInterfacePrints(t *testing.T) {
	v := NewValueInterface(1)
	if got := fmt.Sprintf("%v %#v", v, v); got != "&{1} &value.valueUnstructured{Value:1}" {
		t.Error(got)
	}
}

func TestNewValueInterfacePanics(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    func()
		want string
	}{
		{"null as map", func() { NewValueInterface(nil).AsMap() }, "invalid nil"},
		{"int as map", func() { NewValueInterface(1).AsMapUsing(nil) }, "not a map: value.valueUnstructured{Value:1}"},
		{"string as list", func() { NewValueInterface("").AsListUsing(nil) }, "interface conversion: interface {} is string, not []interface {}"},
		{"string as int", func() { NewValueInterface("").AsInt() }, "interface conversion: interface {} is string, not int64"},
		{"int as float", func() { NewValueInterface(1).AsFloat() }, "interface conversion: interface {} is int, not float64"},
		{"item too early", func() { sliceList{1}.Range().Item() }, "Item() called before first calling Next()"},
		{"item too late", func() {
			r := sliceList{1}.Range()
			r.Next()
			r.Next()
			r.Item()
		}, "Item() called on ListRange with no more items"},
		{"item of nothing", func() { sliceList{}.RangeUsing(nil).Item() }, "Item called on empty ListRange"},
		{"unknown order", func() { plainMap[string]{}.Zip(plainMap[string]{}, 2, nil) }, "Unsupported map order"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := panicOf(tc.f); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestLists(t *testing.T) {
	l := NewValueInterface([]any{"a", "b"}).AsList()
	if l.Length() != 2 || l.At(1).AsString() != "b" || l.AtUsing(nil, 0).AsString() != "a" {
		t.Error("At")
	}
	var got []string
	for r := l.RangeUsing(HeapAllocator); r.Next(); {
		i, v := r.Item()
		got = append(got, fmt.Sprint(i, v.AsString()))
	}
	wantDeepEqual(t, got, []string{"0a", "1b"})
	if !l.EqualsUsing(nil, sliceList{"a", "b"}) || l.Equals(opaqueList{sliceList{"a", "c"}}) || l.Equals(sliceList{"a"}) {
		t.Error("Equals")
	}
	if !ListEqualsUsing(nil, l, l) || ListCompareUsing(nil, l, sliceList{"a"}) != 1 || !ListLess(sliceList{"a", "a"}, l) {
		t.Error("functions")
	}
}

func TestMaps(t *testing.T) {
	for _, m := range []Map{plainMap[string]{}, plainMap[any]{}} {
		if !m.Empty() || !m.Iterate(func(string, Value) bool { return false }) {
			t.Error("not empty")
		}
		m.Set("a", NewValueInterface(1))
		m.Set("b", NewValueInterface(nil))
		m.Set("c", NewValueInterface("x"))
		m.Delete("c")
		if m.Length() != 2 || m.Empty() || !m.Has("b") || m.Has("c") {
			t.Errorf("%v", m)
		}
		if v, ok := m.GetUsing(nil, "a"); !ok || v.AsInt() != 1 {
			t.Error("Get")
		}
		if v, ok := m.Get("c"); ok || v != nil {
			t.Error("Get of nothing")
		}
		var keys []string
		if !m.IterateUsing(nil, func(k string, v Value) bool { keys = append(keys, k); return true }) {
			t.Error("Iterate")
		}
		sort.Strings(keys)
		wantDeepEqual(t, keys, []string{"a", "b"})
		n := 0
		if m.Iterate(func(string, Value) bool { n++; return false }) || n != 1 {
			t.Error("Iterate does not stop")
		}
		if !m.EqualsUsing(nil, plainMap[string]{"a": 1.0, "b": nil}) || !m.Equals(plainMap[any]{"a": 1, "b": nil}) || m.Equals(opaqueMap{plainMap[string]{"a": 1, "c": nil}}) {
			t.Error("Equals")
		}
	}
	m := plainMap[any]{1: "x", "a": "y"}
	m.Iterate(func(k string, _ Value) bool {
		if k != "a" {
			t.Errorf("key %q", k)
		}
		return true
	})
}

func TestMapFunctionsOfNil(t *testing.T) {
	full := plainMap[string]{"a": 1}
	if !MapEquals(nil, nil) || MapEquals(nil, full) || MapEqualsUsing(nil, full, nil) {
		t.Error("MapEquals")
	}
	if MapCompare(nil, nil) != 0 || MapCompare(nil, plainMap[string]{}) != 0 || MapCompare(nil, full) != -1 || MapCompareUsing(nil, full, nil) != 1 || !MapLess(nil, full) || MapLess(full, nil) || MapLess(full, full) {
		t.Error("MapCompare")
	}
	if !MapZip(nil, nil, Unordered, nil) {
		t.Error("MapZip")
	}
}

func TestMapZip(t *testing.T) {
	type entry struct {
		key         string
		left, right bool
	}
	a, b := map[string]any{"a": 1, "c": 1, "b": 1}, map[string]any{"d": 2, "b": 2}
	for _, tc := range []struct {
		name string
		l, r Map
		want []entry
	}{
		{"both", plainMap[string](a), plainMap[string](b), []entry{{"a", true, false}, {"b", true, true}, {"c", true, false}, {"d", false, true}}},
		{"yaml", plainMap[any]{"a": 1}, plainMap[string](b), []entry{{"a", true, false}, {"b", false, true}, {"d", false, true}}},
		{"left only", plainMap[string](b), nil, []entry{{"b", true, false}, {"d", true, false}}},
		{"right only", nil, plainMap[string](b), []entry{{"b", false, true}, {"d", false, true}}},
		{"empty", plainMap[string]{}, plainMap[string]{}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, order := range []MapTraverseOrder{LexicalKeyOrder, Unordered} {
				var got []entry
				ok := MapZipUsing(nil, tc.l, tc.r, order, func(key string, l, r Value) bool {
					got = append(got, entry{key, l != nil, r != nil})
					return true
				})
				if order == Unordered {
					slices.SortFunc(got, func(x, y entry) int { return int(x.key[0]) - int(y.key[0]) })
				}
				if !ok {
					t.Error("stopped")
				}
				wantDeepEqual(t, got, tc.want)
				n := 0
				ok = MapZip(tc.l, tc.r, order, func(string, Value, Value) bool { n++; return false })
				if len(tc.want) > 0 && (ok || n != 1) {
					t.Error("does not stop")
				}
			}
		})
	}
}

func TestBatch(t *testing.T) {
	var b Batch
	var all []Value
	for i := range 1000 {
		all = append(all, b.Value(i))
	}
	for i, v := range all {
		if v.AsInt() != int64(i) {
			t.Fatalf("value %d is %d", i, v.AsInt())
		}
	}
	if !Equals(b.Value("a"), NewValueInterface("a")) {
		t.Error("not equal")
	}
	var x any = "x"
	if n := testing.AllocsPerRun(10, func() {
		var b Batch
		for range 256 {
			b.Value(x)
		}
	}); n > 8 {
		t.Errorf("%v allocations for 256 values", n)
	}
}

func TestFieldList(t *testing.T) {
	field := func(name string, v any) Field { return Field{name, NewValueInterface(v)} }
	f := FieldList{field("c", 1), field("a", 2), field("b", 3)}
	c := f.Copy()
	c.Sort()
	if f[0].Name != "c" || c[0].Name != "a" || c[2].Name != "c" {
		t.Error("Copy or Sort")
	}
	for _, tc := range []struct {
		a, b FieldList
		want int
	}{
		{nil, FieldList{}, 0},
		{FieldList{field("a", 1)}, FieldList{field("a", 1.0)}, 0},
		{FieldList{field("a", 1)}, FieldList{field("a", 2)}, -1},
		{FieldList{field("a", 1)}, FieldList{field("b", 0)}, -1},
		{FieldList{field("a", 1)}, FieldList{field("a", 1), field("b", 0)}, -1},
		{FieldList{field("a", 1), field("c", 1)}, FieldList{field("a", 1), field("b", 0)}, 1},
	} {
		if got := tc.a.Compare(tc.b); got != tc.want || tc.b.Compare(tc.a) != -got {
			t.Errorf("%v, %v: %d", tc.a, tc.b, got)
		}
		if tc.a.Equals(tc.b) != (tc.want == 0) || tc.a.Less(tc.b) != (tc.want < 0) {
			t.Errorf("%v, %v", tc.a, tc.b)
		}
	}
}

func TestScalarCompare(t *testing.T) {
	if BoolCompare(false, true) != -1 || BoolCompare(true, false) != 1 || BoolCompare(true, true) != 0 {
		t.Error("BoolCompare")
	}
	if IntCompare(1, 2) != -1 || IntCompare(2, 1) != 1 || IntCompare(1, 1) != 0 {
		t.Error("IntCompare")
	}
	if FloatCompare(1, 2) != -1 || FloatCompare(2, 1) != 1 || FloatCompare(1, 1) != 0 || FloatCompare(math.NaN(), 1) != 0 {
		t.Error("FloatCompare")
	}
}

func TestAllocators(t *testing.T) {
	for _, a := range []Allocator{HeapAllocator, NewFreelistAllocator()} {
		v := NewValueInterface([]any{1})
		list := v.AsListUsing(a)
		a.Free(list)
		if list.Length() != 1 {
			t.Error("freed")
		}
	}
}
