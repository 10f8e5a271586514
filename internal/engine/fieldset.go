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
// The argument hint is any earlier set, or nil. It saves memory, and never changes the paths in the
// result: if a part of the result equals the part of hint at the same path, the result usually
// shares this part.
func FieldSet(n *graph.Node, v any, hint *fieldpath.Set) (*fieldpath.Set, diag.Findings) {
	w := newWorkspace()
	defer w.done()
	fw := fieldSetWalker{w: w, setBuilder: &w.builder}
	_, set := fw.value(n, v, hint)
	if fw.findings != nil {
		return nil, fw.findings
	}
	out := fw.finish(set)
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
// the caller must also add the path of v itself. The caller also adds this path if isEmptyLeaf
// returns true for v, or if v is an undeclared field or an item. hint is the part of the hint of
// FieldSet below the same path, or nil. If the result equals hint, value usually returns hint.
func (fw *fieldSetWalker) value(n *graph.Node, v any, hint *fieldpath.Set) (self bool, below setRef) {
	switch x := v.(type) {
	case string, int64, float64, bool:
		if n.Scalar != graph.NoScalar {
			return true, setRef{}
		}
	case map[string]any:
		if n.Map != nil && !n.Map.Atomic {
			return false, fw.fields(n.Map, x, hint)
		}
	case []any:
		if n.List != nil && !n.List.IsAtomic() {
			return false, fw.items(n.List, x, hint)
		}
	}
	return fw.slowValue(n, v, hint)
}

// slowValue does the same as the method value, for all values that have no fast path there.
func (fw *fieldSetWalker) slowValue(n *graph.Node, v any, hint *fieldpath.Set) (self bool, below setRef) {
	if n.Missing {
		fw.findings = append(fw.findings, data.NoType(n)...)
		return false, setRef{}
	}
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return true, setRef{}
		}
		return false, fw.fields(n.Map, data.AsMap(v), hint)
	case graph.ScalarKind:
		return true, setRef{}
	case graph.ListKind:
		if n.List.IsAtomic() {
			return true, setRef{}
		}
		return false, fw.items(n.List, data.AsList(v), hint)
	}
	fw.findings = append(fw.findings, data.NoKind(n)...)
	return false, setRef{}
}

// isLeafType reports whether all values of a type are leaves.
func isLeafType(n *graph.Node) bool { return !n.Missing && n.Kinds() != 0 && !n.Granular() }

// isEmptyLeaf reports whether v, the value of a field of type t, is null, an empty map or, with
// declarative defaults, an empty list. The field set then contains the path of the field.
func isEmptyLeaf(t *graph.Node, v any) bool {
	return v == nil || data.IsEmptyMap(v) || t.Declarative && data.IsEmptyList(v)
}

// fields returns the set of a map. Most map types declare 1 to 64 fields, and most of their values
// have no other fields. For these values, fields represents each field by one bit, in the order of
// the field names. For all other values, it calls slowFields.
func (fw *fieldSetWalker) fields(m *graph.Map, x map[string]any, hint *fieldpath.Set) setRef {
	if len(m.Fields) > 64 || len(m.Fields) == 0 {
		return fw.slowFields(m, x, hint)
	}
	values := &fw.w.ValueScratch
	start := values.Len()
	var at [64]uint8   // for each declared field, by rank: the index of its value, counted from start
	var present uint64 // one bit for each field that x has, by rank
	for name, v := range x {
		f := m.Field(name)
		if f == nil {
			values.Pop(start)
			return fw.slowFields(m, x, hint)
		}
		// The rank is less than 64. The mask only makes bounds checks unnecessary.
		at[f.Rank&63] = uint8(values.Len() - start)
		present |= 1 << (f.Rank & 63)
		values.Push(v)
	}
	var memberBits, childBits uint64
	firstChild := fw.childSets.Len()
	below := ownedset.ChildrenOf(hint)
	for ; present != 0; present &= present - 1 {
		bit := present & -present
		rank := bits.TrailingZeros64(present)
		f := &m.Fields[rank]
		v := values.S[start+int(at[rank])]
		if data.IsScalarOf(f.Type.Scalar, v) {
			memberBits |= bit
			continue
		}
		self, child := fw.value(f.Type, v, below.Field(f.Name))
		if self || isEmptyLeaf(f.Type, v) {
			memberBits |= bit
		}
		if !child.isEmpty() {
			childBits |= bit
			fw.childSets.Push(child)
		}
	}
	values.Pop(start)
	set := setRef{}
	switch {
	case memberBits|childBits == 0:
	case hint != nil && fw.hintHasFields(m, memberBits, childBits, firstChild, hint):
		set.set = hint
	default:
		set = fw.completeFields(m, memberBits, childBits, firstChild)
	}
	fw.childSets.Pop(firstChild)
	return set
}

// completeFields builds the set of a map and returns it. In memberBits and childBits, each bit
// stands for a declared field, by rank. The sets of the children begin at fw.childSets.S[firstChild].
// The caller pops them.
func (fw *fieldSetWalker) completeFields(m *graph.Map, memberBits, childBits uint64, firstChild int) setRef {
	ms := fw.members.More(bits.OnesCount64(memberBits))
	for i := range ms {
		ms[i] = fieldpath.PathElement{FieldName: &m.Fields[bits.TrailingZeros64(memberBits)].Name}
		memberBits &= memberBits - 1
	}
	for _, below := range fw.childSets.S[firstChild:] {
		fw.addChild(fieldpath.PathElement{FieldName: &m.Fields[bits.TrailingZeros64(childBits)].Name}, below)
		childBits &= childBits - 1
	}
	return fw.endSet()
}

// slowFields does the same as the method fields, for all maps that have no fast path there. These
// are maps with undeclared fields, or of a type with more than 64 declared fields.
func (fw *fieldSetWalker) slowFields(m *graph.Map, x map[string]any, hint *fieldpath.Set) setRef {
	onlyLeaves := len(m.Fields) == 0 && isLeafType(m.Elem)
	if onlyLeaves && hint != nil && hasExactlyNames(hint, x) {
		return setRef{set: hint}
	}
	w := fw.w
	start := w.entries.Len()
	undeclared := 0
	for name, v := range x {
		e := fieldSetEntry{v: v}
		if f := m.Field(name); f != nil {
			e.pe.FieldName, e.t, e.declared = &f.Name, f.Type, true
		} else {
			undeclared++
			e.name, e.t = name, m.Elem
		}
		w.entries.Push(e)
	}
	fields := w.entries.S[start:]
	fw.nameUndeclared(fields, undeclared, hint)
	item.SortWithRanks(&w.Workspace, fields, func(i int) *fieldpath.PathElement { return &fields[i].pe },
		func(a, b fieldSetEntry) int { return strings.Compare(*a.pe.FieldName, *b.pe.FieldName) })
	end := w.entries.Len()
	if onlyLeaves {
		for i := range fields {
			fw.addMember(fields[i].pe)
		}
		w.entries.Pop(start)
		if len(fields) == 0 {
			return setRef{}
		}
		return fw.endSet()
	}
	below := ownedset.ChildrenOf(hint)
	firstChild := fw.childSets.Len()
	for i := start; i < end; i++ {
		e := &w.entries.S[i]
		pe, t, v, declared := e.pe, e.t, e.v, e.declared
		self, child := fw.value(t, v, below.Find(&pe))
		e = &w.entries.S[i] // fw.value may have moved the entries to new memory
		e.member = self || !declared || isEmptyLeaf(t, v)
		e.child = !child.isEmpty()
		if e.child {
			fw.childSets.Push(child)
		}
	}
	return fw.completeEntries(start, firstChild, hint)
}

// completeEntries builds the set of the entries from the index start on. The sets of their children
// begin at fw.childSets.S[firstChild]. completeEntries pops the entries and these sets. If hint has
// the same paths, it usually returns hint instead of a new set.
func (fw *fieldSetWalker) completeEntries(start, firstChild int, hint *fieldpath.Set) setRef {
	entries := fw.w.entries.S[start:]
	defer fw.w.entries.Pop(start)
	defer fw.childSets.Pop(firstChild)
	if hint != nil && fw.hintHasEntries(entries, firstChild, hint) {
		return setRef{set: hint}
	}
	hasPaths := false
	fw.members.Room(len(entries))
	fw.children.Room(len(fw.childSets.S) - firstChild)
	fw.numbers.Room(len(fw.childSets.S) - firstChild)
	nextChild := firstChild
	for i := range entries {
		e := &entries[i]
		if e.member {
			fw.addMember(e.pe)
		}
		if e.child {
			fw.addChild(e.pe, fw.childSets.S[nextChild])
			nextChild++
		}
		hasPaths = hasPaths || e.member || e.child
	}
	if !hasPaths {
		return setRef{}
	}
	return fw.endSet()
}

// namesPerChunk is the number of undeclared names of a large map that share an allocation of 512
// bytes. It is small, because a single name in use keeps the whole allocation in memory. All names
// of a small map come from a slab, and so do the last names of a large map, at most namesPerChunk
// of them. One allocation of this slab has room for at most 256 names, or 4 KiB, which several maps
// share.
const namesPerChunk = 32

// nameUndeclared sets the path elements of the undeclared fields. It shares their names with hint
// if possible. remaining is the number of undeclared fields.
func (fw *fieldSetWalker) nameUndeclared(fields []fieldSetEntry, remaining int, hint *fieldpath.Set) {
	var names []string
	for i := range fields {
		e := &fields[i]
		if e.pe.FieldName != nil {
			continue
		}
		if e.pe.FieldName = ownedset.NameIn(hint, e.name); e.pe.FieldName == nil {
			if len(names) == 0 {
				if remaining <= namesPerChunk {
					names = fw.w.Names.Take(remaining)
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

// items returns the set of a list: its items, and the paths below them. It first pushes one entry for
// each item. It then replaces the entries with the same path element by one entry.
func (fw *fieldSetWalker) items(l *graph.List, x []any, hint *fieldpath.Set) setRef {
	if len(x) == 0 {
		return setRef{}
	}
	w := fw.w
	start := w.entries.Len()
	if hint == nil || !fw.pushItemsOfHint(l, x, hint) {
		fw.pushItems(l, x)
	}
	pushed := start + len(x) // the end of the entries that were pushed
	firstChild := fw.childSets.Len()
	below := ownedset.ChildrenOf(hint)
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
			if _, child := fw.value(l.Item, e.v, below.Find(&e.pe)); !child.isEmpty() {
				e.child = true
				fw.childSets.Push(child)
			}
		}
		w.entries.S[end] = e
		end++
		i = next
	}
	w.entries.Pop(end)
	return fw.completeEntries(start, firstChild, hint)
}

// pushItems pushes an entry for each item of a list, and sorts the entries by path element. It sets
// sameAsPrevious in each entry. If the list is not associative, all items have the zero path element,
// even if the list has keys.
func (fw *fieldSetWalker) pushItems(l *graph.List, x []any) {
	w := fw.w
	w.entries.Room(len(x))
	w.ExpectElements(l, len(x))
	if !l.IsAssociative() {
		fw.pushItemsSlowly(l, x)
		return
	}
	values := w.ValueScratch.Len()
	if ids, n := w.PushIdentities(l, x); n < len(x) || ids.AnyWithoutKeyOrDefault() {
		fw.pushItemsSlowly(l, x)
	} else {
		w.EachInOrder(ids, func(i int, duplicate bool) {
			w.entries.Push(fieldSetEntry{pe: w.ElementFromIdentity(l, ids.At(i)), v: x[i], sameAsPrevious: duplicate})
		})
	}
	w.ValueScratch.Pop(values)
}

// pushItemsSlowly is a slower form of pushItems that accepts every list. The list need not be
// associative, and items may lack a key or an identity. The path element of an item without an
// identity is zero.
func (fw *fieldSetWalker) pushItemsSlowly(l *graph.List, x []any) {
	w := fw.w
	start := w.entries.Len()
	for i, v := range x {
		w.entries.Push(fieldSetEntry{pe: w.Element(l, v), at: int32(i), v: v})
	}
	entries := w.entries.S[start:]
	slices.SortFunc(entries, func(a, b fieldSetEntry) int { return cmp.Or(a.pe.Compare(b.pe), int(a.at-b.at)) })
	for i := 1; i < len(entries); i++ {
		entries[i].sameAsPrevious = entries[i].pe.Compare(entries[i-1].pe) == 0
	}
}

// An applier often applies the same fields again. To save time and memory, the functions below
// compare the new paths with the previous set, so that the result reuses equal parts of it. An apply
// with the same fields usually builds no set.

// hintHasFields reports whether hint has exactly the given members and children. In memberBits and
// childBits, each bit stands for a declared field, by rank. The sets of the children begin at
// fw.childSets.S[firstChild]. hintHasFields compares these sets by address, so it may return false for
// equal sets.
func (fw *fieldSetWalker) hintHasFields(m *graph.Map, memberBits, childBits uint64, firstChild int, hint *fieldpath.Set) bool {
	ms, cs := hint.Members.Sorted(), hint.Children.Sorted()
	if len(cs) != fw.childSets.Len()-firstChild || len(ms) != bits.OnesCount64(memberBits) {
		return false
	}
	for i := range cs {
		if cs[i].Set != fw.childSets.S[firstChild+i].set || !isFirstField(&cs[i].PathElement, m, childBits) {
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

// hintHasEntries reports whether hint has exactly the members and children that entries describes. It
// compares the sets of the children, and the keys and values of items, by address, so it may return
// false for equal sets. It also returns false if hint is empty, because the caller must return the
// zero setRef for an empty set.
func (fw *fieldSetWalker) hintHasEntries(entries []fieldSetEntry, firstChild int, hint *fieldpath.Set) bool {
	ms, cs := hint.Members.Sorted(), hint.Children.Sorted()
	if len(cs) != fw.childSets.Len()-firstChild || len(ms)+len(cs) == 0 {
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
			if cs[0].Set != fw.childSets.S[nextChild].set || !ownedset.SameElement(&cs[0].PathElement, &e.pe) {
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

// pushItemsOfHint is a faster form of pushItems for a list whose items are exactly the members of
// hint. The path element of each item must also have the same text as the member (see
// item.Index.FindSameText). pushItemsOfHint pushes an entry for each item, in the order of hint and
// with the path elements of hint, and returns true. pushItems would push equal entries in the same
// order, because the members of hint are sorted and all different. For any other list,
// pushItemsOfHint pushes nothing and returns false.
func (fw *fieldSetWalker) pushItemsOfHint(l *graph.List, x []any, hint *fieldpath.Set) bool {
	if !l.IsAssociative() || hint.Members.Size() != len(x) {
		return false
	}
	w := fw.w
	start, ints, values := w.entries.Len(), w.IntScratch.Len(), w.ValueScratch.Len()
	defer w.IntScratch.Pop(ints) // the index may push a hash table
	defer w.ValueScratch.Pop(values)
	ids, n := w.PushIdentities(l, x)
	if n < len(x) {
		return false
	}
	ix := w.NewIndex(l, x, n)
	elements := hint.Members.Sorted()
	for i := range elements {
		at := ix.FindSameText(&elements[i], ids)
		if at < 0 {
			w.entries.Pop(start)
			return false
		}
		w.entries.Push(fieldSetEntry{pe: elements[i], v: x[at]})
	}
	return true
}
