// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import "github.com/dovetail-ssa/dovetail/internal/box"

// Equals reports whether two values are equal. Numbers are equal by magnitude,
// int or float; lists by items in order; maps by keys and values; undefined
// values are all equal. It panics if either is nil.
//
// Two values that share a Go map or slice are equal without looking inside.
func Equals(lhs, rhs Value) bool {
	if l, ok := lhs.(*valueUnstructured); ok {
		if r, ok := rhs.(*valueUnstructured); ok {
			return equal(l.Value, r.Value, 0)
		}
	}
	l, r := kindOf(lhs), kindOf(rhs)
	if l != r {
		if l > intKind || r > intKind {
			return false
		}
		return magnitude(lhs, l) == magnitude(rhs, r)
	}
	switch l {
	case floatKind:
		return lhs.AsFloat() == rhs.AsFloat()
	case intKind:
		return lhs.AsInt() == rhs.AsInt()
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

// magnitude returns a number as a float.
func magnitude(v Value, k kind) float64 {
	if k == intKind {
		return float64(v.AsInt())
	}
	return v.AsFloat()
}

// EqualsUsing is Equals.
//
// Deprecated: the allocator is ignored; use Equals.
func EqualsUsing(_ Allocator, lhs, rhs Value) bool {
	return Equals(lhs, rhs)
}

// EqualUnstructured is Equals of NewValueInterface(a) and NewValueInterface(b),
// without making values of them. It does not allocate.
func EqualUnstructured(a, b any) bool {
	return equal(a, b, 0)
}

func equal(a, b any, depth int) bool {
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
		switch b := b.(type) {
		case map[string]any:
			return equalMaps(a, b, depth)
		case map[any]any:
			return equalToAnyMap(a, b, depth)
		}
		return false
	case []any:
		b, ok := b.([]any)
		return ok && equalLists(a, b, depth)
	case map[any]any:
		switch b := b.(type) {
		case map[string]any:
			return equalFromAnyMap(a, b, depth)
		case map[any]any:
			return equalAnyMaps(a, b, depth)
		}
		return false
	}
	l, r := numberOf(a), numberOf(b)
	switch {
	case l.kind == undefinedKind && r.kind == undefinedKind:
		return kindOfUnstructured(b) == undefinedKind
	case l.kind == undefinedKind || r.kind == undefinedKind:
		return false
	}
	return l.equal(r)
}

func equalLists(a, b []any, depth int) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return true
	}
	if depth >= stackDepth {
		return onNewStack(func() bool { return equalLists(a, b, 0) })
	}
	for i := range a {
		if !equal(a[i], b[i], depth+1) {
			return false
		}
	}
	return true
}

func equalMaps(a, b map[string]any, depth int) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || box.SameMap(a, b) {
		return true
	}
	if depth >= stackDepth {
		return onNewStack(func() bool { return equalMaps(a, b, 0) })
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
		} else if !equal(x, y, depth+1) {
			return false
		}
	}
	return true
}

// The remaining ones are equalMaps for maps as YAML decodes them. Keys that are
// no strings are not there.

// stringKeys returns how many keys are strings.
func stringKeys(m map[any]any) int {
	n := 0
	for k := range m {
		if _, ok := k.(string); ok {
			n++
		}
	}
	return n
}

func equalToAnyMap(a map[string]any, b map[any]any, depth int) bool {
	if len(a) != stringKeys(b) {
		return false
	}
	if depth >= stackDepth {
		return onNewStack(func() bool { return equalToAnyMap(a, b, 0) })
	}
	for k, y := range b {
		name, ok := k.(string)
		if !ok {
			continue
		}
		x, ok := a[name]
		if !ok || !equal(x, y, depth+1) {
			return false
		}
	}
	return true
}

func equalFromAnyMap(a map[any]any, b map[string]any, depth int) bool {
	if stringKeys(a) != len(b) {
		return false
	}
	if depth >= stackDepth {
		return onNewStack(func() bool { return equalFromAnyMap(a, b, 0) })
	}
	for k, y := range b {
		x, ok := a[k]
		if !ok || !equal(x, y, depth+1) {
			return false
		}
	}
	return true
}

func equalAnyMaps(a, b map[any]any, depth int) bool {
	if box.SameMap(a, b) {
		return true
	}
	if stringKeys(a) != stringKeys(b) {
		return false
	}
	if depth >= stackDepth {
		return onNewStack(func() bool { return equalAnyMaps(a, b, 0) })
	}
	for k, y := range b {
		if _, ok := k.(string); !ok {
			continue
		}
		x, ok := a[k]
		if !ok || !equal(x, y, depth+1) {
			return false
		}
	}
	return true
}
