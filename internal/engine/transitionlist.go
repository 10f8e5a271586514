// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// items checks the items of lists. An item of a set is what it is, so that marks
// below it say nothing.
func (c *transition) items(n *graph.Node, a, b []any) {
	l := n.List
	switch {
	case l.Relation != graph.Associative:
		if l.Item.Marked {
			c.byIndex(l, a, b)
		}
	case len(l.Keys) == 0:
		if keepsOld(n.Transition) {
			c.lost(n, a, b, Removed)
		}
		if keepsOut(n.Transition) {
			c.lost(n, b, a, Added)
		}
	case l.Item.Marked || keepsOld(n.Transition) || keepsOut(n.Transition):
		c.byKey(n, a, b)
	}
}

// byIndex checks the items that both lists have. Those of a list that was not
// there, or is not, come or go with it.
func (c *transition) byIndex(l *graph.List, a, b []any) {
	for i := range min(len(a), len(b)) {
		from := len(c.found)
		if c.place(l.Item, a[i], b[i], true, true); len(c.found) > from {
			c.under(from, fieldpath.IndexElement(i), indexStep(i))
		}
	}
}

// byKey checks which items there are, and those that stay. Items without an
// identity are not paired. Several items with one identity come or go as one; those
// that stay are paired in their order.
func (c *transition) byKey(n *graph.Node, a, b []any) {
	l := n.List
	if c.inStep(l, a, b) {
		if l.Item.Marked {
			for i := range a {
				c.pair(l, a[i], b[i], i)
			}
		}
		return
	}
	ints := c.w.ints.Len()
	nb := c.w.Pair(l, a, b, known{})
	if keepsOld(n.Transition) {
		for i, id := range nb.left {
			if id >= 0 && nb.rights[id] == 0 && nb.leftAt[id] == int32(i) {
				c.entry(Violation{Mark: n.Transition, Changed: Removed, Old: a[i], Had: true}, c.w.element(l, a[i]), "")
			}
		}
	}
	if keepsOut(n.Transition) {
		for j, id := range nb.right {
			if id >= 0 && nb.lefts[id] == 0 && nb.rightAt[id] == int32(j) {
				c.entry(Violation{Mark: n.Transition, Changed: Added, New: b[j], Has: true}, c.w.element(l, b[j]), indexStep(j))
			}
		}
	}
	if l.Item.Marked {
		next := c.w.ints.Zeros(len(a)) // after an item, 1 + the next of its number
		at := c.w.ints.Zeros(nb.count) // of a number, 1 + its next item
		for i := len(a) - 1; i >= 0; i-- {
			if id := nb.left[i]; id >= 0 {
				next[i], at[id] = at[id], int32(i+1)
			}
		}
		for j, id := range nb.right {
			if id >= 0 && at[id] > 0 {
				i := at[id] - 1
				at[id] = next[i]
				c.pair(l, a[i], b[j], j)
			}
		}
	}
	c.w.ints.Pop(ints)
}

// inStep says whether the items are the same ones in the same order.
func (c *transition) inStep(l *graph.List, a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !identified(l, a[i]) || !identified(l, b[i]) || !sameItem(l, a[i], b[i]) {
			return false
		}
	}
	return true
}

// pair checks an item that stays; j is its index in the new list.
func (c *transition) pair(l *graph.List, x, y any, j int) {
	from := len(c.found)
	if c.place(l.Item, x, y, true, true); len(c.found) > from {
		c.under(from, c.w.element(l, y), indexStep(j))
	}
}

// lost reports the items of one set that the other has not.
func (c *transition) lost(n *graph.Node, x, y []any, how Changed) {
	item := n.List.Item
	c.eachLost(item, x, y, func(i int) {
		v, field := Violation{Mark: n.Transition, Changed: how}, ""
		if how == Added {
			v.New, v.Has, field = x[i], true, indexStep(i)
		} else {
			v.Old, v.Had = x[i], true
		}
		c.entry(v, fieldpath.ValueElement(value.NewValueInterface(x[i])), field)
	})
}
