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

// Twin is an item of a list that went because another one has its identity.
type Twin struct {
	// Path names the item, which is what both are called.
	Path fieldpath.Path
	// KeptAt and DroppedAt are the indexes of the two in the list before any went.
	KeptAt, DroppedAt int
	// Kept and Dropped are the two as they were.
	Kept, Dropped any
}

// Deduplicate returns v, a value of type n, with one item left of each identity in
// every associative list: the last one if last is set, else the first. It stays
// where it is. What is below an item that goes is not looked at; items without an
// identity stay. twins are in the order of their paths.
//
// v is left alone, and what does not change is its own. Nothing is allocated if
// there are no duplicates.
func Deduplicate(n *graph.Node, v any, last bool) (out any, twins []Twin, wrong diag.Findings) {
	w := newWalker()
	defer w.done()
	d := deduplicator{w: w, last: last}
	d.twins.path = func(t *Twin) *fieldpath.Path { return &t.Path }
	out, _ = d.value(n, v)
	if d.Deep {
		return nil, nil, data.TooDeep()
	}
	return out, d.twins.sorted(func(a, b Twin) int {
		return cmp.Or(a.Path.Compare(b.Path), cmp.Compare(a.DroppedAt, b.DroppedAt))
	}), nil
}

type deduplicator struct {
	w     *walker
	last  bool
	twins finds[Twin]
	data.Descent
}

// value walks a value, and says whether the result is another one.
func (d *deduplicator) value(n *graph.Node, v any) (any, bool) {
	switch x := v.(type) {
	case map[string]any, map[any]any:
		if n.Map != nil && d.Enter() {
			out := d.fields(n.Map, data.AsMap(x))
			d.Depth--
			return out.Of(v)
		}
	case []any:
		if n.List != nil && d.Enter() {
			out := d.list(n.List, x)
			d.Depth--
			return out.Of(v)
		}
	}
	return v, false
}

func (d *deduplicator) fields(m *graph.Map, x map[string]any) data.EditedMap {
	out := data.EditedMap{Map: x}
	for name, c := range x {
		if data.IsScalar(c) {
			continue
		}
		mark := len(d.twins.all)
		if kept, ok := d.value(m.At(name), c); ok {
			out.Put(name, kept)
		}
		d.twins.under(mark, func() fieldpath.PathElement { return fieldpath.FieldNameElement(name) })
	}
	return out
}

func (d *deduplicator) list(l *graph.List, x []any) data.EditedList {
	left := x
	if l.IsAssociative() && len(x) > 1 {
		left = d.single(l, x)
	}
	out := data.EditedList{List: left, Changed: len(left) < len(x)}
	for i, c := range left {
		if data.IsScalar(c) {
			continue
		}
		mark := len(d.twins.all)
		if kept, ok := d.value(l.Item, c); ok {
			out.Put(i, kept)
		}
		d.twins.under(mark, func() fieldpath.PathElement {
			if item.Identified(l, c) {
				return d.w.Element(l, c)
			}
			return fieldpath.IndexElement(i)
		})
	}
	return out
}

// single returns the items of x that stay.
func (d *deduplicator) single(l *graph.List, x []any) []any {
	mark := d.w.Ints.Len()
	defer d.w.Ints.Pop(mark)
	nb := d.w.Pair(l, x, nil, item.Known{})
	if nb.Numbers == len(x) {
		return x
	}
	stays := nb.FirstLeft
	if d.last {
		for i, id := range nb.LeftNumber {
			if id >= 0 {
				stays[id] = int32(i)
			}
		}
	}
	left := make([]any, 0, len(x))
	for i, it := range x {
		id := nb.LeftNumber[i]
		if id < 0 || int(stays[id]) == i {
			left = append(left, it)
			continue
		}
		kept := int(stays[id])
		d.twins.all = append(d.twins.all, Twin{
			Path: fieldpath.Path{d.w.Element(l, it)}, KeptAt: kept, DroppedAt: i, Kept: x[kept], Dropped: it,
		})
	}
	return left
}
