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

// FieldSet returns the paths that v, a value of type n, sets: its leaves, the
// items of its lists, the keys of its maps. Empty maps and nulls count as
// leaves; empty lists do only with declarative defaults. Items that share an identity are owned as one,
// without what is below them. It fails only where the schema does.
//
// What of the result is the same in prev is prev's own; nothing is allocated for
// it. prev may be nil.
func FieldSet(n *graph.Node, v any, prev *fieldpath.Set) (*fieldpath.Set, diag.Findings) {
	w := newWalker()
	defer w.done()
	b := fieldSetter{w: w, setBuilder: &w.builder}
	_, set := b.value(n, v, prev)
	if b.wrong != nil {
		return nil, b.wrong
	}
	out := b.finish(set)
	if out == nil {
		out = fieldpath.NewSet()
	}
	return out, nil
}

// fieldSetter builds sets from the leaves up.
type fieldSetter struct {
	*setBuilder
	w     *walker
	wrong diag.Findings
}

// value returns whether the place of v is itself a member, and the set of what
// is below it.
func (b *fieldSetter) value(n *graph.Node, v any, prev *fieldpath.Set) (self bool, below subset) {
	switch x := v.(type) {
	case string, int64, float64, bool:
		if n.Scalar != graph.NoScalar {
			return true, subset{}
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
	return b.other(n, v, prev)
}

func (b *fieldSetter) other(n *graph.Node, v any, prev *fieldpath.Set) (self bool, below subset) {
	if n.Missing {
		b.wrong = append(b.wrong, data.NoType(n)...)
		return false, subset{}
	}
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return true, subset{}
		}
		return false, b.mapping(n.Map, data.AsMap(v), prev)
	case graph.ScalarKind:
		return true, subset{}
	case graph.ListKind:
		if n.List.IsAtomic() {
			return true, subset{}
		}
		return false, b.list(n.List, data.AsList(v), prev)
	}
	b.wrong = append(b.wrong, data.NoKind(n)...)
	return false, subset{}
}

// leaf says whether the values of a type are one leaf each, whatever they are.
func leaf(n *graph.Node) bool { return !n.Missing && n.Kinds() != 0 && !n.Granular() }

// isMember says whether the place of a field is a member although its value is
// none by itself.
func isMember(t *graph.Node, v any) bool {
	return v == nil || data.IsEmptyMap(v) || t.Declarative && data.IsEmptyList(v)
}

// mapping returns what a map sets. The fields of most are declared, and few: then
// bits stand for them, in the order of their ranks, which is that of their
// names.
func (b *fieldSetter) mapping(m *graph.Map, x map[string]any, prev *fieldpath.Set) subset {
	if len(m.Fields) > 64 || len(m.Fields) == 0 {
		return b.undeclared(m, x, prev)
	}
	keys := &b.w.Keys
	start := keys.Len()
	var at [64]uint8 // rank -> which of the values
	var has uint64
	for name, v := range x {
		f := m.Field(name)
		if f == nil {
			keys.Pop(start)
			return b.undeclared(m, x, prev)
		}
		at[f.Rank&63] = uint8(keys.Len() - start)
		has |= 1 << (f.Rank & 63)
		keys.Push(v)
	}
	var members, children uint64
	found := b.found.Len()
	below := ownedset.ChildrenOf(prev)
	for ; has != 0; has &= has - 1 {
		bit := has & -has
		rank := bits.TrailingZeros64(has)
		f := &m.Fields[rank]
		v := keys.S[start+int(at[rank])]
		if data.IsScalarOf(f.Type.Scalar, v) {
			members |= bit
			continue
		}
		self, child := b.value(f.Type, v, below.Field(f.Name))
		if self || isMember(f.Type, v) {
			members |= bit
		}
		if !child.none() {
			children |= bit
			b.found.Push(child)
		}
	}
	keys.Pop(start)
	set := subset{}
	switch {
	case members|children == 0:
	case prev != nil && b.fieldsAre(m, members, children, found, prev):
		set.set = prev
	default:
		set = b.endFields(m, members, children, found)
	}
	b.found.Pop(found)
	return set
}

// endFields ends the set of these declared fields. What is below them was found
// since the mark.
func (b *fieldSetter) endFields(m *graph.Map, members, children uint64, found int) subset {
	ms := b.members.More(bits.OnesCount64(members))
	for i := range ms {
		ms[i] = fieldpath.PathElement{FieldName: &m.Fields[bits.TrailingZeros64(members)].Name}
		members &= members - 1
	}
	for _, below := range b.found.S[found:] {
		b.child(fieldpath.PathElement{FieldName: &m.Fields[bits.TrailingZeros64(children)].Name}, below)
		children &= children - 1
	}
	return b.end()
}

// undeclared is mapping for maps with fields that are not declared, and for
// those of large types.
func (b *fieldSetter) undeclared(m *graph.Map, x map[string]any, prev *fieldpath.Set) subset {
	plain := len(m.Fields) == 0 && leaf(m.Elem)
	if plain && prev != nil && hasNames(prev, x) {
		return subset{set: prev}
	}
	w := b.w
	start := w.entries.Len()
	loose := 0
	for name, v := range x {
		e := entry{v: v}
		if f := m.Field(name); f != nil {
			e.pe.FieldName, e.t, e.at = &f.Name, f.Type, f.Rank
		} else {
			loose++
			e.name, e.t, e.at = name, m.Elem, -1
		}
		w.entries.Push(e)
	}
	fields := w.entries.S[start:]
	b.nameLoose(fields, loose, prev)
	item.Sort(&w.Memory, fields, func(i int) *fieldpath.PathElement { return &fields[i].pe },
		func(a, b entry) int { return strings.Compare(*a.pe.FieldName, *b.pe.FieldName) })
	end := w.entries.Len()
	if plain {
		for i := range fields {
			b.member(fields[i].pe)
		}
		w.entries.Pop(start)
		if len(fields) == 0 {
			return subset{}
		}
		return b.end()
	}
	below := ownedset.ChildrenOf(prev)
	found := b.found.Len()
	for i := start; i < end; i++ {
		e := &w.entries.S[i]
		pe, t, v, declared := e.pe, e.t, e.v, e.at >= 0
		self, child := b.value(t, v, below.Find(&pe))
		e = &w.entries.S[i]
		e.member = self || !declared || isMember(t, v)
		e.child = !child.none()
		if e.child {
			b.found.Push(child)
		}
	}
	return b.endEntries(start, found, prev)
}

// endEntries ends the set of the entries since start. What is below them was
// found since the mark.
func (b *fieldSetter) endEntries(start, found int, prev *fieldpath.Set) subset {
	entries := b.w.entries.S[start:]
	defer b.w.entries.Pop(start)
	defer b.found.Pop(found)
	if prev != nil && b.entriesAre(entries, found, prev) {
		return subset{set: prev}
	}
	some := false
	b.members.Room(len(entries))
	b.children.Room(len(b.found.S) - found)
	b.of.Room(len(b.found.S) - found)
	for i := range entries {
		e := &entries[i]
		if e.member {
			b.member(e.pe)
		}
		if e.child {
			b.child(e.pe, b.found.S[found])
			found++
		}
		some = some || e.member || e.child
	}
	if !some {
		return subset{}
	}
	return b.end()
}

// namesPiece is how many of many names share memory: few, so that who keeps one does not
// keep all, and as many as leave nothing unused (half a kilobyte; more has a header).
const namesPiece = 32

// nameLoose gives the n undeclared fields their path elements.
func (b *fieldSetter) nameLoose(fields []entry, n int, prev *fieldpath.Set) {
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
			if n < namesPiece {
				names = b.w.Names.Take(n + 1)
			} else {
				names = make([]string, namesPiece)
			}
		}
		names[0] = e.name
		e.pe.FieldName = &names[0]
		names = names[1:]
	}
}

// list returns what a list sets: its items, and what they set.
func (b *fieldSetter) list(l *graph.List, x []any, prev *fieldpath.Set) subset {
	if len(x) == 0 {
		return subset{}
	}
	w := b.w
	start := w.entries.Len()
	asBefore := prev != nil && b.itemsAre(l, x, prev)
	if !asBefore {
		b.items(l, x)
	}
	end := start + len(x)
	found := b.found.Len()
	below := ownedset.ChildrenOf(prev)
	leaves := leaf(l.Item)
	kept := start
	for i := start; i < end; {
		e := w.entries.S[i]
		next := i + 1
		if !asBefore {
			for next < end && w.entries.S[next].again {
				next++
			}
		}
		e.member, e.child = true, false
		if next > i+1 {
			// The second of several items is the one that is remembered.
			e.pe = w.entries.S[i+1].pe
		} else if !leaves {
			if _, child := b.value(l.Item, e.v, below.Find(&e.pe)); !child.none() {
				e.child = true
				b.found.Push(child)
			}
		}
		w.entries.S[kept] = e
		kept++
		i = next
	}
	w.entries.Pop(kept)
	return b.endEntries(start, found, prev)
}

// items pushes the items in the order of their elements. Those that share the
// element of the one before are marked. Lists of no known kind have no identities,
// even where they have keys.
func (b *fieldSetter) items(l *graph.List, x []any) {
	w := b.w
	w.entries.Room(len(x))
	w.Lists.Expect(len(x))
	w.Fields.Expect(len(x) * len(l.Keys))
	if !l.IsAssociative() {
		b.itemsByElement(l, x)
		return
	}
	keys, ints := w.Keys.Len(), w.Ints.Len()
	if ids, n := w.Identities(l, x); n < len(x) || ids.Lack() {
		b.itemsByElement(l, x)
	} else {
		w.InOrder(ids, len(x), func(i int, again bool) {
			w.entries.Push(entry{pe: w.ElementOf(l, ids.Of(i)), v: x[i], again: again})
		})
	}
	w.Keys.Pop(keys)
	w.Ints.Pop(ints)
}

// itemsByElement is items for lists of which an item lacks a key. Items without an
// identity have the zero element.
func (b *fieldSetter) itemsByElement(l *graph.List, x []any) {
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

// Who applies what he applied last time owns what he owned. The set builder
// compares what it finds with the old set and takes from it what is the same, so
// that an apply which changes nothing builds nothing.

// fieldsAre says whether prev has just these declared fields as members and
// children, the latter as they were found since the mark.
func (b *fieldSetter) fieldsAre(m *graph.Map, members, children uint64, found int, prev *fieldpath.Set) bool {
	ms, cs := prev.Members.Sorted(), prev.Children.Sorted()
	if len(cs) != b.found.Len()-found || len(ms) != bits.OnesCount64(members) {
		return false
	}
	for i := range cs {
		if cs[i].Set != b.found.S[found+i].set || !isField(&cs[i].PathElement, m, children) {
			return false
		}
		children &= children - 1
	}
	for i := range ms {
		if !isField(&ms[i], m, members) {
			return false
		}
		members &= members - 1
	}
	return true
}

// isField says whether pe is the first of the fields.
func isField(pe *fieldpath.PathElement, m *graph.Map, fields uint64) bool {
	return pe.FieldName != nil && *pe.FieldName == m.Fields[bits.TrailingZeros64(fields)].Name
}

// entriesAre is fieldsAre for entries.
func (b *fieldSetter) entriesAre(entries []entry, found int, prev *fieldpath.Set) bool {
	ms, cs := prev.Members.Sorted(), prev.Children.Sorted()
	if len(cs) != b.found.Len()-found || len(ms)+len(cs) == 0 {
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
			if cs[0].Set != b.found.S[found].set || !ownedset.SameElement(&cs[0].PathElement, &e.pe) {
				return false
			}
			cs = cs[1:]
			found++
		}
	}
	return len(ms) == 0
}

// hasNames says whether the members of a set are the fields of a map, and nothing
// else is in it.
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

// itemsAre pushes the items of a list under the elements of prev, and in its
// order, if prev has just these items as members, and they print alike. Every
// element then names an item of its own, so no two items share one.
func (b *fieldSetter) itemsAre(l *graph.List, x []any, prev *fieldpath.Set) bool {
	if !l.IsAssociative() || prev.Members.Size() != len(x) {
		return false
	}
	w := b.w
	start, ints, keys := w.entries.Len(), w.Ints.Len(), w.Keys.Len()
	defer w.Ints.Pop(ints)
	defer w.Keys.Pop(keys)
	ids, n := w.Identities(l, x)
	if n < len(x) {
		return false
	}
	ix := w.Index(l, x, n)
	elements := prev.Members.Sorted()
	for i := range elements {
		at := ix.FindAsPrinted(&elements[i], ids)
		if at < 0 {
			w.entries.Pop(start)
			return false
		}
		w.entries.Push(entry{pe: elements[i], at: int32(at), v: x[at]})
	}
	return true
}
