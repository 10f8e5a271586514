// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

func (c *comparer) kind(n *graph.Node, k graph.Kinds, x, y any) (bool, diag.Findings) {
	switch k {
	case graph.MapKind:
		c.exact = c.exact && !isAnyMap(x) && !isAnyMap(y)
		return c.maps(n, x, y, asMap(x), asMap(y))
	case graph.ScalarKind:
		left, right := checkScalar(n, x, "lhs: "), checkScalar(n, y, "rhs: ")
		if left != nil && right != nil {
			return false, append(left, right...)
		}
		return c.leaf(n, x, y), nil
	case graph.ListKind:
		return c.lists(n, x, y, asList(x), asList(y))
	}
	return false, noKind(n)
}

func (c *comparer) leaf(n *graph.Node, x, y any) bool {
	if c.equal(x, y) {
		return false
	}
	if n.Declarative && equivalent(n, nil, x, true, y, true) {
		c.exact = false
		return false
	}
	c.differs(1 << isModified)
	return true
}

// maps compares x and y as maps: a and b are their entries, none where they
// are no maps.
func (c *comparer) maps(n *graph.Node, x, y any, a, b map[string]any) (bool, diag.Findings) {
	m := n.Map
	if len(a) == 0 && len(b) == 0 || m.Atomic {
		if c.unread != nil && !c.reads(n, x, y) {
			return false, nil
		}
		return c.leaf(n, x, y), nil
	}
	if c.valid && sameMap(a, b) {
		return false, nil
	}
	if c.unread != nil {
		c.unread.depth++
	}
	// Whoever walks the map with more entries most often need not walk the other.
	more, less, side := a, b, isRemoved
	if len(a) < len(b) {
		more, less, side = b, a, isAdded
	}
	var wrong []diag.Under
	mark := c.w.changes.Len()
	shared := 0
	for name, v := range more {
		u, ok := less[name]
		if !ok {
			wrong = c.lone(n, name, v, side, wrong)
			continue
		}
		shared++
		if c.valid && sameScalar(v, u) {
			continue
		}
		if side == isAdded {
			v, u = u, v
		}
		if n.Declarative && (v == nil || u == nil) && saysTheSame(m, name, v, u, true) {
			c.exact = c.exact && v == nil && u == nil
			continue
		}
		differs, fs := c.both(m.At(name), v, u)
		if differs {
			c.last().pe = c.w.field(m, name)
		}
		if fs != nil {
			wrong = under(wrong, name, fs)
		}
	}
	if shared < len(less) {
		for name, v := range less {
			if _, ok := more[name]; !ok {
				wrong = c.lone(n, name, v, isRemoved+isAdded-side, wrong)
			}
		}
	}
	if c.unread != nil {
		c.unread.depth--
	}
	if wrong != nil {
		return c.gather(mark), diag.Join(wrong)
	}
	return c.gather(mark), nil
}

// lone leaves a change of a field of a value of type n that only one side has,
// and adds what is wrong with it.
func (c *comparer) lone(n *graph.Node, name string, v any, side int, wrong []diag.Under) []diag.Under {
	if n.Declarative && saysTheSame(n.Map, name, v, nil, false) {
		c.exact = false
		return wrong
	}
	if c.unread != nil && side == isAdded && !c.read(n.Map.At(name), v) {
		return wrong
	}
	wrong = under(wrong, name, c.one(n.Map.At(name), v, side))
	c.last().pe = c.w.field(n.Map, name)
	return wrong
}

// saysTheSame says whether v, and u if it is present, stand for the same as the
// field of that name: one of them may be a null that is no value, or absent and
// the other the default.
func saysTheSame(m *graph.Map, name string, v, u any, present bool) bool {
	if present && nullable(m.At(name)) {
		return false
	}
	return equivalentField(m, name, v, u, present)
}
