package engine

import (
	"cmp"
	"slices"
	"strings"

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
	b := setBuilder{w: w}
	_, set := b.value(n, v, like)
	if b.wrong != nil {
		return nil, b.wrong
	}
	return orEmpty(set), nil
}

// setBuilder builds sets from the leaves up, so that every set is allocated
// once with its exact size.
type setBuilder struct {
	w     *walker
	wrong diag.Findings
}

// value returns whether the place of v is itself a member, and the set of what
// is below it, nil if nothing is.
func (b *setBuilder) value(n *graph.Node, v any, like *fieldpath.Set) (self bool, below *fieldpath.Set) {
	switch x := v.(type) {
	case string, int64, float64, bool:
		if n.Scalar != graph.NoScalar {
			return true, nil
		}
	case map[string]any:
		if n.Map != nil {
			if n.Map.Atomic {
				return true, nil
			}
			return false, b.mapping(n.Map, x, like)
		}
	case []any:
		if n.List != nil {
			if n.List.Relation == graph.Atomic {
				return true, nil
			}
			return false, b.list(n.List, x, like)
		}
	}
	return b.other(n, v, like)
}

func (b *setBuilder) other(n *graph.Node, v any, like *fieldpath.Set) (self bool, below *fieldpath.Set) {
	if n.Missing {
		b.wrong = append(b.wrong, noType(n)...)
		return false, nil
	}
	switch kindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return true, nil
		}
		return false, b.mapping(n.Map, asMap(v), like)
	case graph.ScalarKind:
		return true, nil
	case graph.ListKind:
		if n.List.Relation == graph.Atomic {
			return true, nil
		}
		return false, b.list(n.List, asList(v), like)
	}
	b.wrong = append(b.wrong, noKind(n)...)
	return false, nil
}

func (b *setBuilder) mapping(m *graph.Map, x map[string]any, like *fieldpath.Set) *fieldpath.Set {
	w := b.w
	start := w.entries.len()
	loose := 0 // fields that are not declared
	for name, v := range x {
		if f := m.Field(name); f != nil {
			w.entries.push(entry{pe: fieldpath.PathElement{FieldName: &f.Name}, rank: f.Rank, v: v})
		} else {
			loose++
			w.entries.push(entry{rank: -1, name: name})
		}
	}
	fields := w.entries.s[start:]
	if loose > 0 {
		b.nameLoose(x, fields, loose, like)
		slices.SortFunc(fields, func(a, b entry) int { return strings.Compare(*a.pe.FieldName, *b.pe.FieldName) })
	} else {
		sortByRank(fields)
	}
	members, children := w.members.len(), w.children.len()
	below := childrenOf(like)
	for i, end := start, w.entries.len(); i < end; i++ {
		e := w.entries.s[i]
		t := m.Elem
		if e.rank >= 0 {
			t = m.Fields[e.rank].Type
		}
		self, child := b.value(t, e.v, below.find(&e.pe))
		if self || e.rank < 0 || e.v == nil || isEmptyMap(e.v) || t.Declarative && isEmptyList(e.v) {
			w.members.push(e.pe)
		}
		if child != nil {
			w.children.push(fieldpath.SetNode{PathElement: e.pe, Set: child})
		}
	}
	w.entries.pop(start)
	return w.setLike(members, children, like)
}

// nameLoose gives the n undeclared fields their path elements and values.
func (b *setBuilder) nameLoose(x map[string]any, fields []entry, n int, like *fieldpath.Set) {
	var names []string
	for i := range fields {
		e := &fields[i]
		if e.rank >= 0 {
			continue
		}
		e.v = x[e.name]
		n--
		if e.pe.FieldName = nameIn(like, e.name); e.pe.FieldName != nil {
			continue
		}
		if len(names) == 0 {
			names = b.w.names.take(n + 1)
		}
		names[0] = e.name
		e.pe.FieldName = &names[0]
		names = names[1:]
	}
}

// sortByRank sorts the declared fields of one map, of which there are few.
func sortByRank(fields []entry) {
	if len(fields) > 32 {
		slices.SortFunc(fields, func(a, b entry) int { return int(a.rank - b.rank) })
		return
	}
	for i := 1; i < len(fields); i++ {
		for j := i; j > 0 && fields[j].rank < fields[j-1].rank; j-- {
			fields[j], fields[j-1] = fields[j-1], fields[j]
		}
	}
}

func (b *setBuilder) list(l *graph.List, x []any, like *fieldpath.Set) *fieldpath.Set {
	w := b.w
	start := w.entries.len()
	sorted := b.itemsLike(l, x, like)
	if !sorted {
		sorted = b.items(l, x)
	}
	members, children := w.members.len(), w.children.len()
	below := childrenOf(like)
	for i := start; i < start+len(x); {
		e := w.entries.s[i]
		next := i + 1
		if !sorted {
			for next < start+len(x) && e.pe.Compare(w.entries.s[next].pe) == 0 {
				next++
			}
		}
		if next > i+1 {
			// The second of several items is the one that is remembered.
			e.pe = w.entries.s[i+1].pe
		}
		w.members.push(e.pe)
		if next == i+1 {
			if _, child := b.value(l.Item, e.v, below.find(&e.pe)); child != nil {
				w.children.push(fieldpath.SetNode{PathElement: e.pe, Set: child})
			}
		}
		i = next
	}
	w.entries.pop(start)
	return w.setLike(members, children, like)
}

// items pushes the items in order, and says whether they came in order, all
// different.
func (b *setBuilder) items(l *graph.List, x []any) (sorted bool) {
	w := b.w
	start := w.entries.len()
	sorted = true
	for i, v := range x {
		w.entries.push(entry{pe: w.element(l, v), at: int32(i), v: v})
		if sorted && i > 0 && w.entries.s[start+i-1].pe.Compare(w.entries.s[start+i].pe) >= 0 {
			sorted = false
		}
	}
	if !sorted {
		slices.SortFunc(w.entries.s[start:], func(a, b entry) int { return cmp.Or(a.pe.Compare(b.pe), int(a.at-b.at)) })
	}
	return sorted
}
