// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// CompareOne returns the differences between a value and none at all: all
// paths of v are added, or removed.
func CompareOne(n *graph.Node, v any, added bool) (*Differences, diag.Findings) {
	w := newWalker()
	c := comparer{w: w}
	side := isRemoved
	if added {
		side = isAdded
	}
	wrong := c.one(n, v, side)
	out := c.differences(wrong)
	w.done()
	return out, wrong
}

// one leaves a change of all paths of v, which the other side lacks.
func (c *comparer) one(n *graph.Node, v any, side int) diag.Findings {
	below, wrong := false, diag.Findings(nil)
	if n.Missing {
		wrong = noType(n)
	} else {
		switch kindFor(n, v) {
		case graph.MapKind:
			if x := asMap(v); !n.Map.Atomic && len(x) > 0 {
				below, wrong = c.oneMap(n.Map, x, side)
			}
		case graph.ListKind:
			x := asList(v)
			if n.List.Relation == graph.Atomic || len(x) == 0 {
				break
			}
			if side == isAdded {
				below, wrong = c.items(n.List, nil, x, 0)
			} else {
				below, wrong = c.items(n.List, x, nil, 0)
			}
		case 0:
			wrong = noKind(n)
		}
	}
	if below {
		c.last().self |= 1 << side
	} else {
		c.differs(1 << side)
	}
	return wrong
}

func (c *comparer) oneMap(m *graph.Map, x map[string]any, side int) (bool, diag.Findings) {
	var wrong []diag.Under
	mark := c.w.changes.Len()
	for name, v := range x {
		wrong = under(wrong, name, c.one(m.At(name), v, side))
		c.last().pe = c.w.field(m, name)
	}
	return c.gather(mark), diag.Join(wrong)
}

// under adds what is wrong with the field of a name.
func under(wrong []diag.Under, name string, fs diag.Findings) []diag.Under {
	if fs == nil {
		return wrong
	}
	return append(wrong, diag.Under{Name: name, Findings: fs.Prefix("." + name)})
}
