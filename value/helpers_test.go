// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"testing"
)

// opaque hides the implementation of a value, so that it looks like a value of another package.
type opaque struct{ Value }

func (o opaque) AsMap() Map   { return opaqueMap{o.Value.AsMap()} }
func (o opaque) AsList() List { return opaqueList{o.Value.AsList()} }

type opaqueMap struct{ Map }

func (m opaqueMap) Get(key string) (Value, bool) {
	v, ok := m.Map.Get(key)
	if !ok {
		return nil, false
	}
	return opaque{v}, true
}

func (m opaqueMap) Iterate(fn func(string, Value) bool) bool {
	return m.Map.Iterate(func(k string, v Value) bool { return fn(k, opaque{v}) })
}

func (m opaqueMap) Equals(other Map) bool { return MapEquals(m, other) }

func (m opaqueMap) Zip(other Map, order MapTraverseOrder, fn func(string, Value, Value) bool) bool {
	return zip(m, other, order, fn)
}

type opaqueList struct{ List }

func (l opaqueList) Range() ListRange       { return opaqueRange{l.List.Range()} }
func (l opaqueList) Equals(other List) bool { return ListEquals(l, other) }

type opaqueRange struct{ ListRange }

func (r opaqueRange) Item() (int, Value) {
	i, v := r.ListRange.Item()
	return i, opaque{v}
}

// ordered has values in the order of Compare. The values in one row are equal.
var ordered = [][]any{
	{math.Inf(-1)},
	{-1, int8(-1), -1.0},
	{0, int64(0), uint8(0), 0.0, math.Copysign(0, -1), float32(0)},
	{1, int8(1), int16(1), int32(1), int64(1), uint(1), uint8(1), uint16(1), uint32(1), 1.0, float32(1)},
	{1.5, float32(1.5)},
	{int64(math.MaxInt64), float64(math.MaxInt64)},
	{""},
	{"a"},
	{"ab"},
	{"b"},
	{false},
	{true},
	{[]any{}, []any(nil)},
	{[]any{1}, []any{1.0}},
	{[]any{1, 1}},
	{[]any{2}},
	{[]any{[]any{}}},
	{map[string]any{}, map[string]any(nil), map[any]any{}},
	{map[string]any{"a": 1}, map[any]any{"a": 1.0}},
	{map[string]any{"a": 1, "b": 0}, map[any]any{"a": 1, "b": 0}},
	{map[string]any{"a": 1, "c": 0}, map[any]any{"a": 1, "c": 0}},
	{map[string]any{"a": 2}, map[any]any{"a": 2}},
	{map[string]any{"b": 0}},
	{nil},
	{uint64(1), []string{"a"}, struct{}{}},
}

// random returns one of a few different values, so that equal values are common.
func random(r *rand.Rand, depth int) any {
	n := r.Intn(9)
	if depth == 0 {
		n = r.Intn(5)
	}
	switch n {
	case 0:
		return nil
	case 1:
		return r.Intn(2) == 0
	case 2:
		return string(rune('a' + r.Intn(2)))
	case 3:
		return int64(r.Intn(2))
	case 4:
		return float64(r.Intn(3)) / 2
	case 5, 6:
		list := []any{}
		for range r.Intn(3) {
			list = append(list, random(r, depth-1))
		}
		return list
	case 7:
		m := map[any]any{}
		for range r.Intn(3) {
			m[string(rune('a'+r.Intn(3)))] = random(r, depth-1)
		}
		return m
	}
	m := map[string]any{}
	for range r.Intn(3) {
		m[string(rune('a'+r.Intn(3)))] = random(r, depth-1)
	}
	return m
}

// deepCopy returns a copy that shares no memory with v, so that comparisons have to compare
// the content.
func deepCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := map[string]any{}
		for k, e := range v {
			c[k] = deepCopy(e)
		}
		return c
	case map[any]any:
		c := map[any]any{}
		for k, e := range v {
			c[k] = deepCopy(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = deepCopy(e)
		}
		return c
	}
	return v
}

// nested returns lists and maps, nested to a depth.
func nested(depth int) any {
	var v any = "core"
	for i := range depth {
		if i%2 == 0 {
			v = []any{v}
		} else {
			v = map[string]any{"k": v}
		}
	}
	return v
}

// panicOf calls f and returns the text of its panic, or "" if it does not panic.
func panicOf(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// reflected wraps a pointer with NewValueReflect.
func reflected(t testing.TB, p any) Value {
	t.Helper()
	v, err := NewValueReflect(p)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func wantDeepEqual(t testing.TB, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
}
