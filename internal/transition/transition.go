// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package transition

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/value"
)

// Violation is one thing that an update does and may not do.
type Violation struct {
	// Path is where: items of a list are known by their keys, of a set by their
	// value, of other lists by their index.
	Path fieldpath.Path
	// Field is the same as Kubernetes spells it, with the index that an item has in
	// the new value; an item that is gone is not in it.
	Field string
	// Rule is what the update breaks.
	Rule graph.Transition
	// Changed says what the update does to the value.
	Changed  Changed
	Old, New any
	// Had and Has say whether there is an old and a new value.
	Had, Has bool
}

// Changed says what became of a value.
type Changed uint8

// What became of a value: it differs, which to be set or removed is too, or it is an
// entry that was added or removed.
const (
	Altered Changed = iota
	Added
	Removed
)

// Check returns what an update of old to next, values of type n, may not
// do, sorted by path. Both are taken to be pruned, without nulls that are none, and
// with their defaults. anyOrder says that the order of the items of a list with keys
// does not count where it is immutable; that of a set never does.
//
// A node that has a rule is compared with what it was as long as what is around it is
// there before and after. Items are paired by their keys, or else by their index.
// What is valid and allowed costs no memory. It fails for data that is nested too
// deep.
func Check(n *graph.Node, old, next any, anyOrder bool) ([]Violation, diag.Findings) {
	if !n.HasTransitions || old == nil || next == nil || data.SameMemory(old, next) {
		return nil, nil
	}
	c := transitions.Get().(*transition)
	c.StoredEquality = data.StoredEquality{Ints: &c.w.Ints, AnyOrder: anyOrder}
	c.place(n, old, next, true, true)
	deep, found := c.Deep, c.found
	c.w.Scrub()
	c.found = nil
	transitions.Put(c)
	if deep {
		return nil, data.TooDeep()
	}
	return sorted(found), nil
}

// transition is a walk of an old and a new value along the paths that lead to
// rules.
type transition struct {
	data.StoredEquality
	w     item.Memory
	found []violation
}

var transitions = sync.Pool{New: func() any { return new(transition) }}

// violation is a Violation whose path grows while the walk unwinds.
type violation struct {
	Violation
	fields []string // the parts of Field, the last first
}

// under adds a step to the paths of what was found from that number on.
func (c *transition) under(from int, pe fieldpath.PathElement, field string) {
	for i := from; i < len(c.found); i++ {
		v := &c.found[i]
		v.Path = append(v.Path, pe)
		v.fields = append(v.fields, field)
	}
}

func sorted(found []violation) []Violation {
	if len(found) == 0 {
		return nil
	}
	all := make([]Violation, len(found))
	for i := range found {
		v := &found[i]
		slices.Reverse(v.Path)
		slices.Reverse(v.fields)
		v.Field = strings.TrimPrefix(strings.Join(v.fields, ""), ".")
		all[i] = v.Violation
	}
	slices.SortStableFunc(all, func(a, b Violation) int { return a.Path.Compare(b.Path) })
	return all
}

// place checks a value that may have been there before, and may be there now,
// where what is around it was and is.
func (c *transition) place(n *graph.Node, old, next any, had, has bool) {
	switch rule := n.Transition.Rule(); {
	case rule.Whole && rule.MaySet && old == nil:
		return
	case rule.Whole:
		if had != has || had && !c.Equal(n, old, next) {
			v := Violation{Rule: n.Transition, Old: old, New: next, Had: had, Has: has}
			c.found = append(c.found, violation{Violation: v})
		}
		return
	case n.Transition == graph.Free:
		if !had || !has {
			return
		}
	}
	if c.Enter() {
		c.below(n, old, next)
		c.Depth--
	}
}

// below checks the entries of containers. A value that is none, or not there, has
// no entries.
func (c *transition) below(n *graph.Node, old, next any) {
	if n.Map != nil {
		a, b := data.AsMap(old), data.AsMap(next)
		if !box.SameMap(a, b) {
			rule := n.Transition.Rule()
			if rule.NoneRemoved {
				c.lostKeys(n, a, b, Removed)
			}
			if rule.NoneAdded {
				c.lostKeys(n, b, a, Added)
			}
			if data.ClassOf(old) == data.Mapping && data.ClassOf(next) == data.Mapping {
				c.fields(n.Map, a, b)
			}
		}
	}
	if n.List != nil {
		if a, b := data.AsList(old), data.AsList(next); !box.SameList(a, b) {
			c.items(n, a, b)
		}
	}
}

// lostKeys reports the undeclared fields of one map that the other has not.
func (c *transition) lostKeys(n *graph.Node, x, y map[string]any, how Changed) {
	for name, v := range x {
		if _, ok := y[name]; !ok && n.Map.Field(name) == nil {
			c.entry(n, how, v, fieldpath.FieldNameElement(name), keyStep(name))
		}
	}
}

// entry reports an entry of a container that was added or removed.
func (c *transition) entry(n *graph.Node, how Changed, entry any, pe fieldpath.PathElement, field string) {
	v := Violation{Path: fieldpath.Path{pe}, Rule: n.Transition, Changed: how}
	if how == Added {
		v.New, v.Has = entry, true
	} else {
		v.Old, v.Had = entry, true
	}
	c.found = append(c.found, violation{v, []string{field}})
}

// keyStep is a step to an undeclared field as Kubernetes spells it.
func keyStep(name string) string { return "[" + name + "]" }

// indexStep is a step to an item as Kubernetes spells it.
func indexStep(i int) string { return keyStep(strconv.Itoa(i)) }

// fields checks the fields of a map that is there before and after.
func (c *transition) fields(m *graph.Map, a, b map[string]any) {
	for i := range m.Fields {
		f := &m.Fields[i]
		if !f.Type.HasTransitions {
			continue
		}
		old, had := a[f.Name]
		next, has := b[f.Name]
		if !had && !has {
			continue
		}
		from := len(c.found)
		if c.place(f.Type, old, next, had, has); len(c.found) > from {
			c.under(from, fieldpath.PathElement{FieldName: &f.Name}, "."+f.Name)
		}
	}
	if !m.Elem.HasTransitions {
		return
	}
	for name, old := range a {
		next, has := b[name]
		if !has || m.Field(name) != nil {
			continue
		}
		from := len(c.found)
		if c.place(m.Elem, old, next, true, true); len(c.found) > from {
			c.under(from, fieldpath.FieldNameElement(name), keyStep(name))
		}
	}
}

// items checks the items of lists, by their index if they have no identity: then those
// of a list that was not there, or is not, come or go with it. An item of a set is what
// it is, so that rules below it say nothing.
func (c *transition) items(n *graph.Node, a, b []any) {
	l, rule := n.List, n.Transition.Rule()
	switch {
	case !l.IsAssociative():
		if l.Item.HasTransitions {
			for i := range min(len(a), len(b)) {
				c.pair(l, a[i], b[i], i)
			}
		}
	case len(l.Keys) == 0:
		if rule.NoneRemoved {
			c.lost(n, a, b, Removed)
		}
		if rule.NoneAdded {
			c.lost(n, b, a, Added)
		}
	case l.Item.HasTransitions || rule.NoneRemoved || rule.NoneAdded:
		c.byKey(n, a, b)
	}
}

// byKey checks which items there are, and those that stay. Items without an
// identity are not paired. Several items with one identity come or go as one; those
// that stay are paired in their order.
func (c *transition) byKey(n *graph.Node, a, b []any) {
	l, rule := n.List, n.Transition.Rule()
	if c.inStep(l, a, b) {
		if l.Item.HasTransitions {
			for i := range a {
				c.pair(l, a[i], b[i], i)
			}
		}
		return
	}
	ints := c.w.Ints.Len()
	nb := c.w.Pair(l, a, b, item.Known{})
	if rule.NoneRemoved {
		for i, id := range nb.LeftNumber {
			if id >= 0 && nb.RightCount[id] == 0 && nb.FirstLeft[id] == int32(i) {
				c.entry(n, Removed, a[i], c.w.Element(l, a[i]), "")
			}
		}
	}
	if rule.NoneAdded {
		for j, id := range nb.RightNumber {
			if id >= 0 && nb.LeftCount[id] == 0 && nb.FirstRight[id] == int32(j) {
				c.entry(n, Added, b[j], c.w.Element(l, b[j]), indexStep(j))
			}
		}
	}
	if l.Item.HasTransitions {
		next := c.w.Ints.Zeros(len(a))   // after an item, 1 + the next of its number
		at := c.w.Ints.Zeros(nb.Numbers) // of a number, 1 + its next item
		for i := len(a) - 1; i >= 0; i-- {
			if id := nb.LeftNumber[i]; id >= 0 {
				next[i], at[id] = at[id], int32(i+1)
			}
		}
		for j, id := range nb.RightNumber {
			if id >= 0 && at[id] > 0 {
				i := at[id] - 1
				at[id] = next[i]
				c.pair(l, a[i], b[j], j)
			}
		}
	}
	c.w.Ints.Pop(ints)
}

// inStep says whether the items are the same ones in the same order.
func (c *transition) inStep(l *graph.List, a, b []any) bool {
	return slices.EqualFunc(a, b, func(x, y any) bool {
		return item.Identified(l, x) && item.Identified(l, y) && item.Same(l, x, y)
	})
}

// pair checks an item that stays; j is its index in the new list.
func (c *transition) pair(l *graph.List, x, y any, j int) {
	from := len(c.found)
	if c.place(l.Item, x, y, true, true); len(c.found) > from {
		pe := fieldpath.IndexElement(j)
		if l.IsAssociative() {
			pe = c.w.Element(l, y)
		}
		c.under(from, pe, indexStep(j))
	}
}

// lost reports the items of one set that the other has not.
func (c *transition) lost(n *graph.Node, x, y []any, how Changed) {
	c.EachRemoved(n.List.Item, x, y, func(i int) {
		field := ""
		if how == Added {
			field = indexStep(i)
		}
		c.entry(n, how, x[i], fieldpath.ValueElement(value.NewValueInterface(x[i])), field)
	})
}
