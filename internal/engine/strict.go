// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// equality tells whether two values are the same once they are stored. It is
// stricter than [value.EqualUnstructured]: an integer is not the float that it would
// be rounded to. And it knows the schema: a set has no order, however deep it is.
// The order of fields does not count; 1 and 1.0 are the same, and so are two NaN;
// null, nothing, {}, [] and "" are all different.
type equality struct {
	ints *scratch.Stack[int32]
	// anyOrder says that the items of lists with keys have no order either.
	anyOrder bool
	depth    int
	deep     bool
}

// enter goes one level down, if that is not too deep.
func (e *equality) enter() bool {
	if e.depth == MaxDepth {
		e.deep = true
		return false
	}
	e.depth++
	return true
}

// equal compares values of type n. Lists have an order where n is nil.
func (e *equality) equal(n *graph.Node, a, b any) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		y, ok := b.(string)
		return ok && x == y
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case int64:
		if y, ok := b.(int64); ok {
			return x == y
		}
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return e.equalMaps(mapIn(n), x, y)
		}
		y, ok := b.(map[any]any)
		return ok && e.equalAnyMaps(mapIn(n), anyMap(x), y)
	case []any:
		y, ok := b.([]any)
		return ok && e.equalLists(listIn(n), x, y)
	case map[any]any:
		y, ok := b.(map[any]any)
		if s, strings := b.(map[string]any); strings {
			y, ok = anyMap(s), true
		}
		return ok && e.equalAnyMaps(mapIn(n), x, y)
	}
	return equalNumbers(a, b)
}

func mapIn(n *graph.Node) *graph.Map {
	if n == nil {
		return nil
	}
	return n.Map
}

func listIn(n *graph.Node) *graph.List {
	if n == nil {
		return nil
	}
	return n.List
}

func (e *equality) equalMaps(m *graph.Map, x, y map[string]any) bool {
	if len(x) != len(y) {
		return false
	}
	if sameMap(x, y) || len(x) == 0 {
		return true
	}
	if !e.enter() {
		return false
	}
	same := true
	for name, v := range x {
		u, ok := y[name]
		if !ok {
			same = false
			break
		}
		if s, ok := v.(string); ok {
			if t, ok := u.(string); ok && s == t {
				continue
			}
			same = false
			break
		}
		var t *graph.Node
		switch v.(type) {
		case map[string]any, []any, map[any]any:
			if m != nil {
				t = m.At(name)
			}
		}
		if same = e.equal(t, v, u); !same {
			break
		}
	}
	e.depth--
	return same
}

func (e *equality) equalLists(l *graph.List, x, y []any) bool {
	if len(x) != len(y) {
		return false
	}
	if sameList(x, y) {
		return true
	}
	if !e.enter() {
		return false
	}
	// Items that may change places are compared in their order first, with that of
	// sets below: nested comparisons of all with all would add up.
	var item *graph.Node
	unordered := len(x) > 1 && e.unordered(l)
	if l != nil && !unordered {
		item = l.Item
	}
	i := 0
	for i < len(x) && e.equal(item, x[i], y[i]) {
		i++
	}
	same := i == len(x) || unordered && !e.deep && e.sameItems(l.Item, x[i:], y[i:])
	e.depth--
	return same
}

// unordered says whether the order of items does not count.
func (e *equality) unordered(l *graph.List) bool {
	return l != nil && l.Relation == graph.Associative && (e.anyOrder || len(l.Keys) == 0)
}

// anyMap returns m as decoders of YAML make it.
func anyMap(m map[string]any) map[any]any {
	out := make(map[any]any, len(m))
	for name, v := range m {
		out[name] = v
	}
	return out
}

func (e *equality) equalAnyMaps(m *graph.Map, x, y map[any]any) bool {
	if len(x) != len(y) {
		return false
	}
	if !e.enter() {
		return false
	}
	defer func() { e.depth-- }()
	for k, v := range x {
		u, ok := y[k]
		if !ok || !e.equal(atKey(m, k), v, u) {
			return false
		}
	}
	return true
}

func atKey(m *graph.Map, key any) *graph.Node {
	if name, ok := key.(string); ok && m != nil {
		return m.At(name)
	}
	return nil
}
