// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"maps"
	"slices"

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
	out, _ = d.value(n, v)
	if d.deep {
		return nil, nil, data.TooDeep()
	}
	for i := range d.twins {
		slices.Reverse(d.twins[i].Path)
	}
	slices.SortFunc(d.twins, func(a, b Twin) int {
		return cmp.Or(a.Path.Compare(b.Path), cmp.Compare(a.DroppedAt, b.DroppedAt))
	})
	return out, d.twins, nil
}

type deduplicator struct {
	w    *walker
	last bool
	// twins are what went; their paths have the last element first and grow while
	// the walk unwinds.
	twins []Twin
	depth int
	deep  bool
}

// value walks a value, and says whether the result is another one.
func (d *deduplicator) value(n *graph.Node, v any) (any, bool) {
	switch x := v.(type) {
	case map[string]any:
		if n.Map != nil && d.enter() {
			out, changed := d.fields(n.Map, x)
			d.depth--
			return out, changed
		}
	case []any:
		if n.List != nil && d.enter() {
			out, changed := d.list(n.List, x)
			d.depth--
			if changed {
				return out, true
			}
		}
	case map[any]any:
		if n.Map != nil {
			if out, changed := d.value(n, data.AsMap(v)); changed {
				return out, true
			}
		}
	}
	return v, false
}

// enter goes one level down, if that is not too deep.
func (d *deduplicator) enter() bool {
	if d.deep = d.deep || d.depth == data.MaxDepth; d.deep {
		return false
	}
	d.depth++
	return true
}

func (d *deduplicator) fields(m *graph.Map, x map[string]any) (map[string]any, bool) {
	out, changed := x, false
	for name, c := range x {
		if data.IsScalar(c) {
			continue
		}
		mark := len(d.twins)
		if kept, ok := d.value(m.At(name), c); ok {
			if !changed {
				out, changed = maps.Clone(x), true
			}
			out[name] = kept
		}
		d.under(mark, func() fieldpath.PathElement { return fieldpath.FieldNameElement(name) })
	}
	return out, changed
}

func (d *deduplicator) list(l *graph.List, x []any) ([]any, bool) {
	if !l.IsAssociative() || len(x) < 2 {
		return d.items(l, x)
	}
	mark := d.w.Keys.Len()
	ids, all := d.w.Identities(l, x)
	// Behind an item without identity there may be more.
	twice := all < len(x) || d.w.Duplicates(ids)
	d.w.Keys.Pop(mark)
	if !twice {
		return d.items(l, x)
	}
	left, changed := d.single(l, x)
	out, below := d.items(l, left)
	return out, changed || below
}

// single returns the items of x that stay.
func (d *deduplicator) single(l *graph.List, x []any) ([]any, bool) {
	mark := d.w.Ints.Len()
	defer d.w.Ints.Pop(mark)
	nb := d.w.Pair(l, x, nil, item.Known{})
	stays := nb.LeftAt
	if d.last {
		for i, id := range nb.Left {
			if id >= 0 {
				stays[id] = int32(i)
			}
		}
	}
	if nb.Count == len(x) {
		return x, false
	}
	left := make([]any, 0, len(x))
	for i, it := range x {
		id := nb.Left[i]
		if id < 0 || int(stays[id]) == i {
			left = append(left, it)
			continue
		}
		kept := int(stays[id])
		d.twins = append(d.twins, Twin{
			Path: fieldpath.Path{d.w.Element(l, it)}, KeptAt: kept, DroppedAt: i, Kept: x[kept], Dropped: it,
		})
	}
	return left, len(left) < len(x)
}

// items walks the items of a list that has none twice.
func (d *deduplicator) items(l *graph.List, x []any) ([]any, bool) {
	out, changed := x, false
	for i, c := range x {
		if data.IsScalar(c) {
			continue
		}
		mark := len(d.twins)
		if kept, ok := d.value(l.Item, c); ok {
			if !changed {
				out, changed = slices.Clone(x), true
			}
			out[i] = kept
		}
		d.under(mark, func() fieldpath.PathElement {
			if item.Identified(l, c) {
				return d.w.Element(l, c)
			}
			return fieldpath.IndexElement(i)
		})
	}
	return out, changed
}

// under puts what was found since a mark below a path element.
func (d *deduplicator) under(mark int, element func() fieldpath.PathElement) {
	if mark == len(d.twins) {
		return
	}
	pe := element()
	for i := mark; i < len(d.twins); i++ {
		d.twins[i].Path = append(d.twins[i].Path, pe)
	}
}
