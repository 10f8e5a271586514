// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// The functions in this file work on branches. A branch is plain data that package value
// converts from a Go struct. To save time, some parts of a branch stay unconverted: an atomic
// list can be a list with a single goLeaf, which refers to the Go slice, and a string in a map
// can be a goText, which refers to a []byte. No other function accepts branches, except
// ClassOf.

// goLeaf is an atomic list that is not yet converted from a Go slice.
type goLeaf interface {
	// Plain returns the converted list. If SetPlain was not called, each call returns a new list.
	Plain() []any
	// Equals reports whether the unconverted list equals the given list. It calls same to compare
	// two items.
	Equals(list []any, same func(a, b any) bool) bool
	// SetPlain makes Plain return list, which must equal the unconverted list.
	SetPlain(list []any)
}

// goText is a text in a map. The text is still a []byte, and is converted to a string on first use.
type goText interface {
	// Text returns the string.
	Text() string
	// Equals reports whether the unconverted string equals text.
	Equals(text string) bool
	// SetText makes Text return text, which must equal the unconverted string. Later calls of Text
	// then need no conversion, and the two strings share memory.
	SetText(text string)
}

// goLeafIn returns the goLeaf of an unconverted list, and nil for any other list.
func goLeafIn(list []any) goLeaf {
	if len(list) == 1 {
		if g, ok := list[0].(goLeaf); ok {
			return g
		}
	}
	return nil
}

// WithLeaves converts all unconverted lists and strings of v, a value of type n. If own is true, it
// changes v in place. If own is false, it copies the containers that change, and the result shares
// all others with v.
func WithLeaves(n *graph.Node, v any, own bool) any {
	out, _ := withLeaves(n, v, own)
	return out
}

func withLeaves(n *graph.Node, v any, own bool) (out any, changed bool) {
	switch x := v.(type) {
	case map[string]any:
		if n.Map == nil || n.Map.Atomic {
			break
		}
		m := EditedMap{Map: x, Own: own}
		for name, c := range x {
			switch c := c.(type) {
			case map[string]any, []any:
				if c, changed := withLeaves(n.Map.At(name), c, own); changed {
					m.Put(name, c)
				}
			case goText:
				m.Put(name, c.Text())
			}
		}
		return m.Of(v)
	case []any:
		if n.List == nil {
			break
		}
		if n.List.IsAtomic() {
			if g := goLeafIn(x); g != nil {
				return g.Plain(), true
			}
			break
		}
		l := EditedList{List: x, Own: own}
		for i, c := range x {
			if c, changed := withLeaves(n.List.Item, c, own); changed {
				l.Put(i, c)
			}
		}
		return l.Of(v)
	}
	return v, false
}

// IdenticalBranches does the same as Identical, but a and b may contain lists and strings that are
// not yet converted from Go values.
func IdenticalBranches(a, b any) bool { return sameBranches(a, b, Identical) }

// EqualBranches does the same as value.EqualUnstructured, but a and b may contain lists and strings
// that are not yet converted from Go values.
func EqualBranches(a, b any) bool { return sameBranches(a, b, value.EqualUnstructured) }

func sameBranches(a, b any, same func(a, b any) bool) bool {
	switch x := a.(type) {
	case []any:
		if y, ok := b.([]any); ok && len(x) > 0 && len(y) > 0 {
			return box.SameList(x, y) || sameLists(x, y, same)
		}
	case map[string]any:
		if y, ok := b.(map[string]any); ok && len(x) > 0 && len(y) > 0 {
			return box.SameMap(x, y) || maps.EqualFunc(x, y, func(a, b any) bool { return sameBranches(a, b, same) })
		}
	case string:
		if y, ok := b.(goText); ok {
			return y.Equals(x)
		}
	case goText:
		switch y := b.(type) {
		case string:
			return x.Equals(y)
		case goText:
			return x == y || x.Equals(y.Text())
		}
	}
	return same(a, b)
}

func sameLists(x, y []any, same func(a, b any) bool) bool {
	left, right := goLeafIn(x), goLeafIn(y)
	switch {
	case left == nil && right == nil:
		return slices.EqualFunc(x, y, func(a, b any) bool { return sameBranches(a, b, same) })
	case left == right:
		return true
	case left == nil:
		return right.Equals(x, same)
	case right == nil:
		return left.Equals(y, same)
	}
	return left.Equals(right.Plain(), same)
}

// SetLeaf saves the conversion of x, an unconverted list or string: later reads of x return y,
// which must equal the converted x. It does nothing if x is already converted.
func SetLeaf(x, y any) {
	switch y := y.(type) {
	case []any:
		if g := goLeafIn(AsList(x)); g != nil && goLeafIn(y) == nil {
			g.SetPlain(y)
		}
	case string:
		if g, ok := x.(goText); ok {
			g.SetText(y)
		}
	}
}
