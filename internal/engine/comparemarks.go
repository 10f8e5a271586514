// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// Whoever updates an object compares it with what it was, and that walk can tell that
// no mark is broken: where no difference is near a mark, and the comparison was exact.

// touches says whether a difference may break a mark: whether there is one at, below or
// above what differs. Items are not told apart.
func (d *change) touches(n *graph.Node) bool {
	for _, s := range d.below {
		if s != nil && touches(n, s) {
			return true
		}
	}
	return d.self != 0 && n.Marked
}

func touches(n *graph.Node, s *fieldpath.Set) bool {
	if !n.Marked {
		return false
	}
	if n.Transition != graph.Free || n.Map == nil {
		return true
	}
	for _, pe := range s.Members.Sorted() {
		if pe.FieldName == nil || n.Map.At(*pe.FieldName).Marked {
			return true
		}
	}
	for _, below := range s.Children.Sorted() {
		if pe := below.PathElement; pe.FieldName == nil || touches(n.Map.At(*pe.FieldName), below.Set) {
			return true
		}
	}
	return false
}

// equal says whether two values are equal as structured-merge-diff has it.
func (c *comparer) equal(x, y any) bool {
	if c.origin != nil {
		equal := c.origin.Equal(x, y, c.other)
		c.exact = c.exact && (!equal || c.w.stored.equal(nil, x, y))
		return equal
	}
	if c.exact {
		if c.w.stored.equal(nil, x, y) {
			return true
		}
		c.exact = !value.EqualUnstructured(x, y)
		return !c.exact
	}
	return value.EqualUnstructured(x, y)
}
