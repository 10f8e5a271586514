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
// list counts as a leaf if it is atomic, or with declarative defaults.
//
// Items with the same identity share one path, and have no paths below it. Path elements compare as
// equal if one has a NaN where the other has a number. If such items become neighbors when the items
// are sorted, they share one path, too.
//
// FieldSet fails if the schema is invalid, or if v has a field that its type does not allow. The
// findings have no paths. FieldSet does not check kinds. If a string is in place of a granular map or
// list, it is not a leaf. If a map is in place of a scalar, it is a leaf.
//
// prev is an earlier set, or nil. If a part of the result equals the part of prev at the same
// path, the result usually shares this part and needs no allocation for it.
func FieldSet(n *graph.Node, v any, prev *fieldpath.Set) (*fieldpath.Set, diag.Findings) {
	w := newWorkspace()
	defer w.done()
	b := fieldSetWalker{w: w, setBuilder: &w.builder}
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

// fieldSetWalker walks a value and builds its field set with a setBuilder, from the leaves up to the
// root.
type fieldSetWalker struct {
	*setBuilder
	w        *workspace
	findings diag.Findings
}

// value returns the set of the paths below v. If v is a leaf because of its type, self is true, and
// the caller must also add the path of v itself. The caller also adds this path if isNullOrEmpty is
// true, or if v is an undeclared field or an item. prev is the part of an earlier set below the same
// path, or nil. If the result equals prev, value usually reuses prev.
func (b *fieldSetWalker) value(n *graph.Node, v any, prev *fieldpath.Set) (self bool, below setRef) {
	switch x := v.(type) {
	case string, int64, float64, bool:
		if n.Scalar != graph.NoScalar {
			return true, setRef{}
		}
	case map[string]any:
		if n.Map != nil && !n.Map.Atomic {
			return false, b.fields(n.Map, x, prev)
		}
	case []any:
		if n.List != nil && !n.List.IsAtomic() {
			return false, b.items(n.List, x, prev)
		}
	}
	return b.slowValue(n, v, prev)
}

// slowValue does the same as the method value, for all values that have no fast path there.
func (b *fieldSetWalker) slowValue(n *graph.Node, v any, prev *fieldpath.Set) (self bool, below setRef) {
	if n.Missing {
		b.findings = append(b.findings, data.NoType(n)...)
		return false, setRef{}
	}
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return true, setRef{}
		}
		return false, b.fields(n.Map, data.AsMap(v), prev)
	case graph.ScalarKind:
		return true, setRef{}
	case graph.ListKind:
		if n.List.IsAtomic() {
			return true, setRef{}
		}
		return false, b.items(n.List, data.AsList(v), prev)
	}
	b.findings = append(b.findings, data.NoKind(n)...)
	return false, setRef{}
}

// isLeafType reports whether all values of a type are leaves.
func isLeafType(n *graph.Node) bool { return !n.Missing && n.Kinds() != 0 && !n.Granular() }

// isNullOrEmpty reports whether v, the value of a field of type t, is null, an empty map or, with
// declarative defaults, an empty list. The field set then contains the path of the field.
func isNullOrEmpty(t *graph.Node, v any) bool {
	return v == nil || data.IsEmptyMap(v) || t.Declarative && data.IsEmptyList(v)
}

// fields returns the set of a map. Most map types declare 1 to 64 fields, and most of their values
// have no other fields. For these values, fields represents each field by one bit, in the order of
// the field names. For all other values, it calls slowFields.
func (b *fieldSetWalker) fields(m *graph.Map, x map[string]any, prev *fieldpath.Set) setRef {
	if len(m.Fields) > 64 || len(m.Fields) == 0 {
		return b.slowFields(m, x, prev)
	}
	values := &b.w.Anys
	start := values.Len()
	var at [64]uint8   // for each declared field, by rank: the index of its value, counted from start
	var present uint64 // one bit for each field that x has, by rank
	for name, v := range x {
		f := m.Field(name)
		if f == nil {
			values.Pop(start)
			return b.slowFields(m, x, prev)
		}
		// The rank is less than 64. The mask only makes bounds checks unnecessary.
		at[f.Rank&63] = uint8(values.Len() - start)
		present |= 1 << (f.Rank & 63)
		values.Push(v)
	}
	var memberBits, childBits uint64
	firstChild := b.childSets.Len()
	below := ownedset.ChildrenOf(prev)
	for ; present != 0; present &= present - 1 {
		bit := present & -present
		rank := bits.TrailingZeros64(present)
		f := &m.Fields[rank]
		v := values.S[start+int(at[rank])]
		if data.IsScalarOf(f.Type.Scalar, v) {
			memberBits |= bit
			continue
		}
		self, child := b.value(f.Type, v, below.Field(f.Name))
		if self || isNullOrEmpty(f.Type, v) {
			memberBits |= bit
		}
		if !child.isEmpty() {
			childBits |= bit
			b.childSets.Push(child)
		}
	}
	values.Pop(start)
	set := setRef{}
	switch {
	case memberBits|childBits == 0:
	case prev != nil && b.prevHasFields(m, memberBits, childBits, firstChild, prev):
		set.set = prev
	default:
		set = b.completeFields(m, memberBits, childBits, firstChild)
	}
	b.childSets.Pop(firstChild)
	return set
}

// completeFields builds the set of a map and returns it. In memberBits and childBits, each bit
// stands for a declared field, by rank. The sets of the children begin at b.childSets.S[firstChild].
// The caller pops them.
func (b *fieldSetWalker) completeFields(m *graph.Map, memberBits, childBits uint64, firstChild int) setRef {
	ms := b.members.More(bits.OnesCount64(memberBits))
	for i := range ms {
		ms[i] = fieldpath.PathElement{FieldName: &m.Fields[bits.TrailingZeros64(memberBits)].Name}
		memberBits &= memberBits - 1
	}
	for _, below := range b.childSets.S[firstChild:] {
		b.addChild(fieldpath.PathElement{FieldName: &m.Fields[bits.TrailingZeros64(childBits)].Name}, below)
		childBits &= childBits - 1
	}
	return b.endSet()
}

// slowFields does the same as the method fields, for all maps that have no fast path there. These
// are maps with undeclared fields, or of a type with more than 64 declared fields.
func (b *fieldSetWalker) slowFields(m *graph.Map, x map[string]any, prev *fieldpath.Set) setRef {
	onlyLeaves := len(m.Fields) == 0 && isLeafType(m.Elem)
	if onlyLeaves && prev != nil && hasExactlyNames(prev, x) {
		return setRef{set: prev}
	}
	w := b.w
	start := w.entries.Len()
	undeclared := 0
	for name, v := range x {
		e := entry{v: v}
		if f := m.Field(name); f != nil {
			e.pe.FieldName, e.t, e.declared = &f.Name, f.Type, true
		} else {
			undeclared++
			e.name, e.t = name, m.Elem
		}
		w.entries.Push(e)
	}
	fields := w.entries.S[start:]
	b.nameUndeclared(fields, undeclared, prev)
	item.SortByElement(&w.Workspace, fields, func(i int) *fieldpath.PathElement { return &fields[i].pe },
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
		pe, t, v, declared := e.pe, e.t, e.v, e.declared
		self, child := b.value(t, v, below.Find(&pe))
		e = &w.entries.S[i] // b.value may have moved the entries to new memory
		e.member = self || !declared || isNullOrEmpty(t, v)
		e.child = !child.isEmpty()
		if e.child {
			b.childSets.Push(child)
		}
	}
	return b.completeEntries(start, firstChild, prev)
}

// completeEntries builds the set of the entries from the index start on. The sets of their children
// begin at b.childSets.S[firstChild]. completeEntries pops the entries and these sets. If prev has
// the same paths, it usually returns prev instead of a new set.
func (b *fieldSetWalker) completeEntries(start, firstChild int, prev *fieldpath.Set) setRef {
	entries := b.w.entries.S[start:]
	defer b.w.entries.Pop(start)
	defer b.childSets.Pop(firstChild)
	if prev != nil && b.prevHasEntries(entries, firstChild, prev) {
		return setRef{set: prev}
	}
	hasPaths := false
	b.members.Room(len(entries))
	b.children.Room(len(b.childSets.S) - firstChild)
	b.numbers.Room(len(b.childSets.S) - firstChild)
	nextChild := firstChild
	for i := range entries {
		e := &entries[i]
		if e.member {
			b.addMember(e.pe)
		}
		if e.child {
			b.addChild(e.pe, b.childSets.S[nextChild])
			nextChild++
		}
		hasPaths = hasPaths || e.member || e.child
	}
	if !hasPaths {
		return setRef{}
	}
	return b.endSet()
}

// namesPerChunk is the number of undeclared names of a large map that share an allocation of 512
// bytes. It is small, because a single name in use keeps the whole allocation in memory. The last
// names of a map, at most namesPerChunk, come from a slab, and so do all names of a small map. An
// allocation of this slab has at most 256 names of several maps, which take 4 KiB.
const namesPerChunk = 32

// nameUndeclared sets the path elements of the undeclared fields. It shares their names with prev
// if possible. remaining is the number of undeclared fields.
func (b *fieldSetWalker) nameUndeclared(fields []entry, remaining int, prev *fieldpath.Set) {
	var names []string
	for i := range fields {
		e := &fields[i]
		if e.pe.FieldName != nil {
			continue
		}
		if e.pe.FieldName = ownedset.NameIn(prev, e.name); e.pe.FieldName == nil {
			if len(names) == 0 {
				if remaining <= namesPerChunk {
					names = b.w.Names.Take(remaining)
				} else {
					names = make([]string, namesPerChunk)
				}
			}
			names[0] = e.name
			e.pe.FieldName = &names[0]
			names = names[1:]
		}
		remaining--
	}
}

// items returns the set of a list: its items, and the paths below them.
func (b *fieldSetWalker) items(l *graph.List, x []any, prev *fieldpath.Set) setRef {
	if len(x) == 0 {
		return setRef{}
	}
	w := b.w
	start := w.entries.Len()
	if prev == nil || !b.pushItemsOfPrev(l, x, prev) {
		b.pushItems(l, x)
	}
	pushed := start + len(x) // the end of the entries that were pushed
	firstChild := b.childSets.Len()
	below := ownedset.ChildrenOf(prev)
	leaves := isLeafType(l.Item)
	end := start // the entries from start to end are complete: there is one for each identity
	for i := start; i < pushed; {
		e := w.entries.S[i]
		next := i + 1
		for next < pushed && w.entries.S[next].sameAsPrevious {
			next++
		}
		e.member = true
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
		w.entries.S[end] = e
		end++
		i = next
	}
	w.entries.Pop(end)
	return b.completeEntries(start, firstChild, prev)
}

// pushItems pushes an entry for each item of a list, and sorts the entries by path element. It sets
// sameAsPrevious in each entry. If the list is not associative, all items have the zero path element,
// even if the list has keys.
func (b *fieldSetWalker) pushItems(l *graph.List, x []any) {
	w := b.w
	w.entries.Room(len(x))
	w.ExpectKeys(l, len(x))
	if !l.IsAssociative() {
		b.pushItemsSlowly(l, x)
		return
	}
	values := w.Anys.Len()
	if ids, n := w.PushIdentities(l, x); n < len(x) || ids.AnyLacksKey() {
		b.pushItemsSlowly(l, x)
	} else {
		w.EachSorted(ids, len(x), func(i int, duplicate bool) {
			w.entries.Push(entry{pe: w.ElementOf(l, ids.At(i)), v: x[i], sameAsPrevious: duplicate})
		})
	}
	w.Anys.Pop(values)
}

// pushItemsSlowly is a slower form of pushItems that accepts every list. The list need not be
// associative, and items may lack a key or an identity. The path element of an item without an
// identity is zero.
func (b *fieldSetWalker) pushItemsSlowly(l *graph.List, x []any) {
	w := b.w
	start := w.entries.Len()
	for i, v := range x {
		w.entries.Push(entry{pe: w.Element(l, v), at: int32(i), v: v})
	}
	entries := w.entries.S[start:]
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(a.pe.Compare(b.pe), int(a.at-b.at)) })
	for i := 1; i < len(entries); i++ {
		entries[i].sameAsPrevious = entries[i].pe.Compare(entries[i-1].pe) == 0
	}
}

// An applier often applies the same fields again. To save time and memory, the functions below
// compare the new paths with the previous set, so that the result reuses equal parts of it. An apply
// with the same fields usually builds no set.

// prevHasFields reports whether prev has exactly the given members and children. In memberBits and
// childBits, each bit stands for a declared field, by rank. The sets of the children begin at
// b.childSets.S[firstChild]. prevHasFields compares these sets by address, so it may return false for
// equal sets.
func (b *fieldSetWalker) prevHasFields(m *graph.Map, memberBits, childBits uint64, firstChild int, prev *fieldpath.Set) bool {
	ms, cs := prev.Members.Sorted(), prev.Children.Sorted()
	if len(cs) != b.childSets.Len()-firstChild || len(ms) != bits.OnesCount64(memberBits) {
		return false
	}
	for i := range cs {
		if cs[i].Set != b.childSets.S[firstChild+i].set || !isFirstField(&cs[i].PathElement, m, childBits) {
			return false
		}
		childBits &= childBits - 1
	}
	for i := range ms {
		if !isFirstField(&ms[i], m, memberBits) {
			return false
		}
		memberBits &= memberBits - 1
	}
	return true
}

// isFirstField reports whether pe is the first field of m whose bit is set in fieldBits.
func isFirstField(pe *fieldpath.PathElement, m *graph.Map, fieldBits uint64) bool {
	return pe.FieldName != nil && *pe.FieldName == m.Fields[bits.TrailingZeros64(fieldBits)].Name
}

// prevHasEntries reports whether prev has exactly the members and children that entries describes. It
// compares the sets of the children, and the keys and values of items, by address, so it may return
// false for equal sets. It also returns false if prev is empty, because the caller must return the
// zero setRef for an empty set.
func (b *fieldSetWalker) prevHasEntries(entries []entry, firstChild int, prev *fieldpath.Set) bool {
	ms, cs := prev.Members.Sorted(), prev.Children.Sorted()
	if len(cs) != b.childSets.Len()-firstChild || len(ms)+len(cs) == 0 {
		return false
	}
	nextChild := firstChild
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

// hasExactlyNames reports whether set has exactly the fields of x as members, and has no children.
// It returns false if x is empty.
func hasExactlyNames(set *fieldpath.Set, x map[string]any) bool {
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

// pushItemsOfPrev is a faster form of pushItems for a list whose items are exactly the members of
// prev. The path element of each item must also have the same text as the member (see
// item.Index.FindByText). pushItemsOfPrev pushes an entry for each item, in the order of prev and
// with the path elements of prev, and returns true. pushItems would push equal entries in the same
// order, because the members of prev are sorted and all different. For any other list,
// pushItemsOfPrev pushes nothing and returns false.
func (b *fieldSetWalker) pushItemsOfPrev(l *graph.List, x []any, prev *fieldpath.Set) bool {
	if !l.IsAssociative() || prev.Members.Size() != len(x) {
		return false
	}
	w := b.w
	start, ints, values := w.entries.Len(), w.Ints.Len(), w.Anys.Len()
	defer w.Ints.Pop(ints) // the index may push a hash table
	defer w.Anys.Pop(values)
	ids, n := w.PushIdentities(l, x)
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
		w.entries.Push(entry{pe: elements[i], v: x[at]})
	}
	return true
}
