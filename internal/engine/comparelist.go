package engine

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

func (c *comparer) lists(n *graph.Node, x, y any, a, b []any) (d delta, wrong diag.Findings) {
	if len(a) == 0 && len(b) == 0 || n.List.Relation == graph.Atomic {
		return c.leaf(n, x, y), nil
	}
	if c.valid && aligned(a, b) {
		return delta{}, nil
	}
	d.below, wrong = c.items(n.List, a, b)
	return d, wrong
}

// aligned says whether both lists are equal item by item.
func aligned(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	if sameList(a, b) {
		return true
	}
	for i := range a {
		if !value.EqualUnstructured(a[i], b[i]) {
			return false
		}
	}
	return true
}

// items compares the items of two lists by identity. Items that share one are
// compared as a group: it is one leaf.
func (c *comparer) items(l *graph.List, a, b []any) ([ways]*fieldpath.Set, diag.Findings) {
	var wrong diag.Findings
	if !c.valid {
		wrong = append(unidentified(l, a), unidentified(l, b)...)
	}
	ints, mark := c.w.ints.len(), c.w.changes.len()
	nb := c.w.number(l, a, b, c.known)
	for id := int32(0); id < int32(nb.count); id++ {
		lefts, rights := nb.lefts[id], nb.rights[id]
		var x, y any
		if lefts > 0 {
			x = a[nb.leftAt[id]]
		}
		if rights > 0 {
			y = b[nb.rightAt[id]]
		}
		if c.valid && lefts == 1 && rights == 1 && value.EqualUnstructured(x, y) {
			continue
		}
		d, fs := c.item(l, &nb, id, a, b, x, y)
		if d.none() && fs == nil {
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
		c.note(pe, d)
	}
	c.w.ints.pop(ints)
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

func (c *comparer) item(l *graph.List, nb *numbering, id int32, a, b []any, x, y any) (d delta, wrong diag.Findings) {
	lefts, rights := nb.lefts[id], nb.rights[id]
	switch {
	case lefts <= 1 && rights <= 1:
		switch {
		case rights == 0:
			return c.one(l.Item, x, isRemoved)
		case lefts == 0:
			return c.one(l.Item, y, isAdded)
		}
		return c.both(l.Item, x, y)
	case lefts >= 2 && rights >= 2:
		if !sameGroups(nb, id, a, b) {
			d.self = 1 << isModified
		}
	case lefts >= 2:
		if rights == 1 {
			d, wrong = c.one(l.Item, y, isAdded)
		}
		d.self |= 1 << isRemoved
	default:
		if lefts == 1 {
			d, wrong = c.one(l.Item, x, isRemoved)
		}
		d.self |= 1 << isAdded
	}
	return d, wrong
}

// sameGroups says whether the items with one number are equal on both sides,
// in their order.
func sameGroups(nb *numbering, id int32, a, b []any) bool {
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
		if !value.EqualUnstructured(a[i], b[j]) {
			return false
		}
		j++
	}
	return true
}
