// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

func (c *comparer) lists(n *graph.Node, x, y any, a, b []any) (bool, diag.Findings) {
	if len(a) == 0 && len(b) == 0 || n.List.Relation == graph.Atomic {
		if c.unread != nil && !c.reads(n, x, y) {
			return false, nil
		}
		return c.leaf(n, x, y), nil
	}
	alike := 0
	if va := c.unread; va != nil {
		if alike = identicalItems(a, b); alike == len(a) && alike == len(b) || !c.read(n, y) {
			return false, nil
		}
		// Items that differ are compared as those of valid lists.
		c.unread = nil
		defer func() { c.unread = va }()
	} else if c.looksAhead() {
		if alike = c.aligned(a, b); alike == len(a) && alike == len(b) {
			return false, nil
		}
	}
	return c.items(n.List, a, b, alike)
}

// maxAhead is how many lists deep values are looked at for being equal before
// they are compared. What is below many would else be looked at as many times.
const maxAhead = 8

// looksAhead says whether items are compared only if they are not equal, which
// is quicker to say. Values that are not valid may have something wrong in both.
func (c *comparer) looksAhead() bool { return c.valid && c.nested < maxAhead }

// aligned returns how many items the two lists have in common at the start.
func (c *comparer) aligned(a, b []any) int {
	n := min(len(a), len(b))
	if n == 0 || &a[0] == &b[0] {
		return n
	}
	for i := range n {
		if !c.equal(a[i], b[i]) {
			return i
		}
	}
	return n
}

// identicalItems returns how many items two lists have in common at the start, to the
// last bit.
func identicalItems(a, b []any) int {
	n := min(len(a), len(b))
	for i := range n {
		if !identical(a[i], b[i]) {
			return i
		}
	}
	return n
}

// items compares the items of two lists by identity. Items that share one are
// compared as a group: it is one leaf. The first items are known to be alike on
// both sides.
func (c *comparer) items(l *graph.List, a, b []any, alike int) (bool, diag.Findings) {
	var wrong diag.Findings
	if !c.valid {
		wrong = append(unidentified(l, a), unidentified(l, b)...)
	}
	ints, mark := c.w.ints.Len(), c.w.changes.Len()
	ahead := c.looksAhead()
	c.nested++
	nb := c.w.number(l, a, b, c.known)
	c.exact = c.exact && nb.ordered()
	for id := int32(0); id < int32(nb.count); id++ {
		lefts, rights := nb.lefts[id], nb.rights[id]
		var x, y any
		if lefts > 0 {
			x = a[nb.leftAt[id]]
		}
		if rights > 0 {
			y = b[nb.rightAt[id]]
		}
		if ahead && lefts == 1 && rights == 1 {
			at, inStep := int(nb.leftAt[id]), nb.leftAt[id] == nb.rightAt[id]
			if inStep && at < alike || !(inStep && at == alike) && c.equal(x, y) {
				continue
			}
		}
		differs, fs := c.item(l, &nb, id, a, b, x, y)
		if !differs && fs == nil {
			continue
		}
		named := x
		if lefts == 0 {
			named = y
		}
		pe := c.w.element(l, named)
		if fs != nil {
			wrong = append(wrong, fs.Prefix(pe.String())...)
		}
		if differs {
			c.last().pe = pe
		}
	}
	c.nested--
	c.w.ints.Pop(ints)
	return c.gather(mark), wrong
}

// unidentified says which items have no identity, and why.
func unidentified(l *graph.List, items []any) (wrong diag.Findings) {
	for i, it := range items {
		if !identified(l, it) {
			wrong = append(wrong, diag.Newf(diag.NoIdentity, "element %v: %v", i, identityFault(l, it).Error())...)
		}
	}
	return wrong
}

func (c *comparer) item(l *graph.List, nb *numbering, id int32, a, b []any, x, y any) (bool, diag.Findings) {
	lefts, rights := nb.lefts[id], nb.rights[id]
	switch {
	case lefts == 1 && rights == 1:
		return c.both(l.Item, x, y)
	case lefts <= 1 && rights == 0:
		return true, c.one(l.Item, x, isRemoved)
	case lefts == 0 && rights == 1:
		return true, c.one(l.Item, y, isAdded)
	case lefts >= 2 && rights >= 2:
		if c.sameGroups(nb, id, a, b) {
			return false, nil
		}
		c.differs(1 << isModified)
	case lefts >= 2:
		return true, c.group(l, y, rights, isRemoved, isAdded)
	default:
		return true, c.group(l, x, lefts, isAdded, isRemoved)
	}
	return true, nil
}

// group leaves a change of several items with one identity on one side, where
// the other has v, if it has one.
func (c *comparer) group(l *graph.List, v any, count int32, side, other int) (wrong diag.Findings) {
	if count == 1 {
		wrong = c.one(l.Item, v, other)
		c.last().self |= 1 << side
	} else {
		c.differs(1 << side)
	}
	return wrong
}

// sameGroups says whether the items with one number are equal on both sides,
// in their order.
func (c *comparer) sameGroups(nb *numbering, id int32, a, b []any) bool {
	if nb.lefts[id] != nb.rights[id] {
		return false
	}
	j := 0
	for i := range a {
		if nb.left[i] != id {
			continue
		}
		for nb.right[j] != id {
			j++
		}
		if !c.equal(a[i], b[j]) {
			return false
		}
		j++
	}
	return true
}
