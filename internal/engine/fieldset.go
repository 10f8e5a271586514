// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
)

// FieldSet returns the paths that v, a value of type n, sets: its leaves, the items of its
// lists, and the undeclared fields of its maps. Empty maps and nulls count as leaves. An empty
// list counts as a leaf if it is atomic, or with declarative defaults. Items with the same
// identity share one path, and have no paths below it. FieldSet fails if the schema is invalid,
// or if v has a field that its type does not allow.
//
// prev is an earlier set, or nil. If a part of the result equals the part of prev at the same
// path, the result usually shares this part and needs no allocation for it.
func FieldSet(n *graph.Node, v any, prev *fieldpath.Set) (*fieldpath.Set, diag.Findings) {
	w := newWorkspace()
	defer w.done()
	b := fieldSetBuilder{w: w, setBuilder: &w.builder}
	_, set := b.value(n, v, prev)
	if b.findings != nil {
		return nil, b.findings
	}
	out := b.finish(set)
	if out == nil {
		out = fieldpath.NewSet()
	}
	return out, nil
}

// fieldSetBuilder builds the field set of a value, from the leaves up to the root.
type fieldSetBuilder struct {
	*setBuilder
	w        *workspace
	findings diag.Findings
}

// value returns the set of the paths below v. If v is a leaf because of its type, self is true, and
// the path of v itself is also in the field set. Callers add the paths of empty values, undeclared
// fields and list items. prev is the part of an earlier set below the same path, or nil. If the
// result equals prev, value usually reuses prev.
func (b *fieldSetBuilder) value(n *graph.Node, v any, prev *fieldpath.Set) (self bool, below setRef) {
	switch x := v.(type) {
	case string, int64, float64, bool:
		if n.Scalar != graph.NoScalar {
			return true, setRef{}
		}
	case map[string]any:
		if n.Map != nil && !n.Map.Atomic {
			return false, b.mapping(n.Map, x, prev)
		}
	case []any:
		if n.List != nil && !n.List.IsAtomic() {
			return false, b.list(n.List, x, prev)
		}
	}
	return b.otherValue(n, v, prev)
}

// otherValue is the slow path of value.
func (b *fieldSetBuilder) otherValue(n *graph.Node, v any, prev *fieldpath.Set) (self bool, below setRef) {
	if n.Missing {
		b.findings = append(b.findings, data.NoType(n)...)
		return false, setRef{}
	}
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return true, setRef{}
		}
		return false, b.mapping(n.Map, data.AsMap(v), prev)
	case graph.ScalarKind:
		return true, setRef{}
	case graph.ListKind:
		if n.List.IsAtomic() {
			return true, setRef{}
		}
		return false, b.list(n.List, data.AsList(v), prev)
	}
	b.findings = append(b.findings, data.NoKind(n)...)
	return false, setRef{}
}

// isLeafType reports whether all values of a type are leaves.
func isLeafType(n *graph.Node) bool { return !n.Missing && n.Kinds() != 0 && !n.Granular() }

// isEmptyMember reports whether v, the value of a field of type t, is null, an empty map or, with
// declarative defaults, an empty list. The field set then contains the path of the field.
func isEmptyMember(t *graph.Node, v any) bool {
	return v == nil || data.IsEmptyMap(v) || t.Declarative && data.IsEmptyList(v)
}

// mapping returns the set of a map. Most maps have only declared fields, and at most 64 of
// them. For such a map, mapping represents each field by one bit. The bits are in the order of
// the field names.
func (b *fieldSetBuilder) mapping(m *graph.Map, x map[string]any, prev *fieldpath.Set) setRef {
	if len(m.Fields) > 64 || len(m.Fields) == 0 {
		return b.mapWithUndeclared(m, x, prev)
	}
	values := &b.w.Anys
	start := values.Len()
	var at [64]uint8 // for each declared field, by rank: the index of its value, counted from start
	var has uint64
	for name, v := range x {
		f := m.Field(name)
		if f == nil {
			values.Pop(start)
			return b.mapWithUndeclared(m, x, prev)
		}
		at[f.Rank&63] = uint8(values.Len() - start)
		has |= 1 << (f.Rank & 63)
		values.Push(v)
	}
	var members, children uint64
	firstChild := b.childSets.Len()
	below := ownedset.ChildrenOf(prev)
	for ; has != 0; has &= has - 1 {
		bit := has & -has
		rank := bits.TrailingZeros64(has)
		f := &m.Fields[rank]
		v := values.S[start+int(at[rank])]
		if data.IsScalarOf(f.Type.Scalar, v) {
			members |= bit
			continue
		}
		self, child := b.value(f.Type, v, below.Field(f.Name))
		if self || isEmptyMember(f.Type, v) {
			members |= bit
		}
		if !child.isEmpty() {
			children |= bit
			b.childSets.Push(child)
		}
	}
	values.Pop(start)
	set := setRef{}
	switch {
	case members|children == 0:
	case prev != nil && b.fieldsEqual(m, members, children, firstChild, prev):
		set.set = prev
	default:
		set = b.completeFields(m, members, children, firstChild)
	}
	b.childSets.Pop(firstChild)
	return set
}

// completeFields completes the set of a map and returns it. In members and children, each bit
// stands for a declared field, by rank. The sets of the children begin at
// b.childSets.S[firstChild].
func (b *fieldSetBuilder) completeFields(m *graph.Map, members, children uint64, firstChild int) setRef {
	ms := b.members.More(bits.OnesCount64(members))
	for i := range ms {
		ms[i] = fieldpath.PathElement{FieldName: &m.Fields[bits.TrailingZeros64(members)].Name}
		members &= members - 1
	}
	for _, below := range b.childSets.S[firstChild:] {
		b.addChild(fieldpath.PathElement{FieldName: &m.Fields[bits.TrailingZeros64(children)].Name}, below)
		children &= children - 1
	}
	return b.endSet()
}

// mapWithUndeclared does the same as mapping for maps with undeclared fields or with more
// than 64 declared fields.
func (b *fieldSetBuilder) mapWithUndeclared(m *graph.Map, x map[string]any, prev *fieldpath.Set) setRef {
	onlyLeaves := len(m.Fields) == 0 && isLeafType(m.Elem)
	if onlyLeaves && prev != nil && hasNames(prev, x) {
		return setRef{set: prev}
	}
	w := b.w
	start := w.entries.Len()
	undeclared := 0
	for name, v := range x {
		e := entry{v: v}
		if f := m.Field(name); f != nil {
			e.pe.FieldName, e.t, e.at = &f.Name, f.Type, f.Rank
		} else {
			undeclared++
			e.name, e.t, e.at = name, m.Elem, -1
		}
		w.entries.Push(e)
	}
	fields := w.entries.S[start:]
	b.nameUndeclared(fields, undeclared, prev)
	item.Sort(&w.Workspace, fields, func(i int) *fieldpath.PathElement { return &fields[i].pe },
		func(a, b entry) int { return strings.Compare(*a.pe.FieldName, *b.pe.FieldName) })
	end := w.entries.Len()
	if onlyLeaves {
		for i := range fields {
			b.addMember(fields[i].pe)
		}
		w.entries.Pop(start)
		if len(fields) == 0 {
			return setRef{}
		}
		return b.endSet()
	}
	below := ownedset.ChildrenOf(prev)
	firstChild := b.childSets.Len()
	for i := start; i < end; i++ {
		e := &w.entries.S[i]
		pe, t, v, declared := e.pe, e.t, e.v, e.at >= 0
		self, child := b.value(t, v, below.Find(&pe))
		e = &w.entries.S[i]
		e.member = self || !declared || isEmptyMember(t, v)
		e.child = !child.isEmpty()
		if e.child {
			b.childSets.Push(child)
		}
	}
	return b.completeEntries(start, firstChild, prev)
}

// completeEntries completes the set for the entries from the index start on, and pops these
// entries. The sets of their children begin at b.childSets.S[nextChild], and are popped too. If
// prev has the same paths, completeEntries usually returns prev instead of a new set.
func (b *fieldSetBuilder) completeEntries(start, nextChild int, prev *fieldpath.Set) setRef {
	entries := b.w.entries.S[start:]
	defer b.w.entries.Pop(start)
	defer b.childSets.Pop(nextChild)
	if prev != nil && b.entriesEqual(entries, nextChild, prev) {
		return setRef{set: prev}
	}
	some := false
	b.members.Room(len(entries))
	b.children.Room(len(b.childSets.S) - nextChild)
	b.built.Room(len(b.childSets.S) - nextChild)
	for i := range entries {
		e := &entries[i]
		if e.member {
			b.addMember(e.pe)
		}
		if e.child {
			b.addChild(e.pe, b.childSets.S[nextChild])
			nextChild++
		}
		some = some || e.member || e.child
	}
	if !some {
		return setRef{}
	}
	return b.endSet()
}

// namesPerChunk is the number of undeclared names that share an allocation. It is small,
// because a single name in use keeps the whole chunk in memory. A chunk has exactly 512
// bytes.
const namesPerChunk = 32

// nameUndeclared sets the path elements of the n undeclared fields. It shares their names with
// prev if possible.
func (b *fieldSetBuilder) nameUndeclared(fields []entry, n int, prev *fieldpath.Set) {
	var names []string
	for i := range fields {
		e := &fields[i]
		if e.pe.FieldName != nil {
			continue
		}
		n--
		if e.pe.FieldName = ownedset.NameIn(prev, e.name); e.pe.FieldName != nil {
			continue
		}
		if len(names) == 0 {
			if n < namesPerChunk {
				names = b.w.Names.Take(n + 1)
			} else {
				names = make([]string, namesPerChunk)
			}
		}
		names[0] = e.name
		e.pe.FieldName = &names[0]
		names = names[1:]
	}
}

// list returns the set of a list: its items, and the paths below them.
func (b *fieldSetBuilder) list(l *graph.List, x []any, prev *fieldpath.Set) setRef {
	if len(x) == 0 {
		return setRef{}
	}
	w := b.w
	start := w.entries.Len()
	reused := prev != nil && b.reuseItems(l, x, prev)
	if !reused {
		b.items(l, x)
	}
	end := start + len(x)
	firstChild := b.childSets.Len()
	below := ownedset.ChildrenOf(prev)
	leaves := isLeafType(l.Item)
	kept := start
	for i := start; i < end; {
		e := w.entries.S[i]
		next := i + 1
		if !reused {
			for next < end && w.entries.S[next].again {
				next++
			}
		}
		e.member, e.child = true, false
		if next > i+1 {
			// If several items have the same identity, use the path element of the second one, like
			// structured-merge-diff. This matters, because the path elements can be written
			// differently: 1 and 1.0 are the same identity.
			e.pe = w.entries.S[i+1].pe
		} else if !leaves {
			if _, child := b.value(l.Item, e.v, below.Find(&e.pe)); !child.isEmpty() {
				e.child = true
				b.childSets.Push(child)
			}
		}
		w.entries.S[kept] = e
		kept++
		i = next
	}
	w.entries.Pop(kept)
	return b.completeEntries(start, firstChild, prev)
}

// items pushes an entry for each item of a list, and sorts the entries by path element. It
// marks each entry whose path element equals that of an earlier entry. If the list is not
// associative, all items have the zero path element, even if the list has keys.
func (b *fieldSetBuilder) items(l *graph.List, x []any) {
	w := b.w
	w.entries.Room(len(x))
	w.ExpectKeys(l, len(x))
	if !l.IsAssociative() {
		b.itemsByElement(l, x)
		return
	}
	values, ints := w.Anys.Len(), w.Ints.Len()
	if ids, n := w.Identities(l, x); n < len(x) || ids.AnyLacksKey() {
		b.itemsByElement(l, x)
	} else {
		w.EachSorted(ids, len(x), func(i int, duplicate bool) {
			w.entries.Push(entry{pe: w.ElementOf(l, ids.At(i)), v: x[i], again: duplicate})
		})
	}
	w.Anys.Pop(values)
	w.Ints.Pop(ints)
}

// itemsByElement is a slower form of items that accepts every list. The list need not be
// associative, and items may lack a key or an identity. The path element of an item without an
// identity is zero.
func (b *fieldSetBuilder) itemsByElement(l *graph.List, x []any) {
	w := b.w
	start := w.entries.Len()
	for i, v := range x {
		w.entries.Push(entry{pe: w.Element(l, v), at: int32(i), v: v})
	}
	entries := w.entries.S[start:]
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(a.pe.Compare(b.pe), int(a.at-b.at)) })
	for i := 1; i < len(entries); i++ {
		entries[i].again = entries[i].pe.Compare(entries[i-1].pe) == 0
	}
}

// An applier often applies the same fields again. To save time, the functions below compare the
// new paths with the previous set, and reuse equal parts of it. So an apply that changes
// nothing builds no set.

// fieldsEqual reports whether prev has exactly the given members and children. In members and
// children, each bit stands for a declared field, by rank. The sets of the children begin at
// b.childSets.S[firstChild]. fieldsEqual compares these sets by address, so it may return false
// negatives.
func (b *fieldSetBuilder) fieldsEqual(m *graph.Map, members, children uint64, firstChild int, prev *fieldpath.Set) bool {
	ms, cs := prev.Members.Sorted(), prev.Children.Sorted()
	if len(cs) != b.childSets.Len()-firstChild || len(ms) != bits.OnesCount64(members) {
		return false
	}
	for i := range cs {
		if cs[i].Set != b.childSets.S[firstChild+i].set || !isFirstField(&cs[i].PathElement, m, children) {
			return false
		}
		children &= children - 1
	}
	for i := range ms {
		if !isFirstField(&ms[i], m, members) {
			return false
		}
		members &= members - 1
	}
	return true
}

// isFirstField reports whether pe is the first field of m whose bit is set in fields.
func isFirstField(pe *fieldpath.PathElement, m *graph.Map, fields uint64) bool {
	return pe.FieldName != nil && *pe.FieldName == m.Fields[bits.TrailingZeros64(fields)].Name
}

// entriesEqual is like fieldsEqual, but for fields or items in entries. It also compares the
// keys and values of items by address.
func (b *fieldSetBuilder) entriesEqual(entries []entry, nextChild int, prev *fieldpath.Set) bool {
	ms, cs := prev.Members.Sorted(), prev.Children.Sorted()
	if len(cs) != b.childSets.Len()-nextChild || len(ms)+len(cs) == 0 {
		return false
	}
	for i := range entries {
		e := &entries[i]
		if e.member {
			if len(ms) == 0 || !ownedset.SameElement(&ms[0], &e.pe) {
				return false
			}
			ms = ms[1:]
		}
		if e.child {
			if cs[0].Set != b.childSets.S[nextChild].set || !ownedset.SameElement(&cs[0].PathElement, &e.pe) {
				return false
			}
			cs = cs[1:]
			nextChild++
		}
	}
	return len(ms) == 0
}

// hasNames reports whether set has exactly the fields of x as members, and has no children.
func hasNames(set *fieldpath.Set, x map[string]any) bool {
	ms := set.Members.Sorted()
	if len(ms) != len(x) || len(ms) == 0 || len(set.Children.Sorted()) > 0 {
		return false
	}
	for i := range ms {
		name := ms[i].FieldName
		if name == nil {
			return false
		}
		if _, ok := x[*name]; !ok {
			return false
		}
	}
	return true
}

// reuseItems is a fast path for a list whose items are exactly the members of prev, with the same
// texts. It pushes an entry for each item, in the order of prev and with the path elements of prev,
// and returns true. This does not change the result, because all items have different path
// elements. For any other list, reuseItems pushes nothing and returns false.
func (b *fieldSetBuilder) reuseItems(l *graph.List, x []any, prev *fieldpath.Set) bool {
	if !l.IsAssociative() || prev.Members.Size() != len(x) {
		return false
	}
	w := b.w
	start, ints, values := w.entries.Len(), w.Ints.Len(), w.Anys.Len()
	defer w.Ints.Pop(ints)
	defer w.Anys.Pop(values)
	ids, n := w.Identities(l, x)
	if n < len(x) {
		return false
	}
	ix := w.NewIndex(l, x, n)
	elements := prev.Members.Sorted()
	for i := range elements {
		at := ix.FindByText(&elements[i], ids)
		if at < 0 {
			w.entries.Pop(start)
			return false
		}
		w.entries.Push(entry{pe: elements[i], at: int32(at), v: x[at]})
	}
	return true
}
