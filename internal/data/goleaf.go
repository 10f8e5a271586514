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

// Plain data of a Go struct may have branches only: a list that is one leaf is then a list
// of one item, a goLeaf, which knows the slice that the list is to be made of. A text of a
// map may be a goText, which knows the bytes. The functions of this file know of that, and
// ClassOf, and no other.
type goLeaf interface {
	// Make returns the list, a new one each time.
	Make() []any
	// Is says whether that would be the same as list.
	Is(list []any, same func(a, b any) bool) bool
	// Use has Make return list, which it is the same as.
	Use(list []any)
}

type goText interface {
	// Text returns the text.
	Text() string
	// Is says whether that would be text.
	Is(text string) bool
	// Use has Text return text, which it is the same as.
	Use(text string)
}

func goLeafIn(list []any) goLeaf {
	if len(list) == 1 {
		if g, ok := list[0].(goLeaf); ok {
			return g
		}
	}
	return nil
}

// WithLeaves returns v, a value of type n, with all lists and texts made. If v is the caller's own, it
// is written to; else what has one that is yet to be made is copied, and the rest shared.
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
				return g.Make(), true
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

// IdenticalBranches is Identical for data that may have branches only.
func IdenticalBranches(a, b any) bool { return sameBranches(a, b, Identical) }

// EqualBranches is value.EqualUnstructured for data that may have branches only.
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
			return y.Is(x)
		}
	case goText:
		switch y := b.(type) {
		case string:
			return x.Is(y)
		case goText:
			return x == y || x.Is(y.Text())
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
		return right.Is(x, same)
	case right == nil:
		return left.Is(y, same)
	}
	return left.Is(right.Make(), same)
}

// UseLeaf has x, a leaf that is identical to y, be y when it is made.
func UseLeaf(x, y any) {
	switch y := y.(type) {
	case []any:
		if g := goLeafIn(AsList(x)); g != nil && goLeafIn(y) == nil {
			g.Use(y)
		}
	case string:
		if g, ok := x.(goText); ok {
			g.Use(y)
		}
	}
}
