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

// Violation is a change that a transition rule forbids.
type Violation struct {
	// Path is the path of the change. It identifies an item of a keyed list by the keys, an item
	// of a set by the value, and an item of any other list by the index.
	Path fieldpath.Path
	// Field is the path in the notation of Kubernetes errors. The index of an item refers to the
	// new value. For a removed item, Field is the path of the list.
	Field string
	// Rule is the transition rule that the update breaks.
	Rule graph.Transition
	// Changed is the kind of change.
	Changed  Changed
	Old, New any
	// Had reports whether there is an old value, and Has whether there is a new value.
	Had, Has bool
}

// Changed is the kind of change that an update makes to a value.
type Changed uint8

// Altered means that a rule of the value itself is broken: the value was changed, set or removed.
// Added and Removed mean that a rule of the list or map around the value is broken: the value was
// added to the list or map, or removed from it.
const (
	Altered Changed = iota
	Added
	Removed
)

// Check returns the changes from old to next that transition rules forbid, sorted by path. Both
// values must have the type n, and must be as a server stores them: pruned, with defaults filled in,
// and with null only in nullable fields. If anyOrder is true, the order of items in an immutable
// keyed list does not matter. The order of a set never matters.
//
// A rule applies only if all lists and maps around the value exist before and after the update.
// Check pairs the items of a keyed list by their keys, and the items of a list that is not
// associative by index. It does not pair the items of a set, so rules inside them have no
// effect. If there are no violations, Check allocates nothing. It fails if a value is nested too
// deep.
func Check(n *graph.Node, old, next any, anyOrder bool) ([]Violation, diag.Findings) {
	if !n.HasTransitions || old == nil || next == nil || data.SameMemory(old, next) {
		return nil, nil
	}
	c := transitions.Get().(*transition)
	c.StoredEquality = data.StoredEquality{IntScratch: &c.w.IntScratch, AnyOrder: anyOrder}
	c.checkValue(n, old, next, true, true)
	deep, found := c.Exceeded, c.found
	c.w.Scrub()
	c.found = nil
	transitions.Put(c)
	if deep {
		return nil, data.DepthFindings()
	}
	return sorted(found), nil
}

// transition walks an old and a new value side by side, along the paths that lead to rules.
type transition struct {
	data.StoredEquality
	w     item.Workspace
	found []violation
}

var transitions = sync.Pool{New: func() any { return new(transition) }}

// violation is a Violation whose path is not complete yet. The walk extends the path on its way
// back to the root.
type violation struct {
	Violation
	fields []string // the parts of Field, in reverse order
}

// prefixPaths puts a path element in front of the paths of the violations in c.found[from:].
func (c *transition) prefixPaths(from int, pe fieldpath.PathElement, field string) {
	for i := from; i < len(c.found); i++ {
		v := &c.found[i]
		v.Path = append(v.Path, pe)
		v.fields = append(v.fields, field)
	}
}

// sorted completes the paths of the violations, and sorts the violations by path.
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

// checkValue checks a value against its rule and the rules inside it. existed reports whether there
// is a value before the update, and exists whether there is one after it. All lists and maps around
// the value must exist before and after the update.
func (c *transition) checkValue(n *graph.Node, old, next any, existed, exists bool) {
	switch rule := n.Transition.Rule(); {
	case rule.Whole && rule.MaySet && old == nil:
		return
	case rule.Whole:
		if existed != exists || existed && !c.Equal(n, old, next) {
			v := Violation{Rule: n.Transition, Old: old, New: next, Had: existed, Has: exists}
			c.found = append(c.found, violation{Violation: v})
		}
		return
	case n.Transition == graph.Free:
		if !existed || !exists {
			return
		}
	}
	if c.EnterLevel() {
		c.checkEntries(n, old, next)
		c.LeaveLevel()
	}
}

// checkEntries checks the entries of a list or map. A value that is absent, or neither a list nor
// a map, has no entries.
func (c *transition) checkEntries(n *graph.Node, old, next any) {
	if n.Map != nil {
		a, b := data.AsMap(old), data.AsMap(next)
		if !box.SameMap(a, b) {
			rule := n.Transition.Rule()
			if rule.NoneRemoved {
				c.missingKeys(n, a, b, Removed)
			}
			if rule.NoneAdded {
				c.missingKeys(n, b, a, Added)
			}
			if data.ClassOf(old) == data.Mapping && data.ClassOf(next) == data.Mapping {
				c.checkFields(n.Map, a, b)
			}
		}
	}
	if n.List != nil {
		if a, b := data.AsList(old), data.AsList(next); !box.SameList(a, b) {
			c.checkItems(n, a, b)
		}
	}
}

// missingKeys adds a violation for each undeclared field of x that is missing in y. kind is Added
// or Removed.
func (c *transition) missingKeys(n *graph.Node, x, y map[string]any, kind Changed) {
	for name, v := range x {
		if _, ok := y[name]; !ok && n.Map.Field(name) == nil {
			c.addEntry(n, kind, v, fieldpath.FieldNameElement(name), keyStep(name))
		}
	}
}

// addEntry adds a violation for an entry that was added to a list or map, or removed from it.
func (c *transition) addEntry(n *graph.Node, kind Changed, entry any, pe fieldpath.PathElement, field string) {
	v := Violation{Path: fieldpath.Path{pe}, Rule: n.Transition, Changed: kind}
	if kind == Added {
		v.New, v.Has = entry, true
	} else {
		v.Old, v.Had = entry, true
	}
	c.found = append(c.found, violation{v, []string{field}})
}

// keyStep returns the step to an undeclared field in the notation of Kubernetes.
func keyStep(name string) string { return "[" + name + "]" }

// indexStep returns the step to an item in the notation of Kubernetes.
func indexStep(i int) string { return keyStep(strconv.Itoa(i)) }

// checkFields checks the fields of a map that exists before and after the update.
func (c *transition) checkFields(m *graph.Map, a, b map[string]any) {
	for i := range m.Fields {
		f := &m.Fields[i]
		if !f.Type.HasTransitions {
			continue
		}
		old, existed := a[f.Name]
		next, exists := b[f.Name]
		if !existed && !exists {
			continue
		}
		from := len(c.found)
		if c.checkValue(f.Type, old, next, existed, exists); len(c.found) > from {
			c.prefixPaths(from, fieldpath.PathElement{FieldName: &f.Name}, "."+f.Name)
		}
	}
	if !m.Elem.HasTransitions {
		return
	}
	for name, old := range a {
		next, exists := b[name]
		if !exists || m.Field(name) != nil {
			continue
		}
		from := len(c.found)
		if c.checkValue(m.Elem, old, next, true, true); len(c.found) > from {
			c.prefixPaths(from, fieldpath.FieldNameElement(name), keyStep(name))
		}
	}
}

// checkItems checks the items of two lists. If the list is not associative, it compares items by
// index, at the indexes that both lists have. Rules inside the items of a set have no effect,
// because a changed item has a different identity.
func (c *transition) checkItems(n *graph.Node, a, b []any) {
	l, rule := n.List, n.Transition.Rule()
	switch {
	case !l.IsAssociative():
		if l.Item.HasTransitions {
			for i := range min(len(a), len(b)) {
				c.checkPair(l, a[i], b[i], i)
			}
		}
	case len(l.Keys) == 0:
		if rule.NoneRemoved {
			c.missingItems(n, a, b, Removed)
		}
		if rule.NoneAdded {
			c.missingItems(n, b, a, Added)
		}
	case l.Item.HasTransitions || rule.NoneRemoved || rule.NoneAdded:
		c.byKey(n, a, b)
	}
}

// byKey checks the items of two keyed lists. It finds added and removed items, and compares the
// other items with each other. It ignores items without an identity. If several items with the
// same identity are added or removed, they count as one item. If both lists have several items
// with the same identity, these items are paired in order.
func (c *transition) byKey(n *graph.Node, a, b []any) {
	l, rule := n.List, n.Transition.Rule()
	if c.inStep(l, a, b) {
		if l.Item.HasTransitions {
			for i := range a {
				c.checkPair(l, a[i], b[i], i)
			}
		}
		return
	}
	ints := c.w.IntScratch.Len()
	p := c.w.Pair(l, a, b, item.PairFacts{})
	if rule.NoneRemoved {
		for i, id := range p.LeftNumber {
			if id >= 0 && p.RightCount[id] == 0 && p.FirstLeft[id] == int32(i) {
				c.addEntry(n, Removed, a[i], c.w.Element(l, a[i]), "")
			}
		}
	}
	if rule.NoneAdded {
		for j, id := range p.RightNumber {
			if id >= 0 && p.LeftCount[id] == 0 && p.FirstRight[id] == int32(j) {
				c.addEntry(n, Added, b[j], c.w.Element(l, b[j]), indexStep(j))
			}
		}
	}
	if l.Item.HasTransitions {
		next := c.w.NextDuplicates(&p, p.LeftNumber)
		for j, id := range p.RightNumber {
			if id >= 0 && p.LeftCount[id] > 0 {
				i := p.FirstLeft[id]
				p.FirstLeft[id], p.LeftCount[id] = next[i], p.LeftCount[id]-1
				c.checkPair(l, a[i], b[j], j)
			}
		}
	}
	c.w.IntScratch.Pop(ints)
}

// inStep reports whether two lists have items with the same identities in the same order.
func (c *transition) inStep(l *graph.List, a, b []any) bool {
	return slices.EqualFunc(a, b, func(x, y any) bool {
		return item.HasIdentity(l, x) && item.HasIdentity(l, y) && item.SameIdentity(l, x, y)
	})
}

// checkPair compares x, an item of the old list, with y, the corresponding item of the new list.
// j is the index of y.
func (c *transition) checkPair(l *graph.List, x, y any, j int) {
	from := len(c.found)
	if c.checkValue(l.Item, x, y, true, true); len(c.found) > from {
		pe := fieldpath.IndexElement(j)
		if l.IsAssociative() {
			pe = c.w.Element(l, y)
		}
		c.prefixPaths(from, pe, indexStep(j))
	}
}

// missingItems adds a violation for each item of the set x that is missing in the set y. kind is
// Added or Removed.
func (c *transition) missingItems(n *graph.Node, x, y []any, kind Changed) {
	c.EachRemoved(n.List.Item, x, y, func(i int) {
		field := ""
		if kind == Added {
			field = indexStep(i)
		}
		c.addEntry(n, kind, x[i], fieldpath.ValueElement(value.NewValueInterface(x[i])), field)
	})
}
