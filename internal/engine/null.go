// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
)

// ApplyNulls applies the explicit nulls of config to maps and lists inside v, into which config was
// already merged. With declarative defaults, Merge sets an existing value to null only if it is a
// scalar or an atomic container. ApplyNulls sets each of the other maps and lists to null if the
// schema allows null there, and if no other manager owns the map or list, or a part of it.
// otherSets has the field sets of the other managers. ApplyNulls sets only fields to null, and
// never v itself or items. It does not modify v. The result changed reports whether out differs
// from v.
func ApplyNulls(n *graph.Node, v, config any, otherSets []*fieldpath.Set) (out any, changed bool) {
	return applyNulls(n, v, config, otherSets, allNulls, false)
}

// ApplyOneNull is like ApplyNulls, but changes only one of the maps and lists that ApplyNulls would
// change. index selects this map or list: it counts from 0 in a fixed order, and must not be
// negative. If index is too large, the result is v. If remove is true, the map or list is removed
// instead of set to null. With this function, a caller can find out which fields a null would
// remove in other API versions, before it applies the null.
func ApplyOneNull(n *graph.Node, v, config any, otherSets []*fieldpath.Set, index int, remove bool) (out any, changed bool) {
	return applyNulls(n, v, config, otherSets, index, remove)
}

// allNulls, in place of an index, makes applyNulls change all containers.
const allNulls = -1

// applyNulls does the same as ApplyNulls if index is allNulls, and otherwise the same as ApplyOneNull.
// If remove is true, it removes containers instead of setting them to null.
func applyNulls(n *graph.Node, v, config any, otherSets []*fieldpath.Set, index int, remove bool) (out any, changed bool) {
	na := nullApplier{w: newWorkspace(), index: index, remove: remove}
	defer na.w.done()
	out = na.value(n, v, config, otherSets)
	return out, !data.SameMemory(out, v)
}

// nullApplier does the work of ApplyNulls and ApplyOneNull.
type nullApplier struct {
	w      *workspace
	index  int // the index of the container to change, or allNulls
	found  int // the number of containers found so far
	remove bool
}

// value applies the nulls in config to the fields of v, and to fields inside its items. otherSets has
// the field sets of the other managers, reduced to the paths below v.
func (na *nullApplier) value(n *graph.Node, v, config any, otherSets []*fieldpath.Set) any {
	switch {
	case n.Map != nil && !n.Map.Atomic && len(data.AsMap(v)) > 0:
		return na.fields(n.Map, v, data.AsMap(config), otherSets)
	case n.List != nil && n.List.IsAssociative() && len(n.List.Keys) > 0 && len(data.AsList(v)) > 0 && len(data.AsList(config)) > 0:
		return na.items(n.List, v, data.AsList(config), otherSets)
	}
	return v
}

// fields applies the nulls in config to the fields of the map v.
func (na *nullApplier) fields(m *graph.Map, v any, config map[string]any, otherSets []*fieldpath.Set) any {
	x := data.AsMap(v)
	out := data.EditedMap{Map: x}
	field := func(name string, c any) {
		before := x[name]
		t := m.At(name)
		if data.IsScalar(before) || c == nil && !data.Nullable(t) {
			return
		}
		below, owned := ownedset.Narrow(otherSets, na.w.FieldElement(m, name), false)
		after := before
		if c != nil {
			after = na.value(t, before, c, below)
		} else if !owned && len(below) == 0 {
			if na.index == allNulls || na.found == na.index {
				after = nil
			}
			na.found++
		}
		switch {
		case data.SameMemory(after, before):
		case after == nil && na.remove:
			out.Delete(name)
		default:
			out.Put(name, after)
		}
	}
	if na.index == allNulls {
		for name, c := range config {
			field(name, c)
		}
	} else {
		// Visit the fields in a fixed order, so that each call counts the containers in the same way.
		for _, name := range slices.Sorted(maps.Keys(config)) {
			field(name, config[name])
		}
	}
	v, _ = out.Of(v)
	return v
}

// items applies the nulls in config to fields inside the items of the list v.
func (na *nullApplier) items(l *graph.List, v any, config []any, otherSets []*fieldpath.Set) any {
	x := data.AsList(v)
	ints := na.w.IntScratch.Len()
	defer na.w.IntScratch.Pop(ints)
	p := na.w.Pair(l, x, config, item.PairFacts{})
	out := data.EditedList{List: x}
	for i, before := range x {
		number := p.LeftNumber[i]
		if number < 0 || p.RightCount[number] == 0 {
			continue
		}
		below, _ := ownedset.Narrow(otherSets, na.w.Element(l, before), false)
		if after := na.value(l.Item, before, config[p.FirstRight[number]], below); !data.SameMemory(after, before) {
			out.Put(i, after)
		}
	}
	v, _ = out.Of(v)
	return v
}

// ResolveEmptied decides what happens to maps and lists that lost all their content when given-up
// fields were removed. The argument old is the value, of type n, before this removal, and next is
// the value after it. For each emptied map or list, the first true condition determines the result:
//
//	another manager owns it                                        empty
//	config or one of resolvedInVersions has it and it is not null  empty
//	config contains null for it, and its type allows null          null
//	otherwise                                                      removed
//
// The root and the items of lists count as owned by another manager, so they are never removed.
// Maps and lists that were already empty in old stay. Atomic maps and lists stay as they are in
// next. ResolveEmptied does not modify next.
//
// otherSets has the field sets of the other managers in this version. resolvedInVersions has one value
// for each other version, or nil if the version no longer exists. To get the value, the caller
// converts next to the other version, calls ResolveEmptied there with the managers of that version,
// and converts the result back. So an emptied container is in the value only if such a manager owns
// it.
func ResolveEmptied(n *graph.Node, old, next, config any, resolvedInVersions []any, otherSets []*fieldpath.Set) any {
	w := newWorkspace()
	defer w.done()
	e := emptiedResolver{w: w}
	claims := []claim{{config, true}}
	for _, v := range resolvedInVersions {
		claims = append(claims, claim{v, v != nil}) // nil means that the version no longer exists
	}
	out, _ := e.value(n, old, next, claims, otherSets, true)
	return out
}

// claim is the value at a path in the config, or in one of the other versions (see ResolveEmptied). It
// decides what happens to an emptied container at this path. A claim that is not null keeps the empty
// container. A null in the config makes the container null, if its type allows null and no other claim
// keeps it.
type claim struct {
	value   any
	present bool // whether there is a value at the path; false for an absent value, but true for a null
}

// emptiedResolver does the work of ResolveEmptied.
type emptiedResolver struct{ w *workspace }

// value returns the result for one path, or false if the path is removed. The arguments old and
// next are the values at the path before and after the removal of given-up fields. The first
// element of claims is the claim of the config. otherSets has the sets of the other managers below
// this path. owned is true if another manager owns the path itself.
func (e *emptiedResolver) value(n *graph.Node, old, next any, claims []claim, otherSets []*fieldpath.Set, owned bool) (any, bool) {
	switch data.ClassOf(old) {
	case data.Mapping:
		before, after := data.AsMap(old), data.AsMap(next)
		if data.IsEmptyMap(old) {
			return old, true
		}
		if n.Map == nil || n.Map.Atomic || data.SameMemory(old, next) {
			return next, true
		}
		if after = e.fields(n.Map, before, after, claims, otherSets); len(after) > 0 {
			return after, true
		}
		return e.resolve(n, map[string]any{}, claims, owned)
	case data.List:
		before, after := data.AsList(old), data.AsList(next)
		if len(before) == 0 {
			return old, true
		}
		if n.List == nil || !n.List.IsAssociative() || data.SameMemory(old, next) {
			return next, true
		}
		if len(after) > 0 {
			return e.items(n.List, before, after, claims, otherSets), true
		}
		return e.resolve(n, []any{}, claims, owned)
	}
	return next, true
}

// resolve returns the result for an emptied container: the argument empty, null, or false if the
// container is removed. The argument empty is a new empty container.
func (e *emptiedResolver) resolve(n *graph.Node, empty any, claims []claim, owned bool) (any, bool) {
	for _, cl := range claims {
		owned = owned || cl.value != nil
	}
	switch {
	case owned:
		return empty, true
	case claims[0].present && data.Nullable(n):
		return nil, true
	}
	return nil, false
}

// fields resolves the emptied containers in the fields of the map next, and returns the resulting
// map.
func (e *emptiedResolver) fields(m *graph.Map, old, next map[string]any, claims []claim, otherSets []*fieldpath.Set) map[string]any {
	out := data.EditedMap{Map: next}
	fieldClaims := make([]claim, len(claims))
	for name, before := range old {
		after, ok := next[name]
		if !ok {
			continue
		}
		pe := e.w.FieldElement(m, name)
		below, owned := ownedset.Narrow(otherSets, pe, false)
		for i, cl := range claims {
			v, present := data.AsMap(cl.value)[name]
			fieldClaims[i] = claim{v, present}
		}
		v, ok := e.value(m.At(name), before, after, fieldClaims, below, owned)
		switch {
		case !ok:
			out.Delete(name)
		case !data.SameMemory(v, after):
			out.Put(name, v)
		}
	}
	return out.Map
}

// items resolves the emptied containers in the items of the list next, and returns the resulting
// list. It keeps all items.
func (e *emptiedResolver) items(l *graph.List, old, next []any, claims []claim, otherSets []*fieldpath.Set) []any {
	out := make([]any, 0, len(next))
	ints := e.w.IntScratch.Len()
	defer e.w.IntScratch.Pop(ints)
	pairs := make([]item.Pairing, len(claims))
	for i, cl := range claims {
		pairs[i] = e.w.Pair(l, next, data.AsList(cl.value), item.PairFacts{})
	}
	itemClaims := make([]claim, len(claims))
	// The removal of fields removes items, but keeps the order and the identities of the remaining
	// items. So the items of next are among those of old, in the same order.
	i := 0
	for j, after := range next {
		for i < len(old) && !item.SameIdentity(l, old[i], after) {
			i++
		}
		if i == len(old) {
			// No old item matches, because one of the keys is NaN, which does not equal itself.
			return next
		}
		for k := range claims {
			p := &pairs[k]
			itemClaims[k] = claim{}
			if number := p.LeftNumber[j]; number >= 0 && p.RightCount[number] > 0 {
				itemClaims[k] = claim{data.AsList(claims[k].value)[p.FirstRight[number]], true}
			}
		}
		below, _ := ownedset.Narrow(otherSets, e.w.Element(l, after), false)
		v, _ := e.value(l.Item, old[i], after, itemClaims, below, true)
		out = append(out, v)
		i++
	}
	return out
}

// resolveNulls returns v, a value of type n, without the nulls that mean an absent field (see
// data.NullIsAbsent). If nothing changes, the result is v itself.
//
// If noLeftValue is true, v is the right value of a merge that has no left value. More values then
// change:
//
//   - A null that stands for the default of a declared field is removed.
//   - A null that stands for the default of an undeclared field is replaced by this default, because
//     an absent undeclared field gets no default.
//   - Keys of items that count as missing because they are zero are removed.
func resolveNulls(n *graph.Node, v any, noLeftValue bool) any {
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return v
		}
		x := data.AsMap(v)
		out := data.EditedMap{Map: x}
		for name, c := range x {
			t := n.Map.At(name)
			cleaned := resolveNulls(t, c, noLeftValue)
			drop := c == nil && !data.Nullable(t) && (noLeftValue || data.NullIsAbsent(n.Map, name))
			if drop && n.Map.Field(name) == nil && !data.NullIsAbsent(n.Map, name) {
				def, _ := data.NullValue(n.Map, name)
				drop, cleaned = false, resolveNulls(t, data.Clone(def), noLeftValue)
			}
			switch {
			case drop:
				out.Delete(name)
			case !data.SameMemory(cleaned, c):
				out.Put(name, cleaned)
			}
		}
		v, _ = out.Of(v)
	case graph.ListKind:
		if n.List.IsAtomic() {
			return v
		}
		x := data.AsList(v)
		out := data.EditedList{List: x}
		for i, c := range x {
			cleaned := c
			if noLeftValue {
				cleaned = item.WithoutZeroKeys(n.List, c)
			}
			if cleaned = resolveNulls(n.List.Item, cleaned, noLeftValue); !data.SameMemory(cleaned, c) {
				out.Put(i, cleaned)
			}
		}
		v, _ = out.Of(v)
	}
	return v
}

// WithoutAbsentNulls returns v, a value of type n, without the nulls that mean an absent field (see
// data.NullIsAbsent). Other nulls stay. The result changed reports whether v had such nulls.
func WithoutAbsentNulls(n *graph.Node, v any) (out any, changed bool) {
	out = resolveNulls(n, v, false)
	return out, !data.SameMemory(out, v)
}
