// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math/bits"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// FieldSet returns the paths that v, a value of type n, sets: its leaves, the
// items of its lists, the keys of its maps. Empty maps and nulls count as
// leaves; empty lists do only with declarative defaults. Items that share an identity are owned as one,
// without what is below them. It fails only where the schema does.
//
// What of the result is the same in like is like's own; nothing is allocated for
// it. like may be nil.
func FieldSet(n *graph.Node, v any, like *fieldpath.Set) (*fieldpath.Set, diag.Findings) {
	w := newWalker()
	defer w.done()
	b := setBuilder{w: w, draft: &w.draft}
	_, set := b.value(n, v, like)
	if b.wrong != nil {
		return nil, b.wrong
	}
	return orEmpty(b.finish(set)), nil
}

// setBuilder builds sets from the leaves up.
type setBuilder struct {
	*draft
	w     *walker
	wrong diag.Findings
}

// value returns whether the place of v is itself a member, and the set of what
// is below it.
func (b *setBuilder) value(n *graph.Node, v any, like *fieldpath.Set) (self bool, below subset) {
	switch x := v.(type) {
	case string, int64, float64, bool:
		if n.Scalar != graph.NoScalar {
			return true, subset{}
		}
	case map[string]any:
		if n.Map != nil {
			if n.Map.Atomic {
				return true, subset{}
			}
			return false, b.mapping(n.Map, x, like)
		}
	case []any:
		if n.List != nil {
			if n.List.Relation == graph.Atomic {
				return true, subset{}
			}
			return false, b.list(n.List, x, like)
		}
	}
	return b.other(n, v, like)
}

func (b *setBuilder) other(n *graph.Node, v any, like *fieldpath.Set) (self bool, below subset) {
	if n.Missing {
		b.wrong = append(b.wrong, noType(n)...)
		return false, subset{}
	}
	switch kindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return true, subset{}
		}
		return false, b.mapping(n.Map, asMap(v), like)
	case graph.ScalarKind:
		return true, subset{}
	case graph.ListKind:
		if n.List.Relation == graph.Atomic {
			return true, subset{}
		}
		return false, b.list(n.List, asList(v), like)
	}
	b.wrong = append(b.wrong, noKind(n)...)
	return false, subset{}
}

// leaf says whether the values of a type are one leaf each, whatever they are.
func leaf(n *graph.Node) bool { return !n.Missing && n.Kinds() != 0 && !n.Granular() }

// isMember says whether the place of a field is a member although its value is
// none by itself.
func isMember(t *graph.Node, v any) bool {
	return v == nil || isEmptyMap(v) || t.Declarative && isEmptyList(v)
}

// mapping returns what a map sets. The fields of most are declared, and few: then
// bits stand for them, in the order of their ranks, which is that of their
// names.
func (b *setBuilder) mapping(m *graph.Map, x map[string]any, like *fieldpath.Set) subset {
	if len(m.Fields) > 64 || len(m.Fields) == 0 {
		return b.undeclared(m, x, like)
	}
	keys := &b.w.keys
	start := keys.Len()
	var at [64]uint8 // rank -> which of the values
	var has uint64
	for name, v := range x {
		f := m.Field(name)
		if f == nil {
			keys.Pop(start)
			return b.undeclared(m, x, like)
		}
		at[f.Rank&63] = uint8(keys.Len() - start)
		has |= 1 << (f.Rank & 63)
		keys.Push(v)
	}
	var members, children uint64
	found := b.found.Len()
	below := childrenOf(like)
	for ; has != 0; has &= has - 1 {
		bit := has & -has
		rank := bits.TrailingZeros64(has)
		f := &m.Fields[rank]
		v := keys.S[start+int(at[rank])]
		if isOf(f.Type.Scalar, v) {
			members |= bit
			continue
		}
		self, child := b.value(f.Type, v, below.field(f.Name))
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
	case like != nil && b.fieldsAre(m, members, children, found, like):
		set.set = like
	default:
		set = b.endFields(m, members, children, found)
	}
	b.found.Pop(found)
	return set
}

// endFields ends the set of these declared fields. What is below them was found
// since the mark.
func (b *setBuilder) endFields(m *graph.Map, members, children uint64, found int) subset {
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
func (b *setBuilder) undeclared(m *graph.Map, x map[string]any, like *fieldpath.Set) subset {
	plain := len(m.Fields) == 0 && leaf(m.Elem)
	if plain && like != nil && hasNames(like, x) {
		return subset{set: like}
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
	b.nameLoose(fields, loose, like)
	w.sortFields(fields)
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
	below := childrenOf(like)
	found := b.found.Len()
	for i := start; i < end; i++ {
		e := &w.entries.S[i]
		pe, t, v, declared := e.pe, e.t, e.v, e.at >= 0
		self, child := b.value(t, v, below.find(&pe))
		e = &w.entries.S[i]
		e.member = self || !declared || isMember(t, v)
		e.child = !child.none()
		if e.child {
			b.found.Push(child)
		}
	}
	return b.endEntries(start, found, like)
}

// endEntries ends the set of the entries since start. What is below them was
// found since the mark.
func (b *setBuilder) endEntries(start, found int, like *fieldpath.Set) subset {
	entries := b.w.entries.S[start:]
	defer b.w.entries.Pop(start)
	defer b.found.Pop(found)
	if like != nil && b.entriesAre(entries, found, like) {
		return subset{set: like}
	}
	some := false
	b.room(len(entries), len(b.found.S)-found)
	for i := range entries {
		if e := &entries[i]; e.member {
			some = true
			b.member(e.pe)
		}
	}
	for i := range entries {
		if e := &entries[i]; e.child {
			some = true
			b.child(e.pe, b.found.S[found])
			found++
		}
	}
	if !some {
		return subset{}
	}
	return b.end()
}

// nameLoose gives the n undeclared fields their path elements.
func (b *setBuilder) nameLoose(fields []entry, n int, like *fieldpath.Set) {
	var names []string
	for i := range fields {
		e := &fields[i]
		if e.pe.FieldName != nil {
			continue
		}
		n--
		if e.pe.FieldName = nameIn(like, e.name); e.pe.FieldName != nil {
			continue
		}
		if len(names) == 0 {
			names = b.w.names.Take(n + 1)
		}
		names[0] = e.name
		e.pe.FieldName = &names[0]
		names = names[1:]
	}
}
