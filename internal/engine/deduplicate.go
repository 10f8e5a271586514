// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
)

// RemovedDuplicate is a list item that was removed because another item has the same identity.
type RemovedDuplicate struct {
	// Path is the path of both items in the original value.
	Path fieldpath.Path
	// KeptAt and DroppedAt are the indexes of the item that stays and the item that was
	// removed, in the original list.
	KeptAt, DroppedAt int
	// Kept and Dropped are the original values of both items.
	Kept, Dropped any
}

// Deduplicate returns v, a value of type n, with only one item of each identity in every
// associative list. If several items have the same identity, it keeps the last one if keepLast is
// true, and otherwise the first one. The kept item does not move. Items without an identity stay.
// Deduplicate does not look for duplicates inside removed items. The result removed is sorted by
// path.
//
// Deduplicate does not modify v, and out shares unchanged parts with v. A map[any]any that changes
// loses its keys that are not strings. If there are no duplicates, out is v itself. Deduplicate fails
// only if v is nested too deep.
func Deduplicate(n *graph.Node, v any, keepLast bool) (out any, removed []RemovedDuplicate, findings diag.Findings) {
	w := newWorkspace()
	defer w.done()
	d := deduplicator{w: w, keepLast: keepLast}
	d.removed.path = func(t *RemovedDuplicate) *fieldpath.Path { return &t.Path }
	out, _ = d.value(n, v)
	if d.Exceeded {
		return nil, nil, data.DepthFindings()
	}
	return out, d.removed.sorted(func(a, b RemovedDuplicate) int {
		return cmp.Or(a.Path.Compare(b.Path), cmp.Compare(a.DroppedAt, b.DroppedAt))
	}), nil
}

// deduplicator does the work of Deduplicate.
type deduplicator struct {
	w        *workspace
	keepLast bool
	removed  pathCollector[RemovedDuplicate]
	data.DepthLimit
}

// value returns v without duplicates. The boolean reports whether the result differs from v.
func (d *deduplicator) value(n *graph.Node, v any) (any, bool) {
	switch x := v.(type) {
	case map[string]any, map[any]any:
		if n.Map != nil && d.EnterLevel() {
			out := d.fields(n.Map, data.AsMap(x))
			d.LeaveLevel()
			return out.Of(v)
		}
	case []any:
		if n.List != nil && d.EnterLevel() {
			out := d.items(n.List, x)
			d.LeaveLevel()
			return out.Of(v)
		}
	}
	return v, false
}

// fields removes duplicates from the lists inside the fields of a map.
func (d *deduplicator) fields(m *graph.Map, x map[string]any) data.EditedMap {
	out := data.EditedMap{Map: x}
	for name, c := range x {
		if data.IsScalar(c) {
			continue
		}
		mark := len(d.removed.all)
		if unique, changed := d.value(m.At(name), c); changed {
			out.Put(name, unique)
		}
		d.removed.addParent(mark, func() fieldpath.PathElement { return fieldpath.FieldNameElement(name) })
	}
	return out
}

// items removes duplicate items from a list, and from the lists inside its items.
func (d *deduplicator) items(l *graph.List, x []any) data.EditedList {
	kept, indexes := x, []int(nil)
	if l.IsAssociative() && len(x) > 1 {
		kept, indexes = d.uniqueItems(l, x)
	}
	out := data.EditedList{List: kept, Changed: len(kept) < len(x)}
	for i, c := range kept {
		if data.IsScalar(c) {
			continue
		}
		mark := len(d.removed.all)
		if unique, changed := d.value(l.Item, c); changed {
			out.Put(i, unique)
		}
		d.removed.addParent(mark, func() fieldpath.PathElement {
			if item.HasIdentity(l, c) {
				return d.w.Element(l, c)
			}
			if indexes != nil {
				return fieldpath.IndexElement(indexes[i])
			}
			return fieldpath.IndexElement(i)
		})
	}
	return out
}

// uniqueItems returns the items of x, with only one item of each identity, and adds the other items to
// d.removed. indexes has the index in x of each returned item. If kept is x itself, indexes is nil.
func (d *deduplicator) uniqueItems(l *graph.List, x []any) (kept []any, indexes []int) {
	mark := d.w.IntScratch.Len()
	defer d.w.IntScratch.Pop(mark)
	p := d.w.Pair(l, x, nil, item.PairFacts{})
	if p.NumIdentities == len(x) {
		return x, nil
	}
	stays := p.FirstLeft // for each identity: the index of the item that stays
	if d.keepLast {
		for i, number := range p.LeftNumber {
			if number >= 0 {
				stays[number] = int32(i)
			}
		}
	}
	kept, indexes = make([]any, 0, len(x)), make([]int, 0, len(x))
	for i, it := range x {
		number := p.LeftNumber[i]
		if number < 0 || int(stays[number]) == i {
			kept, indexes = append(kept, it), append(indexes, i)
			continue
		}
		keptAt := int(stays[number])
		d.removed.all = append(d.removed.all, RemovedDuplicate{
			Path: fieldpath.Path{d.w.Element(l, it)}, KeptAt: keptAt, DroppedAt: i, Kept: x[keptAt], Dropped: it,
		})
	}
	return kept, indexes
}
