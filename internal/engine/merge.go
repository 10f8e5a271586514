// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
)

// Merged is the result of Merge.
type Merged struct {
	// Value is the merged value.
	Value any
	// Empty says that nothing is left, not even a null.
	Empty bool
	// Changed says that Value is not the left value to the last bit. It is only
	// told with MergeOptions.Share.
	Changed bool
}

// MergeOptions say what is known of the values that are merged.
type MergeOptions struct {
	// LeftValid says that the left value is known to be valid, RightValid that
	// the right one is, and free of duplicates. What is known to be valid and
	// is on one side only is not walked.
	LeftValid, RightValid bool
	// LeftUnique says that the left value is known to be valid, and that no two
	// items of its lists share an identity.
	LeftUnique bool
	// Share makes the result share with its inputs all that the merge leaves
	// alone. Otherwise its containers are new wherever they are more than one
	// leaf, see Copy.
	Share bool
	// CloneLeft and CloneRight say from which side leaves are copied too,
	// without Share.
	CloneLeft, CloneRight bool
	// CopyRight copies what the result has from the right side only, with
	// Share: then it shares with the left side alone, but for leaves.
	CopyRight bool
	// Branches says that the values may have branches only, see data.WithLeaves.
	Branches bool
}

// Merge lays right, an applied configuration, over left, both values of type
// n. Leaves of right win; items of lists are paired by identity and take the
// order of right where both sides have them. With declarative defaults, what
// right means to be as it is in left stays as left has it written.
func Merge(n *graph.Node, left, right any, opts MergeOptions) (Merged, diag.Findings) {
	w := newWalker()
	defer w.done()
	m := merger{w: w, MergeOptions: opts}
	out := m.both(n, left, right)
	if m.wrong != nil {
		return Merged{}, m.wrong
	}
	return out, nil
}

// MergeOne merges a value with none at all.
func MergeOne(n *graph.Node, v any, right bool, opts MergeOptions) (Merged, diag.Findings) {
	w := newWalker()
	defer w.done()
	m := merger{w: w, MergeOptions: opts}
	out := m.one(n, v, right)
	if m.wrong != nil {
		return Merged{}, m.wrong
	}
	return out, nil
}

type merger struct {
	w *walker
	MergeOptions
	// wrong is what was found; paths are put in front of what was added since
	// a mark, see under.
	wrong diag.Findings
}

// under puts prefix in front of what was found since the mark.
func (m *merger) under(mark int, prefix func() string) {
	if len(m.wrong) > mark {
		m.wrong[mark:].Prefix(prefix())
	}
}

// one takes v, which the other side lacks. Its value stays as it is; it is
// walked for what is wrong with it.
func (m *merger) one(n *graph.Node, v any, right bool) Merged {
	if right && !m.RightValid || !right && !m.LeftValid {
		m.check(n, v, right)
	}
	if right && n.Declarative {
		v = withoutNulls(n, v, true)
	}
	if !m.Share {
		v = data.Copy(n, v, right && m.CloneRight || !right && m.CloneLeft)
	} else if right && m.CopyRight {
		v = data.Copy(n, v, false)
	}
	return Merged{Value: v, Changed: right}
}

func (m *merger) check(n *graph.Node, v any, right bool) {
	if n.Missing {
		m.wrong = append(m.wrong, data.NoType(n)...)
		return
	}
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if x := data.AsMap(v); !n.Map.Atomic && len(x) > 0 {
			var wrong []diag.ChildFindings
			before := m.wrong
			for name, c := range x {
				m.wrong = nil
				m.check(n.Map.At(name), c, right)
				wrong = under(wrong, name, m.wrong)
			}
			m.wrong = append(before, diag.Join(wrong)...)
		}
	case graph.ListKind:
		if x := data.AsList(v); !n.List.IsAtomic() && len(x) > 0 {
			if !m.indexable(n.List, x, right) {
				return
			}
			for _, c := range x {
				mark := len(m.wrong)
				m.check(n.List.Item, c, right)
				m.under(mark, func() string { return m.w.Element(n.List, c).String() })
			}
		}
	case 0:
		m.wrong = append(m.wrong, data.NoKind(n)...)
	}
}

// both merges two values. Where they are read as different kinds, the right
// one's kind counts.
func (m *merger) both(n *graph.Node, x, y any) Merged {
	if n.Missing {
		m.wrong = append(m.wrong, data.NoType(n)...)
		return Merged{}
	}
	left, right := data.KindsFor(n, data.ClassOf(x)), data.KindsFor(n, data.ClassOf(y))
	if left != right {
		m.kind(n, data.FirstKind(left), x, y)
	}
	return m.kind(n, data.FirstKind(right), x, y)
}

func (m *merger) kind(n *graph.Node, k graph.Kinds, x, y any) Merged {
	switch k {
	case graph.MapKind:
		a, b := data.AsMap(x), data.AsMap(y)
		if n.Map.Atomic {
			return m.leaf(n, x, y)
		}
		if yields(n, x, y) {
			return Merged{Value: map[string]any{}, Changed: !m.Share}
		}
		if len(a) == 0 && len(b) == 0 {
			if data.HasOnlyOddKeys(x) {
				x = a
			}
			if data.HasOnlyOddKeys(y) {
				y = b
			}
			return m.leaf(n, x, y)
		}
		return m.maps(n.Map, x, a, b)
	case graph.ScalarKind:
		left, right := data.CheckScalar(n, x, "lhs: "), data.CheckScalar(n, y, "rhs: ")
		if left != nil && right != nil {
			m.wrong = append(append(m.wrong, left...), right...)
			return Merged{}
		}
		return m.leaf(n, x, y)
	case graph.ListKind:
		a, b := data.AsList(x), data.AsList(y)
		if yields(n, x, y) {
			return Merged{Value: []any{}, Changed: !m.Share}
		}
		if n.List.IsAtomic() || len(a) == 0 && len(b) == 0 {
			return m.leaf(n, x, y)
		}
		return m.lists(n.List, x, a, b)
	}
	m.wrong = append(m.wrong, data.NoKind(n)...)
	return Merged{}
}

// yields says whether y is a null that leaves x, an empty map or list, as it is, as it
// does one that is not empty: what becomes of it if nobody else has it, see Nulled.
func yields(n *graph.Node, x, y any) bool {
	return n.Declarative && y == nil && (data.IsEmptyMap(x) && n.Map != nil && !n.Map.Atomic || data.IsEmptyList(x) && n.List != nil && n.List.IsAssociative())
}

func (m *merger) leaf(n *graph.Node, x, y any) Merged {
	if m.Share && m.identical(x, y) || n.Declarative && data.Equivalent(n, x, y) {
		if m.CloneLeft {
			x = data.Clone(x)
		}
		return Merged{Value: x}
	}
	if m.CloneRight {
		y = data.Clone(y)
	} else if !m.Share {
		y = data.Copy(n, y, false) // an empty map, which is no leaf to who writes to it
	}
	return Merged{Value: y, Changed: true}
}

func (m *merger) identical(x, y any) bool {
	if !m.Branches {
		return data.Identical(x, y)
	}
	if !data.IdenticalBranches(x, y) {
		return false
	}
	if m.CopyRight {
		data.SetLeaf(x, y) // nobody else has the left value
	}
	return true
}

// maps merges map b into x, whose entries are a. With Share, it returns x itself if nothing
// changes.
func (m *merger) maps(t *graph.Map, x any, a, b map[string]any) Merged {
	z := mapMerge{t: t, a: a, b: b}
	z.out = data.EditedMap{Map: a, Own: !m.Share || len(a) == 0, Changed: !m.Share || data.ClassOf(x) != data.Mapping}
	if len(a) == 0 {
		z.out.Map = make(map[string]any, len(b))
	} else if z.out.Own {
		z.out.Map = maps.Clone(a)
	}
	before := m.wrong
	m.wrong = nil
	shared := m.mergeFields(&z)
	if shared < len(a) && !(m.LeftValid && m.Share) {
		m.keepFields(&z)
	}
	m.wrong = append(before, diag.Join(z.wrong)...)
	return z.result(x)
}

// mapMerge is a merge of map b into map a. Like a zipper, it does not hold the merger.
type mapMerge struct {
	t     *graph.Map
	a, b  map[string]any
	out   data.EditedMap
	wrong []diag.ChildFindings
	// nullIgnored reports that b has a null that does not change a.
	nullIgnored bool
}

// mergeFields merges the fields of b into the result. It returns how many of them a has too.
func (m *merger) mergeFields(z *mapMerge) (shared int) {
	for name, u := range z.b {
		v, ok := z.a[name]
		if ok {
			shared++
			if m.LeftValid && m.RightValid && (m.Share || !isLong(u)) && data.SameScalar(v, u) {
				continue
			}
		}
		m.mergeField(z, name, v, u, ok)
	}
	return shared
}

// mergeField merges u, the value of a field of b, with v, the value in a if a has the field.
func (m *merger) mergeField(z *mapMerge, name string, v, u any, ok bool) {
	field := z.t.At(name)
	if u == nil && field.Declarative && !data.Nullable(field) {
		if nullKeeps(z.t, name, v, ok) {
			if !m.Share && ok {
				z.out.Put(name, data.Copy(field, v, m.CloneLeft))
			}
			z.nullIgnored = true
			return
		}
		// The null stands for the default, and is not stored.
		u, _ = data.NullValue(z.t, name)
		u = data.Clone(u)
	}
	var r Merged
	if ok {
		r = m.both(field, v, u)
	} else {
		r = m.one(field, u, true)
	}
	m.collect(z, name)
	switch {
	case r.Empty:
		z.out.Delete(name)
	case r.Changed || !m.Share:
		z.out.Put(name, r.Value)
	}
}

// keepFields validates and copies the fields of a that b lacks, as far as the options require.
func (m *merger) keepFields(z *mapMerge) {
	for name, v := range z.a {
		if m.LeftValid && data.IsScalar(v) {
			continue
		}
		if _, ok := z.b[name]; ok {
			continue
		}
		if !m.LeftValid {
			m.check(z.t.At(name), v, false)
			m.collect(z, name)
		}
		if !m.Share && !data.IsScalar(v) {
			z.out.Put(name, data.Copy(z.t.At(name), v, m.CloneLeft))
		}
	}
}

// collect moves the findings about one field from the merger to z.
func (m *merger) collect(z *mapMerge, name string) {
	z.wrong = under(z.wrong, name, m.wrong)
	m.wrong = nil
}

// result returns the merged map, or x if nothing changed.
func (z *mapMerge) result(x any) Merged {
	switch {
	case !z.out.Changed:
		return Merged{Value: x}
	case len(z.out.Map) == 0 && len(z.a) == 0 && z.nullIgnored:
		// The applied map is empty, except for ignored nulls.
		return Merged{Value: map[string]any{}, Changed: true}
	}
	return Merged{Value: z.out.Map, Empty: len(z.out.Map) == 0, Changed: true}
}

// isLong reports whether v is a string so long that copying its header is cheaper than
// comparing it.
func isLong(v any) bool {
	s, ok := v.(string)
	return ok && len(s) > 1<<7
}

// nullKeeps reports whether a null for a field that is not nullable leaves the field's value v
// unchanged: the field has no default, or v is equivalent to the default.
func nullKeeps(m *graph.Map, name string, v any, present bool) bool {
	return data.NullIsAbsent(m, name) || data.EquivalentField(m, name, nil, v, present)
}

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
	ok := m.RightValid || m.indexable(l, b, true)
	if !m.LeftValid {
		ok = m.indexable(l, a, false) && ok
	}
	if !ok {
		return Merged{}
	}
	ints := m.w.Ints.Len()
	z := zipper{l: l, nb: m.w.Pair(l, a, b, item.Known{Unique: m.LeftUnique, Identified: m.RightValid}), a: a, b: b}
	z.used = m.w.Ints.Zeros(z.nb.Numbers)
	m.zip(&z)
	m.w.Ints.Pop(ints)
	if m.Share && !z.own && len(a) == z.kept && x != nil {
		return Merged{Value: x}
	}
	if !z.own {
		z.out = append([]any(nil), a[:z.kept]...)
	}
	return Merged{Value: z.out, Empty: len(z.out) == 0, Changed: true}
}

// zipper merges two lists of items. As long as the result is the left list so
// far, kept counts its items; then own is set and out holds them.
// It does not hold the merger, which would have to be on the heap for that.
type zipper struct {
	l    *graph.List
	nb   item.Pairing
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
			if z.nb.LeftNumber[i] == z.nb.RightNumber[j] {
				m.take(z, i, j)
				i, j = i+1, j+1
				z.advance()
				continue
			}
			// An item that b places elsewhere waits for its turn.
			if z.shared(i) && z.next < len(z.b) && z.nb.RightNumber[z.next] != z.nb.LeftNumber[i] {
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
			if z.used[z.nb.LeftNumber[i]] != 0 {
				i++
			}
		}
		if j < len(z.b) {
			m.take(z, -1, j)
			if z.next < len(z.b) && z.nb.RightNumber[z.next] == z.nb.RightNumber[j] {
				z.advance()
			}
			j++
		}
	}
}

// shared says whether b has the item a[i] too.
func (z *zipper) shared(i int) bool { return z.nb.RightCount[z.nb.LeftNumber[i]] > 0 }

// advance moves next to the following item of b that a has too.
func (z *zipper) advance() {
	if z.next >= len(z.b) {
		return
	}
	for z.next++; z.next < len(z.b) && z.nb.LeftCount[z.nb.RightNumber[z.next]] == 0; z.next++ {
	}
}

// keep puts a[i], which b lacks, into the result.
func (m *merger) keep(z *zipper, i int) {
	mark := len(m.wrong)
	r := m.one(z.l.Item, z.a[i], false)
	m.under(mark, func() string { return m.w.Element(z.l, z.a[i]).String() })
	z.put(i, r, m.Share)
}

// take merges b[j] with the item of a that has its identity. Several such
// items count as one null.
func (m *merger) take(z *zipper, i, j int) {
	id := z.nb.RightNumber[j]
	z.used[id] = 1
	mark := len(m.wrong)
	item := item.WithoutUnsetKeys(z.l, z.b[j])
	var r Merged
	switch z.nb.LeftCount[id] {
	case 0:
		r = m.one(z.l.Item, item, true)
	case 1:
		at := int(z.nb.FirstLeft[id])
		r = m.both(z.l.Item, z.a[at], item)
		i = at
	default:
		r = m.both(z.l.Item, nil, item)
		r.Changed = true
	}
	m.under(mark, func() string { return m.w.Element(z.l, z.b[j]).String() })
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

// indexable notes what is wrong with how the items of x are named.
func (m *merger) indexable(l *graph.List, x []any, right bool) bool {
	wrong := m.w.misnamed(l, x, right)
	m.wrong = append(m.wrong, wrong...)
	return wrong == nil
}

// misnamed says which items have no identity, and why, and which share one with an
// item before, where each has to have its own.
func (w *walker) misnamed(l *graph.List, x []any, own bool) (wrong diag.Findings) {
	ints := w.Ints.Len()
	nb := w.Pair(l, x, nil, item.Known{})
	for i, it := range x {
		id := nb.LeftNumber[i]
		if id < 0 {
			wrong = append(wrong, diag.Newf(diag.NoIdentity, "element %v: %v", i, item.Fault(l, it).Error())...)
		} else if own && int(nb.FirstLeft[id]) < i {
			wrong = append(wrong, diag.Newf(diag.Duplicate, "duplicate entries for key %v", w.Element(l, it).String())...)
		}
	}
	w.Ints.Pop(ints)
	return wrong
}
