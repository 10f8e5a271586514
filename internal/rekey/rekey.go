// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package rekey

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
	"github.com/dovetail-ssa/dovetail/value"
)

// MaxPaths is the maximum number of paths in a converted field set. A set can grow, because one of
// its elements can identify many items. Each of these items may then get its own element, with a
// copy of all paths below it.
const MaxPaths = 1 << 20

// A Rekeyer converts field sets of one live object from one type to another. It computes the old
// and new path elements of list items only once for all sets. It is not safe for concurrent use.
type Rekeyer struct {
	root struct {
		old, now *graph.Node
		live     any
	}
	// naming caches the old and new path elements of list items. Its key is the address of the
	// first item of the list.
	naming map[*any]*itemNaming
	w      *item.Workspace
	// oldPath and newPath are the path of the value that is being converted, under the old and
	// the new type.
	oldPath, newPath fieldpath.Path
	moves            []Move
	size             int
	findings         diag.Findings
}

// New returns a Rekeyer for the field sets of the object live. It converts the sets from the type old
// to the type now. The object and the sets must have the type old. Nobody may modify the object while
// the Rekeyer is in use.
func New(old, now *graph.Node, live any) *Rekeyer {
	c := &Rekeyer{}
	c.root.old, c.root.now, c.root.live = old, now, live
	return c
}

// Rekey converts set, which was written under the old type, to the new type. Its owner then
// owns the same fields and items of the live object as before.
//
// Rekey interprets the paths of set under the old type: a missing key has its old default, and
// a path into an atomic list or map stands for the whole list or map. Each list item in the set
// gets its new path element. An element that matches no live item stays, but its missing keys
// get their new defaults.
//
// Unlike ownedset.Reconcile, which knows only the new type, Rekey also converts lists and maps
// that were owned as a whole. moves lists every change. It also lists every item that is only
// in the new set. If nothing changes, out is set itself. Rekey fails if a type is missing, or
// if the result has more than MaxPaths paths.
func (c *Rekeyer) Rekey(set *fieldpath.Set) (out *fieldpath.Set, moves []Move, findings diag.Findings) {
	c.w = item.NewWorkspace()
	defer c.w.Done()
	c.moves, c.size, c.findings = nil, 0, nil
	if c.typesExist(c.root.old, c.root.now) {
		out = c.convert(c.root.old, c.root.now, []any{c.root.live}, set)
	}
	if c.findings != nil {
		return nil, nil, c.findings
	}
	return out, c.moves, nil
}

// setOf returns a set with the given elements, which must be sorted.
func setOf(all []ownedset.Entry) *fieldpath.Set {
	var members []fieldpath.PathElement
	var children []fieldpath.SetNode
	for _, p := range all {
		if p.Member {
			members = append(members, p.Element)
		}
		if p.Below != nil {
			children = append(children, fieldpath.SetNode{PathElement: p.Element, Set: p.Below})
		}
	}
	return fieldpath.FromSorted(members, children)
}

// convert converts set, the owned paths inside a value. The argument live has the live values, of
// which there can be several, because a path element can identify several items. convert returns
// set itself if nothing changes.
func (c *Rekeyer) convert(old, now *graph.Node, live []any, set *fieldpath.Set) *fieldpath.Set {
	if old == now || c.findings != nil {
		return set
	}
	if c.size += set.Members.Size() + len(set.Children.Sorted()); c.size > MaxPaths {
		c.findings = diag.Newf(diag.BadSchema, "the converted field set would have more than %d paths", MaxPaths)
		return set
	}
	was, is := data.FirstKind(old.Kinds()), data.FirstKind(now.Kinds())
	switch {
	case was != is:
		c.addMove(ReasonKindChanged, "it was "+kindName(was)+" and is now "+kindName(is))
	case is == graph.MapKind && !now.Map.Atomic && !now.Map.Deduced && !old.Map.Deduced:
		return c.convertMaps(old, now, live, set)
	case is == graph.ListKind && old.List.IsAssociative() && now.List.IsAssociative():
		return c.convertLists(old.List, now.List, live, set)
	}
	return set
}

func kindName(k graph.Kinds) string {
	switch k {
	case graph.MapKind:
		return "a map"
	case graph.ListKind:
		return "a list"
	case graph.ScalarKind:
		return "a scalar"
	}
	return "of no kind"
}

// addMove adds a Move for the current paths.
func (c *Rekeyer) addMove(r Reason, why string) {
	c.moves = append(c.moves, Move{Old: slices.Clone(c.oldPath), New: slices.Clone(c.newPath), Reason: r, Why: why})
}

// descend calls f while the current paths are one element longer.
func (c *Rekeyer) descend(oldElement, newElement fieldpath.PathElement, f func()) {
	c.oldPath, c.newPath = append(c.oldPath, oldElement), append(c.newPath, newElement)
	f()
	c.oldPath, c.newPath = c.oldPath[:len(c.oldPath)-1], c.newPath[:len(c.newPath)-1]
}

// convertMaps does the same as convert for live maps.
func (c *Rekeyer) convertMaps(old, now *graph.Node, live []any, set *fieldpath.Set) *fieldpath.Set {
	all := slices.Collect(ownedset.Entries(set))
	changed := false
	for i := range all {
		p := &all[i]
		from, known := ownedset.TypeAt(old, &p.Element)
		to, still := ownedset.TypeAt(now, &p.Element)
		if !known {
			continue
		}
		c.descend(p.Element, p.Element, func() {
			if !still {
				c.addMove(ReasonFieldGone, "the schema no longer has the field")
				return
			}
			if c.typesExist(from, to) {
				loose := p.Element.FieldName == nil || now.Map.Field(*p.Element.FieldName) == nil
				changed = c.convertElement(from, to, valuesAt(live, &p.Element), p, loose) || changed
			}
		})
	}
	if !changed {
		return set
	}
	return setOf(all)
}

// valuesAt returns the values of the field pe. Maps that do not have the field are skipped.
func valuesAt(maps []any, pe *fieldpath.PathElement) (values []any) {
	if pe.FieldName == nil {
		return nil
	}
	for _, m := range maps {
		if v, ok := data.AsMap(m)[*pe.FieldName]; ok {
			values = append(values, v)
		}
	}
	return values
}

// typesExist reports whether all types exist. It adds a finding for the first missing type.
func (c *Rekeyer) typesExist(types ...*graph.Node) bool {
	for _, t := range types {
		if t.Missing {
			c.findings = append(c.findings, ownedset.UnresolvedType(t)...)
			return false
		}
	}
	return true
}

// convertElement converts one element of a set, and everything below it. loose is true for an item
// or an undeclared field. For such an element, an owner's set has the path of the element itself,
// in addition to the paths below it.
func (c *Rekeyer) convertElement(old, now *graph.Node, live []any, p *ownedset.Entry, loose bool) (changed bool) {
	if p.Below != nil && old != now && ownedset.OwnedWhole(old, p.Below) {
		c.addMove(ReasonBecameAtomic, "the value was already atomic, so owning a part of it meant owning all of it")
		p.Member, p.Below, changed = true, nil, true
	}
	if p.Below != nil {
		if ownedset.OwnedWhole(now, p.Below) {
			c.addMove(ReasonBecameAtomic, "the fields or items were owned separately, and the value is now owned as a whole")
			p.Member, p.Below = true, nil
			return true
		}
		below := c.convert(old, now, live, p.Below)
		changed = below != p.Below
		p.Below = below
	}
	if !p.Member || old == now || old.Granular() == now.Granular() {
		if p.Member && old != now && !now.Granular() {
			c.addDefaultedKeys(old, now, live)
		}
		return changed
	}
	if old.Granular() {
		holds := func(v any) bool { return len(data.AsMap(v)) > 0 || len(data.AsList(v)) > 0 }
		if now.Kinds()&(graph.MapKind|graph.ListKind) != 0 && slices.ContainsFunc(live, holds) {
			c.addMove(ReasonBecameAtomic, "the value was owned without its contents, and is now owned as a whole")
		}
		return changed
	}
	whole := c.allPaths(now, live)
	if whole == nil {
		return changed
	}
	p.Member, p.Below = loose, union(whole, p.Below)
	return true
}

// union returns the union of a and b. Either may be nil.
func union(a, b *fieldpath.Set) *fieldpath.Set {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return a.Union(b)
}

// addDefaultedKeys adds a Move for a value that is owned as a whole, if an item in it has the
// old default of a key. If the config of the owner omits this key, applying it again would
// change the value, because the key gets a new default.
func (c *Rekeyer) addDefaultedKeys(old, now *graph.Node, live []any) {
	for _, v := range live {
		if was, is := findDefaultedKey(old, now, v); is != nil {
			c.addMove(ReasonLeftOut, fmt.Sprintf("the value contains an item with the old default of the key %s: %s; if a config leaves the key out, applying the config again changes the value",
				is.Name, strings.Join(describeKeyChange(was, is), "; ")))
			return
		}
	}
}

// findDefaultedKey searches v for an item with a key that has its old default, but not its new
// default. It returns the definitions of this key in the old and in the new type, or nil if
// there is no such item.
func findDefaultedKey(old, now *graph.Node, v any) (was, is *graph.Key) {
	if old == now {
		return nil, nil
	}
	switch x := v.(type) {
	case map[string]any:
		if old.Map == nil || now.Map == nil {
			return nil, nil
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if was, is = findDefaultedKey(old.Map.At(name), now.Map.At(name), x[name]); is != nil {
				return was, is
			}
		}
	case []any:
		if old.List == nil || now.List == nil {
			return nil, nil
		}
		for _, it := range x {
			for i := range now.List.Keys {
				is := &now.List.Keys[i]
				was := old.List.Key(is.Name)
				if key, ok := data.AsMap(it)[is.Name]; ok && was != nil && item.IsKeyDefault(was, key) && !item.IsKeyDefault(is, key) {
					return was, is
				}
			}
			if was, is = findDefaultedKey(old.List.Item, now.List.Item, it); is != nil {
				return was, is
			}
		}
	}
	return nil, nil
}

// allPaths returns all paths inside the values in live. A manager that owned the values as a
// whole then owns these paths. If there are no paths, allPaths returns nil. If it cannot find the
// paths, it also returns nil, and adds a Move or a finding with the reason.
func (c *Rekeyer) allPaths(now *graph.Node, live []any) *fieldpath.Set {
	var all *fieldpath.Set
	for _, v := range live {
		if v == nil {
			continue
		}
		if _, found := engine.Validate(now, v, true); found != nil {
			why := found[0].PlainMessage()
			if found[0].Path != "" {
				why = found[0].Path + ": " + why
			}
			c.addMove(ReasonBecameGranular, "the live value is invalid under the new type, and stays owned as a whole: "+why)
			return nil
		}
		set, found := engine.FieldSet(now, v, nil)
		if found != nil {
			c.findings = append(c.findings, found...)
			return nil
		}
		all = union(all, set)
	}
	if all == nil || all.Empty() {
		return nil
	}
	if c.size += all.Size(); c.size > MaxPaths {
		c.findings = diag.Newf(diag.BadSchema, "the converted field set would have more than %d paths", MaxPaths)
		return nil
	}
	c.addMove(ReasonBecameGranular, "the value was owned as a whole, and its fields or items are now owned separately")
	return all
}

// nameIndex lists items of a list, sorted by their path elements.
type nameIndex []namedItem

type namedItem struct {
	pe fieldpath.PathElement
	at int
}

// newNameIndex returns an index of the items that have an identity in the list l.
func newNameIndex(w *item.Workspace, l *graph.List, items []any) nameIndex {
	r := make(nameIndex, 0, len(items))
	for i, v := range items {
		if item.HasIdentity(l, v) {
			r = append(r, namedItem{w.Element(l, v), i})
		}
	}
	slices.SortFunc(r, byElement)
	return r
}

func byElement(a, b namedItem) int { return cmp.Or(a.pe.Compare(b.pe), a.at-b.at) }

// find returns the items that pe identifies, in the order of the list.
func (r nameIndex) find(pe fieldpath.PathElement) nameIndex {
	from, _ := slices.BinarySearchFunc(r, pe, func(n namedItem, pe fieldpath.PathElement) int {
		return n.pe.Compare(pe)
	})
	to := from
	for to < len(r) && r[to].pe.Compare(pe) == 0 {
		to++
	}
	return r[from:to]
}

// renamed is an element of a list's set after the conversion, together with the original element.
type renamed struct {
	ownedset.Entry
	from fieldpath.PathElement
	// move is the index of the Move that reports this conversion, or -1 if there is none.
	move int
}

// itemNaming holds the old and new path elements of the items of a list. If there are several
// live lists at the same path, it has the items of all these lists. Its methods convert the set
// elements that identify the items.
type itemNaming struct {
	*Rekeyer
	old, now      *graph.List
	lists         []any
	values        []any
	before, after nameIndex
	// newNames contains the new path element of each item. It is nil for an item without an
	// identity.
	newNames []*fieldpath.PathElement
	// namedIn has a number for each item, and round is the number of the set that is being
	// converted. If an old element of this set identifies the item, the number of the item is equal
	// to round.
	namedIn []int
	round   int
}

// namingOf returns the itemNaming for live, which has the lists at one path.
func (c *Rekeyer) namingOf(old, now *graph.List, live []any) *itemNaming {
	var first *any
	for _, v := range live {
		if l := data.AsList(v); len(l) > 0 {
			first = &l[0]
			break
		}
	}
	alike := func(a, b any) bool { return box.SameList(data.AsList(a), data.AsList(b)) }
	if l := c.naming[first]; l != nil && l.old == old && l.now == now && slices.EqualFunc(l.lists, live, alike) {
		return l
	}
	l := &itemNaming{Rekeyer: c, old: old, now: now, lists: live}
	for _, v := range live {
		l.values = append(l.values, data.AsList(v)...)
	}
	l.before, l.after = newNameIndex(c.w, old, l.values), newNameIndex(c.w, now, l.values)
	l.newNames = make([]*fieldpath.PathElement, len(l.values))
	for i := range l.after {
		l.newNames[l.after[i].at] = &l.after[i].pe
	}
	l.namedIn = make([]int, len(l.values))
	if first != nil {
		if c.naming == nil {
			c.naming = map[*any]*itemNaming{}
		}
		c.naming[first] = l
	}
	return l
}

// convertLists does the same as convert for live lists. Each element of set identifies items by
// their old keys, and is replaced with the new elements of these items.
func (c *Rekeyer) convertLists(old, now *graph.List, live []any, set *fieldpath.Set) *fieldpath.Set {
	if len(old.Keys) == 0 && len(now.Keys) == 0 || !c.typesExist(old.Item, now.Item) {
		return set
	}
	l := c.namingOf(old, now, live)
	l.round++
	all := slices.Collect(ownedset.Entries(set))
	for i := range all {
		for _, n := range l.oldItems(all[i].Element) {
			l.namedIn[n.at] = l.round
		}
	}
	var out []renamed
	changed := false
	for _, p := range all {
		for _, r := range l.convertItem(p) {
			changed = changed || r.Element.Compare(p.Element) != 0 || r.Member != p.Member || r.Below != p.Below
			out = append(out, r)
		}
	}
	if !changed {
		return set
	}
	slices.SortStableFunc(out, func(a, b renamed) int { return a.Element.Compare(b.Element) })
	return setOf(c.mergeEqual(out))
}

// withDefaults completes a stored element as the list type l requires. With declarative defaults,
// missing keys get their defaults.
func withDefaults(l *graph.List, pe fieldpath.PathElement) fieldpath.PathElement {
	if l.Declarative {
		return item.CompleteElementKeys(l, pe)
	}
	return pe
}

// oldItems returns the live items that a stored element identifies by their old keys.
func (l *itemNaming) oldItems(pe fieldpath.PathElement) nameIndex {
	return l.before.find(withDefaults(l.old, pe))
}

// convertItem converts one element of a list's set. The element can identify several items. If
// their new elements differ, convertItem returns several elements.
func (l *itemNaming) convertItem(p ownedset.Entry) (out []renamed) {
	items := l.oldItems(p.Element)
	if len(items) == 0 {
		r := l.rename(p, withDefaults(l.now, withDefaults(l.old, p.Element)), ReasonNoItem, nil)
		if to, ok := l.nameWhenReapplied(r.Element, p.Below); ok && len(l.after.find(to)) > 0 {
			l.descend(p.Element, r.Element, func() {
				l.addMove(ReasonNoItem, fmt.Sprintf("no live item has these keys, but %s exists; if that item already has the new default, pass the live object as it was stored", to))
			})
		}
		return append(out, r)
	}
	groups := make(nameIndex, 0, len(items))
	var lost []any
	for _, n := range items {
		if to := l.newNames[n.at]; to != nil {
			groups = append(groups, namedItem{*to, n.at})
		} else {
			lost = append(lost, l.values[n.at])
		}
	}
	slices.SortFunc(groups, byElement)
	reason := ReasonRekeyed
	if len(groups) > 0 && (len(lost) > 0 || groups[0].pe.Compare(groups[len(groups)-1].pe) != 0) {
		reason = ReasonSplit
	}
	for len(groups) > 0 {
		group := groups.find(groups[0].pe)
		groups = groups[len(group):]
		values := make([]any, len(group))
		for i, n := range group {
			values[i] = l.values[n.at]
		}
		out = append(out, l.rename(p, group[0].pe, reason, values))
	}
	if len(lost) > 0 {
		out = append(out, l.rename(p, withDefaults(l.now, p.Element), ReasonUnnamed, lost))
	}
	return out
}

// rename replaces the element of p with pe, and converts the paths below it. values has the
// live items that get the element pe.
func (l *itemNaming) rename(p ownedset.Entry, pe fieldpath.PathElement, reason Reason, values []any) renamed {
	r := renamed{Entry: p, from: p.Element, move: -1}
	same := pe.Compare(p.Element) == 0
	if !same {
		r.Element = pe
	}
	l.descend(p.Element, r.Element, func() {
		why := describeKeyChanges(l.old, l.now, p.Element, r.Element)
		if !same || reason == ReasonUnnamed || reason == ReasonSplit {
			r.move = len(l.moves)
			switch reason {
			case ReasonNoItem:
				l.addMove(reason, "no live item has these keys; missing keys got their defaults")
			case ReasonUnnamed:
				l.addMove(reason, "the live item no longer has an identity: "+why)
			default:
				l.addMove(reason, why)
			}
		}
		if n := l.countNewItems(r.Element); n > 0 {
			items := "a live item"
			if n > 1 {
				items = fmt.Sprintf("%d live items", n)
			}
			l.addMove(ReasonShared, fmt.Sprintf("it now also identifies %s: %s", items, why))
		}
		if to, ok := l.nameWhenReapplied(r.Element, p.Below); ok && len(values) > 0 {
			name := to.String()
			if len(*to.Key) == 0 {
				name = "no item, so the apply fails"
			}
			l.addMove(ReasonLeftOut, fmt.Sprintf("%s; a config that leaves the key out now refers to %s", describeKeyChanges(l.old, l.now, r.Element, to), name))
		}
		l.convertElement(l.old.Item, l.now.Item, values, &r.Entry, true)
	})
	return r
}

// nameWhenReapplied returns the path element that an item will get if its owner applies the same
// config again. pe is its current path element, and below has the owner's paths below the item.
//
// The path element changes if the config omits a key, because the key then gets its new default. A
// config can omit a key only if the key had its old default, or was not a key under the old type.
// The function assumes that the config omits such a key if the owner does not own the key. If items
// are owned as a whole, nobody owns their keys, so the config is assumed to omit all such keys.
//
// ok is false if the path element does not change, and also if the owner cannot have applied the
// item. If each config must contain one of the keys, an owner that owns nothing below the item
// cannot have applied the item.
func (l *itemNaming) nameWhenReapplied(pe fieldpath.PathElement, below *fieldpath.Set) (to fieldpath.PathElement, ok bool) {
	if pe.Key == nil {
		return pe, false
	}
	var key value.FieldList
	for i := range l.now.Keys {
		is := &l.now.Keys[i]
		v, has := keyValue(pe, is.Name)
		was := l.old.Key(is.Name)
		// canOmit is true if a config could omit the key, because the old path element was the same
		// without it.
		canOmit := has && (was == nil || item.IsKeyDefault(was, v))
		if has && !canOmit && below == nil && l.old.HasKeys() {
			return pe, false
		}
		if canOmit && (below == nil || !below.Members.Has(fieldpath.PathElement{FieldName: &is.Name})) && !item.IsKeyDefault(is, v) {
			v, has = item.KeyDefault(is)
			ok = true
		}
		if has {
			key = append(key, value.Field{Name: is.Name, Value: value.NewValueInterface(v)})
		}
	}
	return fieldpath.PathElement{Key: &key}, ok
}

// countNewItems returns the number of items that pe identifies under the new type, but that the
// old set did not identify.
func (l *itemNaming) countNewItems(pe fieldpath.PathElement) (n int) {
	for _, found := range l.after.find(pe) {
		if l.namedIn[found.at] != l.round {
			n++
		}
	}
	return n
}

// mergeEqual merges the entries of elements that have become equal. The elements must be sorted.
func (c *Rekeyer) mergeEqual(all []renamed) []ownedset.Entry {
	out := make([]ownedset.Entry, 0, len(all))
	for i := range all {
		r := &all[i]
		if i == 0 || r.Element.Compare(all[i-1].Element) != 0 {
			out = append(out, r.Entry)
			continue
		}
		if r.from.Compare(all[i-1].from) != 0 {
			c.markMerged(all[i-1].move)
			c.markMerged(r.move)
		}
		into := &out[len(out)-1]
		into.Member = into.Member || r.Member
		into.Below = union(into.Below, r.Below)
	}
	return out
}

// markMerged sets the reason of a Move to ReasonMerged. A Move with the reason ReasonUnnamed does
// not change. For such a Move, markMerged adds a copy with the reason ReasonMerged.
func (c *Rekeyer) markMerged(move int) {
	switch {
	case move < 0:
	case c.moves[move].Reason == ReasonUnnamed:
		m := c.moves[move]
		m.Reason = ReasonMerged
		c.moves = append(c.moves, m)
	default:
		c.moves[move].Reason = ReasonMerged
	}
}
