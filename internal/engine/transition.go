// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Violation is one thing that an update does and may not do.
type Violation struct {
	// Path is where: items of a list are known by their keys, of a set by their
	// value, of other lists by their index.
	Path fieldpath.Path
	// Field is the same as Kubernetes spells it, with the index that an item has in
	// the new value; an item that is gone is not in it.
	Field string
	// Mark is what the update breaks.
	Mark graph.Transition
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

// CheckTransition returns what an update of old to next, values of type n, may not
// do, sorted by path. Both are taken to be pruned, without nulls that are none, and
// with their defaults. anyOrder says that the order of the items of a list with keys
// does not count where it is immutable; that of a set never does.
//
// A node that is marked is compared with what it was as long as what is around it is
// there before and after. Items are paired by their keys, or else by their index.
// What is valid and allowed costs no memory. It fails for data that is nested too
// deep.
func CheckTransition(n *graph.Node, old, next any, anyOrder bool) ([]Violation, diag.Findings) {
	if !n.Marked || old == nil || next == nil || SameMemory(old, next) {
		return nil, nil
	}
	c := transitions.Get().(*transition)
	c.storedAlike = storedAlike{ints: &c.w.ints, anyOrder: anyOrder}
	c.place(n, old, next, true, true)
	deep, found := c.deep, c.found
	c.w.scrub()
	c.found = nil
	transitions.Put(c)
	if deep {
		return nil, tooDeep()
	}
	return sorted(found), nil
}

// transition is a walk of an old and a new value along the paths that lead to
// marks.
type transition struct {
	storedAlike
	w     itemMemory
	found []violation
}

var transitions = sync.Pool{New: func() any { return new(transition) }}

// violation is a Violation whose path grows while the walk unwinds.
type violation struct {
	Violation
	fields []string // the parts of Field, the last first
}

func (c *transition) report(v Violation) { c.found = append(c.found, violation{Violation: v}) }

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
		if had != has || had && !c.equal(n, old, next) {
			c.report(Violation{Mark: n.Transition, Old: old, New: next, Had: had, Has: has})
		}
		return
	case n.Transition == graph.Free:
		if !had || !has {
			return
		}
	}
	if c.enter() {
		c.below(n, old, next)
		c.depth--
	}
}

// below checks the entries of containers. A value that is none, or not there, has
// no entries.
func (c *transition) below(n *graph.Node, old, next any) {
	if n.Map != nil {
		a, wasMap := mapOf(old)
		b, isMap := mapOf(next)
		if !box.SameMap(a, b) {
			c.keys(n, a, b)
			if wasMap && isMap {
				c.fields(n.Map, a, b)
			}
		}
	}
	if n.List != nil {
		if a, b := asList(old), asList(next); !box.SameList(a, b) {
			c.items(n, a, b)
		}
	}
}

func mapOf(v any) (map[string]any, bool) {
	if m, ok := v.(map[string]any); ok {
		return m, true
	}
	m := asMap(v)
	return m, m != nil
}

// keepsOld and keepsOut say whether a rule forbids to remove entries, and to add
// some.
func keepsOld(t graph.Transition) bool { return t.Rule().NoneRemoved }
func keepsOut(t graph.Transition) bool { return t.Rule().NoneAdded }

// keys checks which undeclared fields there are.
func (c *transition) keys(n *graph.Node, a, b map[string]any) {
	if keepsOld(n.Transition) {
		for name, v := range a {
			if _, ok := b[name]; !ok && n.Map.Field(name) == nil {
				c.entry(Violation{Mark: n.Transition, Changed: Removed, Old: v, Had: true}, fieldpath.FieldNameElement(name), keyStep(name))
			}
		}
	}
	if keepsOut(n.Transition) {
		for name, v := range b {
			if _, ok := a[name]; !ok && n.Map.Field(name) == nil {
				c.entry(Violation{Mark: n.Transition, Changed: Added, New: v, Has: true}, fieldpath.FieldNameElement(name), keyStep(name))
			}
		}
	}
}

// entry reports an entry of a container.
func (c *transition) entry(v Violation, pe fieldpath.PathElement, field string) {
	from := len(c.found)
	c.report(v)
	c.under(from, pe, field)
}

// keyStep is a step to an undeclared field as Kubernetes spells it.
func keyStep(name string) string { return "[" + name + "]" }

// fields checks the fields of a map that is there before and after.
func (c *transition) fields(m *graph.Map, a, b map[string]any) {
	for i := range m.Fields {
		f := &m.Fields[i]
		if !f.Type.Marked {
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
	if !m.Elem.Marked {
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

// indexStep is a step to an item as Kubernetes spells it.
func indexStep(i int) string { return "[" + strconv.Itoa(i) + "]" }
