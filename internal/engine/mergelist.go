// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// lists merges the items b into a, which are the items of x. Items of a that b
// lacks keep their place among their neighbours; the others take the order of
// b:
//
//	a        [1 2 3 4]
//	b        [3 5 1]
//	result   [2 3 4 5 1]
//
// With Share, the result is x itself if nothing changes.
func (m *merger) lists(l *graph.List, x any, a, b []any) Merged {
	if !m.mergeable(l, a, b) {
		return Merged{}
	}
	ints := m.w.ints.Len()
	z := zipper{l: l, nb: m.w.number(l, a, b, known{m.LeftUnique, m.RightValid}), a: a, b: b}
	z.used = m.w.ints.Zeros(z.nb.count)
	m.zip(&z)
	m.w.ints.Pop(ints)
	if m.Share && !z.own && len(a) == z.kept && x != nil {
		return Merged{Value: x}
	}
	if !z.own {
		z.out = append([]any(nil), a[:z.kept]...)
	}
	return Merged{Value: z.out, Empty: len(z.out) == 0, Changed: true}
}

// mergeable notes items that cannot be paired.
func (m *merger) mergeable(l *graph.List, a, b []any) bool {
	ok := m.RightValid || m.indexable(l, b, true)
	if !m.LeftValid {
		ok = m.indexable(l, a, false) && ok
	}
	return ok
}

// zipper merges two lists of items. As long as the result is the left list so
// far, kept counts its items; then own is set and out holds them.
// It does not hold the merger, which would have to be on the heap for that.
type zipper struct {
	l    *graph.List
	nb   numbering
	a, b []any
	used []int32 // number -> 1 once its right item is in the result

	out  []any
	own  bool
	kept int

	next int // index in b of the next item that a has too, len(b) if none
}

// zip goes through both lists.
func (m *merger) zip(z *zipper) {
	z.next = -1
	z.advance()
	i, j := 0, 0
	for i < len(z.a) || j < len(z.b) {
		if i < len(z.a) && j < len(z.b) {
			if z.nb.left[i] == z.nb.right[j] {
				m.take(z, i, j)
				i, j = i+1, j+1
				z.advance()
				continue
			}
			// An item that b places elsewhere waits for its turn.
			if z.shared(i) && z.next < len(z.b) && z.nb.right[z.next] != z.nb.left[i] {
				i++
				continue
			}
		}
		if i < len(z.a) {
			if !z.shared(i) {
				m.keep(z, i)
				i++
				continue
			}
			if z.used[z.nb.left[i]] != 0 {
				i++
			}
		}
		if j < len(z.b) {
			m.take(z, -1, j)
			if z.next < len(z.b) && z.nb.right[z.next] == z.nb.right[j] {
				z.advance()
			}
			j++
		}
	}
}

// shared says whether b has the item a[i] too.
func (z *zipper) shared(i int) bool { return z.nb.rights[z.nb.left[i]] > 0 }

// advance moves next to the following item of b that a has too.
func (z *zipper) advance() {
	if z.next >= len(z.b) {
		return
	}
	for z.next++; z.next < len(z.b) && z.nb.lefts[z.nb.right[z.next]] == 0; z.next++ {
	}
}

// keep puts a[i], which b lacks, into the result.
func (m *merger) keep(z *zipper, i int) {
	mark := len(m.wrong)
	r := m.one(z.l.Item, z.a[i], false)
	m.under(mark, func() string { return m.w.element(z.l, z.a[i]).String() })
	z.put(i, r, m.Share)
}

// take merges b[j] with the item of a that has its identity. Several such
// items count as one null.
func (m *merger) take(z *zipper, i, j int) {
	id := z.nb.right[j]
	z.used[id] = 1
	mark := len(m.wrong)
	item := withoutUnsetKeys(z.l, z.b[j])
	var r Merged
	switch z.nb.lefts[id] {
	case 0:
		r = m.one(z.l.Item, item, true)
	case 1:
		at := int(z.nb.leftAt[id])
		r = m.both(z.l.Item, z.a[at], item)
		i = at
	default:
		r = m.both(z.l.Item, nil, item)
		r.Changed = true
	}
	m.under(mark, func() string { return m.w.element(z.l, z.b[j]).String() })
	z.put(i, r, m.Share)
}

// put adds to the result what became of the item a[i].
func (z *zipper) put(i int, r Merged, share bool) {
	if !z.own {
		if share && i == z.kept && !r.Changed && !r.Empty {
			z.kept++
			return
		}
		z.own = true
		z.out = make([]any, z.kept, max(len(z.a), len(z.b)))
		copy(z.out, z.a)
	}
	if !r.Empty {
		z.out = append(z.out, r.Value)
	}
}

// indexable notes the items of x that have no identity, and those of the right
// side that share one.
func (m *merger) indexable(l *graph.List, x []any, right bool) bool {
	mark := len(m.wrong)
	ints := m.w.ints.Len()
	nb := m.w.number(l, x, nil, known{})
	for i, it := range x {
		id := nb.left[i]
		if id < 0 {
			m.wrong = append(m.wrong, diag.Newf(diag.NoIdentity, "element %v: %v", i, identityFault(l, it).Error())...)
		} else if right && int(nb.leftAt[id]) < i {
			m.wrong = append(m.wrong, diag.Newf(diag.Duplicate, "duplicate entries for key %v", m.w.element(l, it).String())...)
		}
	}
	m.w.ints.Pop(ints)
	return len(m.wrong) == mark
}
