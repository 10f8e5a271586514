// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"math"
	"math/rand"
	"testing"
)

func TestEqualsAndCompareOrdered(t *testing.T) {
	for i, row := range ordered {
		for j, column := range ordered {
			for _, a := range row {
				for _, b := range column {
					b = deepCopy(b)
					l, r := NewValueInterface(a), NewValueInterface(b)
					for name, got := range map[string]bool{
						"Equals":            Equals(l, r),
						"EqualsUsing":       EqualsUsing(HeapAllocator, l, r),
						"EqualUnstructured": EqualUnstructured(a, b),
						"Equals, opaque":    Equals(opaque{l}, opaque{r}),
						"Equals, one":       Equals(l, opaque{r}),
						"Equals, other":     Equals(opaque{l}, r),
					} {
						if got != (i == j) {
							t.Errorf("%s(%#v, %#v) = %v", name, a, b, got)
						}
					}
					want := IntCompare(int64(i), int64(j))
					for name, got := range map[string]int{
						"Compare":             Compare(l, r),
						"CompareUsing":        CompareUsing(HeapAllocator, l, r),
						"CompareUnstructured": CompareUnstructured(a, b),
						"Compare, opaque":     Compare(opaque{l}, opaque{r}),
						"Compare, one":        Compare(l, opaque{r}),
					} {
						if got != want {
							t.Errorf("%s(%#v, %#v) = %v, want %v", name, a, b, got, want)
						}
					}
					if Less(l, r) != (i < j) {
						t.Errorf("Less(%#v, %#v) = %v", a, b, Less(l, r))
					}
				}
			}
		}
	}
}

func TestEqualsKeysThatAreNoStrings(t *testing.T) {
	for _, tc := range []struct {
		name string
		a, b any
		want bool
	}{
		{"not looked at", map[any]any{1: "x"}, map[any]any{2: "y"}, true},
		{"nor counted", map[any]any{1: "x"}, map[any]any{}, true},
		{"stand for no other", map[any]any{"a": 1, "b": 2}, map[any]any{"a": 1, 1: 1}, false},
		{"on either side", map[any]any{"a": 1, 1: 1}, map[any]any{"a": 1, "b": 2}, false},
		{"beside a string map", map[string]any{"a": 1, "b": 2}, map[any]any{"a": 1, 1: 1}, false},
		{"and the other way", map[any]any{"a": 1, 1: 1}, map[string]any{"a": 1, "b": 2}, false},
		{"not there", map[any]any{"a": 1, 1: 1}, map[string]any{"a": 1}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := EqualUnstructured(tc.a, tc.b); got != tc.want {
				t.Errorf("EqualUnstructured: got %v", got)
			}
			l, r := NewValueInterface(tc.a), NewValueInterface(tc.b)
			if got := l.AsMap().Equals(r.AsMap()); got != tc.want {
				t.Errorf("Map.Equals: got %v", got)
			}
			if got := l.AsMap().Equals(opaqueMap{r.AsMap()}); got != tc.want {
				t.Errorf("Map.Equals, opaque: got %v", got)
			}
		})
	}
}

// TestEqualsAmongKeysThatAreNoStrings checks that a comparison finds a field with different
// values, even if the maps have many keys that are not strings.
func TestEqualsAmongKeysThatAreNoStrings(t *testing.T) {
	a, b := map[any]any{"a": 1}, map[any]any{"a": 2}
	for i := range 100 {
		a[i], b[i] = i, i
	}
	if EqualUnstructured(a, b) || EqualUnstructured(a, map[string]any{"a": 2}) || EqualUnstructured(map[string]any{"a": 1}, b) {
		t.Error("the fields are equal")
	}
}

func TestEqualsNaN(t *testing.T) {
	nan := math.NaN()
	if EqualUnstructured(nan, nan) || CompareUnstructured(nan, nan) != 0 || CompareUnstructured(nan, 1) != 0 {
		t.Error("a NaN equals another value, or does not compare as 0")
	}
	if EqualUnstructured([]any{nan}, []any{nan}) {
		t.Error("a list with a NaN equals another list")
	}
	if l := []any{nan}; !EqualUnstructured(l, l) {
		t.Error("a list with a NaN does not equal itself")
	}
	for _, m := range []any{map[string]any{"a": nan}, map[any]any{"a": nan}} {
		if !EqualUnstructured(m, m) {
			t.Errorf("a %T with a NaN does not equal itself", m)
		}
	}
}

func TestEqualsRandom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 20000 {
		a, b := random(r, 3), random(r, 3)
		if r.Intn(3) == 0 {
			b = deepCopy(a)
		}
		l, m := NewValueInterface(a), NewValueInterface(b)
		equal, order := EqualUnstructured(a, b), CompareUnstructured(a, b)
		if slow := Equals(opaque{l}, opaque{m}); equal != slow {
			t.Fatalf("EqualUnstructured(%#v, %#v) = %v, item by item %v", a, b, equal, slow)
		}
		if slow := Compare(opaque{l}, opaque{m}); order != slow {
			t.Fatalf("CompareUnstructured(%#v, %#v) = %v, item by item %v", a, b, order, slow)
		}
		if equal != (order == 0) {
			t.Fatalf("%#v, %#v: equal %v, order %v", a, b, equal, order)
		}
		if back := CompareUnstructured(b, a); back != -order {
			t.Fatalf("CompareUnstructured(%#v, %#v) = %v, backwards %v", a, b, order, back)
		}
		c := random(r, 3)
		if order <= 0 && CompareUnstructured(b, c) <= 0 && CompareUnstructured(a, c) > 0 {
			t.Fatalf("not transitive: %#v, %#v, %#v", a, b, c)
		}
	}
}

func TestEqualsDoesNotAllocate(t *testing.T) {
	mixed := func() any {
		return map[string]any{
			"name": "a", "n": int64(4), "f": 1.5, "null": nil, "yes": true,
			"list": []any{map[string]any{"a": "b"}, map[any]any{"k": "v", "l": int64(300)}},
			"yaml": map[any]any{"a": []any{"x"}},
		}
	}
	yaml := func() any {
		return map[any]any{
			"name": "a", "n": 4, "f": 1.5, "null": nil, "yes": true,
			"list": []any{map[any]any{"a": "b"}, map[string]any{"k": "v", "l": 300}},
			"yaml": map[string]any{"a": []any{"x"}},
		}
	}
	for _, pair := range [][2]any{{mixed(), mixed()}, {yaml(), yaml()}, {mixed(), yaml()}, {yaml(), mixed()}} {
		a, b := pair[0], pair[1]
		l, r := NewValueInterface(a), NewValueInterface(b)
		if n := testing.AllocsPerRun(100, func() {
			if !EqualUnstructured(a, b) || !Equals(l, r) {
				t.Error("not equal")
			}
			if CompareUnstructured(a, b) != 0 || Compare(l, r) != 0 {
				t.Error("not in order")
			}
		}); n != 0 {
			t.Errorf("%T and %T: %v allocations", a, b, n)
		}
	}
}

func TestEqualsDeep(t *testing.T) {
	const depth = 100_000
	a, b := nested(depth), nested(depth)
	if !EqualUnstructured(a, b) || CompareUnstructured(a, b) != 0 {
		t.Error("not equal")
	}
	c := map[string]any{"k": nested(depth)}
	d := map[any]any{"k": nested(depth)}
	if !EqualUnstructured(c, d) || !EqualUnstructured(d, c) || CompareUnstructured(c, d) != 0 {
		t.Error("not equal")
	}
	e, f := any("core"), any("core")
	for range depth {
		e, f = map[any]any{"k": e}, map[any]any{"k": f}
	}
	if !EqualUnstructured(e, f) || CompareUnstructured(e, f) != 0 {
		t.Error("not equal")
	}
}

// TestOddKeys checks that map keys have no effect unless they are strings. YAML decoders can
// return maps with other keys.
func TestOddKeys(t *testing.T) {
	type yaml = map[any]any
	for _, tc := range []struct {
		odd   yaml
		plain map[string]any
	}{
		{yaml{1: "x"}, map[string]any{}},
		{yaml{1: "x", true: "y", nil: "z"}, map[string]any{}},
		{yaml{1: "x", "a": "y"}, map[string]any{"a": "y"}},
		{yaml{1: "x", "a": yaml{2: "y"}}, map[string]any{"a": map[string]any{}}},
	} {
		odd, plain := NewValueInterface(tc.odd), NewValueInterface(tc.plain)
		m := odd.AsMap()
		visited := 0
		m.Iterate(func(string, Value) bool { visited++; return true })
		if m.Length() != visited || m.Empty() != (visited == 0) {
			t.Errorf("%v: length %d, empty %v, %d visited", tc.odd, m.Length(), m.Empty(), visited)
		}
		same := NewValueInterface(yaml{})
		for k, v := range tc.plain {
			same.AsMap().Set(k, NewValueInterface(v))
		}
		same.Unstructured().(yaml)[99] = "w"
		for _, other := range []Value{plain, same, odd} {
			if !Equals(odd, other) || !Equals(other, odd) || Compare(odd, other) != 0 || Compare(other, odd) != 0 {
				t.Errorf("%v against %v: equal %v, %v, order %d, %d", tc.odd, other.Unstructured(),
					Equals(odd, other), Equals(other, odd), Compare(odd, other), Compare(other, odd))
			}
			if !EqualUnstructured(odd.Unstructured(), other.Unstructured()) || CompareUnstructured(other.Unstructured(), odd.Unstructured()) != 0 ||
				!MapEquals(m, other.AsMap()) || MapCompare(other.AsMap(), m) != 0 {
				t.Errorf("%v against %v", tc.odd, other.Unstructured())
			}
		}
		if more := NewValueInterface(map[string]any{"a": "y", "b": 1}); Equals(odd, more) || Equals(more, odd) || Compare(odd, more)+Compare(more, odd) != 0 {
			t.Errorf("%v equals %v", tc.odd, more.Unstructured())
		}
	}
}
