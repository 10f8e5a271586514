// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"hash/maphash"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/intern"
)

// eachBelow calls f with the parts that p leads to, in an order that is the
// same for equal parts.
func (p part) eachBelow(f func(part)) {
	switch {
	case p.node != nil:
		if p.node.List != nil {
			f(part{list: p.node.List})
		}
		if p.node.Map != nil {
			f(part{mapp: p.node.Map})
		}
	case p.list != nil:
		f(part{node: p.list.Item})
	case p.mapp != nil:
		f(part{node: p.mapp.Elem})
		for i := range p.mapp.Fields {
			f(part{node: p.mapp.Fields[i].Type})
		}
	}
}

func (p part) below() (all []part) {
	p.eachBelow(func(below part) { all = append(all, below) })
	return all
}

// same says whether p and q agree in all but the parts they lead to.
func (p part) same(q part) bool {
	switch {
	case p.node != nil:
		return q.node != nil && p.node.sameFacts(q.node)
	case p.list != nil:
		return q.list != nil && p.list.sameFacts(q.list)
	}
	return q.mapp != nil && p.mapp.sameFacts(q.mapp)
}

// write adds to a hash some of what same compares.
func (p part) write(h *maphash.Hash) {
	switch {
	case p.node != nil:
		h.WriteString(p.node.Type)
		maphash.WriteComparable(h, [2]bool{p.node.Nullable, p.node.Missing})
		maphash.WriteComparable(h, p.node.Scalar)
		maphash.WriteComparable(h, p.node.Transition)
		intern.WritePlain(h, p.node.Default)
	case p.list != nil:
		maphash.WriteComparable(h, p.list.Relation)
		for i := range p.list.Keys {
			h.WriteString(p.list.Keys[i].Name)
			intern.WritePlain(h, p.list.Keys[i].Absent)
		}
	default:
		maphash.WriteComparable(h, [2]bool{p.mapp.Open, p.mapp.Atomic})
		maphash.WriteComparable(h, p.mapp.Undeclared)
		for i := range p.mapp.Fields {
			h.WriteString(p.mapp.Fields[i].Name)
			intern.WritePlain(h, p.mapp.Fields[i].Default)
		}
	}
}

func (n *Node) sameFacts(o *Node) bool {
	return n.Type == o.Type && n.Scalar == o.Scalar && n.ScalarText == o.ScalarText &&
		n.Nullable == o.Nullable && n.Missing == o.Missing && n.Defaults == o.Defaults &&
		n.Sound == o.Sound && n.Restless == o.Restless && n.Steady == o.Steady && n.Keyed == o.Keyed &&
		n.Drops == o.Drops && n.Transition == o.Transition && n.Marked == o.Marked && n.Declarative == o.Declarative &&
		(n.List == nil) == (o.List == nil) && (n.Map == nil) == (o.Map == nil) &&
		intern.SamePlain(n.Default, o.Default)
}

func (l *List) sameFacts(o *List) bool {
	return l.Relation == o.Relation && l.KeyFault == o.KeyFault && l.Strict == o.Strict && l.Declarative == o.Declarative &&
		slices.Equal(l.KeyNames, o.KeyNames) &&
		slices.EqualFunc(l.Keys, o.Keys, func(a, b Key) bool {
			return a.Name == b.Name && a.NullIsMissing == b.NullIsMissing && a.ZeroIsMissing == b.ZeroIsMissing &&
				intern.SamePlain(a.Absent, b.Absent)
		}) &&
		intern.SamePlain(l.ItemDefault, o.ItemDefault)
}

func (m *Map) sameFacts(o *Map) bool {
	return m.Open == o.Open && m.Atomic == o.Atomic && m.Deduced == o.Deduced && m.Undeclared == o.Undeclared && m.Structural == o.Structural &&
		slices.EqualFunc(m.Fields, o.Fields, func(a, b Field) bool {
			return a.Name == b.Name && intern.SamePlain(a.Default, b.Default)
		}) &&
		intern.SamePlain(m.ElemDefault, o.ElemDefault)
}
