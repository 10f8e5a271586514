// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/box"
)

// Equals reports whether two values are equal. An int and a float are equal if they represent
// the same number. Lists are equal if they have equal items in the same order. Maps are equal if
// they have the same keys with equal values. All undefined values are equal to each other.
// Equals panics if either value is nil.
//
// Two values that wrap the same Go map or slice are equal, even if it contains a NaN. If both
// values are lists that wrap typed Go slices (see NewValueReflect), Equals compares the slices
// with reflect.DeepEqual, as structured-merge-diff does. So two slices can differ although they
// serialise to the same JSON.
func Equals(lhs, rhs Value) bool {
	if l, ok := lhs.(*valueUnstructured); ok {
		if r, ok := rhs.(*valueUnstructured); ok {
			return EqualUnstructured(l.Value, r.Value)
		}
	}
	l, r := kindOf(lhs), kindOf(rhs)
	switch {
	case l <= intKind && r <= intKind:
		return numberIn(lhs, l).equal(numberIn(rhs, r))
	case l != r:
		return false
	}
	switch l {
	case stringKind:
		return lhs.AsString() == rhs.AsString()
	case boolKind:
		return lhs.AsBool() == rhs.AsBool()
	case listKind:
		return lhs.AsList().Equals(rhs.AsList())
	case mapKind:
		return lhs.AsMap().Equals(rhs.AsMap())
	}
	return true
}

// EqualUnstructured returns Equals(NewValueInterface(a), NewValueInterface(b))
// without wrapping the arguments. It does not allocate.
func EqualUnstructured(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		b, ok := b.(string)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case int64:
		if b, ok := b.(int64); ok {
			return a == b
		}
	case float64:
		if b, ok := b.(float64); ok {
			return a == b
		}
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			return equalMaps(a, b)
		}
		b, ok := b.(map[any]any)
		return ok && equalAnyMaps(anyMap{s: a}, anyMap{a: b})
	case []any:
		b, ok := b.([]any)
		return ok && equalLists(a, b)
	case map[any]any:
		b, ok := anyMapOf(b)
		return ok && equalAnyMaps(anyMap{a: a}, b)
	}
	l, r := numberOf(a), numberOf(b)
	if l.kind == undefinedKind || r.kind == undefinedKind {
		return l.kind == kindOfUnstructured(b)
	}
	return l.equal(r)
}

func equalLists(a, b []any) bool {
	return box.SameList(a, b) || slices.EqualFunc(a, b, EqualUnstructured)
}

func equalMaps(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || box.SameMap(a, b) {
		return true
	}
	for k, y := range b {
		x, ok := a[k]
		if !ok {
			return false
		}
		if s, ok := x.(string); ok {
			if t, ok := y.(string); !ok || s != t {
				return false
			}
		} else if !EqualUnstructured(x, y) {
			return false
		}
	}
	return true
}

// anyMap is a map decoded from JSON or YAML. Its methods ignore keys that are not strings.
type anyMap struct {
	s map[string]any // the map, if it was decoded from JSON
	a map[any]any    // the map, if it was decoded from YAML
}

func anyMapOf(v any) (anyMap, bool) {
	switch v := v.(type) {
	case map[string]any:
		return anyMap{s: v}, true
	case map[any]any:
		return anyMap{a: v}, true
	}
	return anyMap{}, false
}

func (m anyMap) len() int {
	n := len(m.s)
	for k := range m.a {
		if _, ok := k.(string); ok {
			n++
		}
	}
	return n
}

func (m anyMap) get(key string) (any, bool) {
	if m.s != nil {
		v, ok := m.s[key]
		return v, ok
	}
	v, ok := m.a[key]
	return v, ok
}

func (m anyMap) all(yield func(string, any) bool) {
	for k, v := range m.s {
		if !yield(k, v) {
			return
		}
	}
	for k, v := range m.a {
		if k, ok := k.(string); ok && !yield(k, v) {
			return
		}
	}
}

// equalAnyMaps reports whether two maps, decoded from JSON or YAML, are equal.
func equalAnyMaps(a, b anyMap) bool {
	if a.a != nil && b.a != nil && box.SameMap(a.a, b.a) {
		return true
	}
	if a.len() != b.len() {
		return false
	}
	for k, y := range b.all {
		x, ok := a.get(k)
		if !ok || !EqualUnstructured(x, y) {
			return false
		}
	}
	return true
}
