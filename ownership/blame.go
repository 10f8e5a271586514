// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// A State explains the owners of a place in an object, or why the place has none.
type State string

const (
	// Owned is the state of a place that the managers in Place.Owners own directly.
	Owned State = "owned"
	// Part is the state of a place inside a list or map that is owned as a whole. Place.Owners are
	// the owners of the list or map.
	Part State = "part"
	// Holder is the state of a list or map that contains owned places, but has no owner
	// itself.
	Holder State = "holder"
	// Defaulted is the state of a place that has no owner and whose value is the default in the
	// schema.
	Defaulted State = "default"
	// Server is the state of a place that cannot have an owner, because it identifies the
	// object, or because the API server sets it.
	Server State = "server"
	// Unowned is the state of a place that has no owner, if no other State applies.
	Unowned State = "unowned"
)

// A Place is a field or a list item of an object, with its owners. Places are read-only.
type Place struct {
	// Element identifies the place within its parent. It is empty for the root.
	Element fieldpath.PathElement
	// Value is the value in the object. It shares memory with the object.
	Value any
	// State explains the meaning of Owners.
	State State
	// Owners are indexes into BlameResult.Entries, in ascending order.
	Owners []int
	// Whole is true for a list or map that can only be owned as a whole. The places inside it
	// have the same Owners.
	Whole bool
	// Children are the fields of a map, by name, or the items of a list, in order.
	Children []*Place
}

// A Claim is a path that an entry owns although the object does not have it.
type Claim struct {
	// Entry is an index into BlameResult.Entries.
	Entry int
	// Path is the owned path, cut off after the first element that the object does not have. So
	// one Claim can stand for several owned paths.
	Path fieldpath.Path
}

// A BlameResult holds all places of an object with their owners. It is immutable, and is safe
// for concurrent use as long as nobody modifies the object.
type BlameResult struct {
	// Root is the object, without its managed fields.
	Root *Place
	// Entries are the owners, in the order of Managed.Entries. Their field sets are converted
	// to the current schema.
	Entries []managedfields.Entry
	// Lost contains the owned paths that the object does not have. They are sorted by entry and
	// then by path.
	Lost []Claim
	// Warnings are the warnings of managedfields.Decode.
	Warnings []managedfields.Warning
}

// Blame returns the owners of each place of live. The type of live determines which lists and maps
// are owned as a whole. If a path in managed fields lacks some keys of a list item, the type also
// determines which item it identifies. Without a type (Options.Untyped), Blame assumes that an
// owned list or map is owned as a whole if nobody owns anything inside it.
//
// Blame assumes that all API versions of a kind have the same fields. If a field has a different
// name in the version of an entry, the path with that name is in BlameResult.Lost.
//
// Blame returns a *managedfields.EntryError if the managed fields cannot be decoded. Examine can
// repair such managed fields. If the type does not exist, Blame returns the error of Options.Types.
// It does not modify live.
func Blame(m *fieldmanager.FieldManager, live map[string]any) (*BlameResult, error) {
	managed, err := managedfields.Decode(live)
	if err != nil {
		return nil, err
	}
	apiVersion, kind := document.TypeOf(live)
	t, err := m.Type(apiVersion, kind)
	if err != nil {
		return nil, fmt.Errorf("live object (%s): %w", document.Describe(live), err)
	}
	plain := document.WithoutManagedFields(live)
	b := &BlameResult{Root: &Place{Value: plain}, Entries: managed.Entries(), Warnings: managed.Warnings()}
	w := &blamer{result: b}
	claims := make([]claim, 0, len(b.Entries))
	for i := range b.Entries {
		e := &b.Entries[i]
		e.Set = currentSet(m, e, plain, t)
		claims = append(claims, claim{i, e.Set})
	}
	known := t.IsValid() && t.Schema != typed.DeducedParseableType.Schema
	w.visit(b.Root, place.Place{Schema: t.Schema, Ref: t.TypeRef, Typed: known, Plain: plain}, claims)
	w.setStates(b.Root, nil)
	if w.ambiguous {
		b.removeFound()
	}
	slices.SortStableFunc(b.Lost, func(p, q Claim) int { return p.Entry - q.Entry })
	return b, nil
}

// currentSet returns the field set of an entry, converted to the current schema of the entry's
// API version. If there is no valid schema for that version, it returns the stored set. object
// has the type t.
func currentSet(m *fieldmanager.FieldManager, e *managedfields.Entry, object map[string]any, t typed.ParseableType) *fieldpath.Set {
	apiVersion, kind := document.TypeOf(object)
	if e.APIVersion != apiVersion {
		var err error
		if t, err = m.Type(e.APIVersion, kind); err != nil {
			return e.Set // a stored set cannot be converted without a type
		}
	}
	tv := typed.AsTypedUnvalidated(value.NewValueInterface(object), t.Schema, t.TypeRef)
	set, err := reconcile(e.Set, tv)
	if err != nil {
		return e.Set
	}
	return set
}

// All returns an iterator over the places below the root, with their paths. A parent comes
// before its children. A path is valid only until the next step of the iteration. To keep a
// path, copy it with Path.Copy.
func (b *BlameResult) All() iter.Seq2[fieldpath.Path, *Place] {
	return func(yield func(fieldpath.Path, *Place) bool) {
		var path fieldpath.Path
		var walk func(p *Place) bool
		walk = func(p *Place) bool {
			for _, c := range p.Children {
				path = append(path, c.Element)
				if !yield(path, c) || !walk(c) {
					return false
				}
				path = path[:len(path)-1]
			}
			return true
		}
		walk(b.Root)
	}
}

// removeFound removes those paths from Lost that do exist in the object. Such paths occur if
// several items of a list have the same path element, and only some of these items have the path.
func (b *BlameResult) removeFound() {
	var paths []fieldpath.Path
	for path := range b.All() {
		paths = append(paths, path.Copy())
	}
	there := fieldpath.NewSet(paths...)
	b.Lost = slices.DeleteFunc(b.Lost, func(c Claim) bool { return there.Has(c.Path) })
}

func (w *blamer) items(p *Place, at place.Place, items []any, claims []claim) {
	next := place.Place{Schema: at.Schema}
	if atom, known := at.Atom(); known && atom.List != nil {
		next.Ref, next.Typed = atom.List.ElementType, true
	}
	n := &namer{list: at.List()}
	n.collect(claims)
	names := n.names(items)
	w.ambiguous = w.ambiguous || n.ambiguous
	index := indexClaims(claims)
	for i, item := range items {
		next.Plain = item
		w.child(p, next, claims, index, names[i]...)
	}
	w.recordLost(claims, n.isUsed)
}

// namer finds the path elements that identify each item of a list.
type namer struct {
	list *graph.List // nil if the type is unknown
	// claimed contains the path elements that entries use for items of the list, sorted. used[i]
	// is true if claimed[i] identifies an existing item.
	claimed []fieldpath.PathElement
	used    []bool
	// keys contains the combinations of key fields that occur in claimed. values and indexes are
	// true if claimed has item values or indexes.
	keys    [][]string
	values  bool
	indexes bool
	// ambiguous is true if an element of claimed identifies two items.
	ambiguous bool
}

// collect records the path elements that the entries use for items of the list.
func (n *namer) collect(claims []claim) {
	combinations := map[string]bool{}
	add := func(e fieldpath.PathElement) {
		n.claimed = append(n.claimed, e)
		switch {
		case e.Value != nil:
			n.values = true
		case e.Index != nil:
			n.indexes = true
		case e.Key != nil:
			var names []string
			id := ""
			for _, f := range *e.Key {
				names = append(names, f.Name)
				id += f.Name + "\x00"
			}
			if !combinations[id] {
				combinations[id] = true
				n.keys = append(n.keys, names)
			}
		}
	}
	for _, c := range claims {
		for e := range c.set.Members.All() {
			add(e)
		}
		for e := range c.set.Children.All() {
			add(e)
		}
	}
	slices.SortFunc(n.keys, slices.Compare)
	slices.SortStableFunc(n.claimed, fieldpath.PathElement.Compare)
	n.claimed = slices.CompactFunc(n.claimed, fieldpath.PathElement.Equals)
	n.used = make([]bool, len(n.claimed))
}

// isUsed reports whether the managed fields contain the path element e, and e identifies an item that exists.
func (n *namer) isUsed(e fieldpath.PathElement) bool {
	i, found := slices.BinarySearchFunc(n.claimed, e, fieldpath.PathElement.Compare)
	return found && n.used[i]
}

// names returns, for each item, the path elements that identify the item. If managed fields refer to
// the item, these are the path elements in the managed fields. Otherwise, there is one path element:
// the identity that the list type gives the item, or the index of an item without an identity.
func (n *namer) names(items []any) [][]fieldpath.PathElement {
	all := make([][]fieldpath.PathElement, len(items))
	for i, item := range items {
		for _, e := range n.candidates(item, i) {
			at, isClaimed := slices.BinarySearchFunc(n.claimed, e, fieldpath.PathElement.Compare)
			if isClaimed && !slices.ContainsFunc(all[i], e.Equals) {
				n.ambiguous = n.ambiguous || n.used[at]
				n.used[at] = true
				all[i] = append(all[i], e)
			}
		}
	}
	if !n.typed() {
		n.guess(items, all)
	}
	for i, item := range items {
		if len(all[i]) > 0 {
			continue
		}
		e, ok := n.identity(item)
		if !ok {
			e = fieldpath.IndexElement(i)
		}
		all[i] = []fieldpath.PathElement{e}
	}
	return all
}

// candidates returns the path elements that may identify an item, which has the index i in its
// list.
func (n *namer) candidates(item any, i int) []fieldpath.PathElement {
	var found []fieldpath.PathElement
	if n.typed() {
		if e, ok := n.identity(item); ok {
			found = append(found, e)
		}
		return found
	}
	for _, names := range n.keys {
		if e, ok := elementByKeys(item, names); ok {
			found = append(found, e)
		}
	}
	if n.values {
		found = append(found, fieldpath.ValueElement(value.NewValueInterface(item)))
	}
	if n.indexes {
		found = append(found, fieldpath.IndexElement(i))
	}
	return found
}

// typed reports whether the type determines the path element of an item.
func (n *namer) typed() bool {
	return n.list != nil && n.list.IsAssociative()
}

// identity returns the path element of an item in an associative list: the keys of the item or its value.
// It returns false for other lists, and for an item without keys.
func (n *namer) identity(it any) (fieldpath.PathElement, bool) {
	if !n.typed() {
		return fieldpath.PathElement{}, false
	}
	return item.Element(n.list, it)
}

// elementByKeys returns the path element that identifies an item by the fields in names. It
// returns false if the item lacks one of these fields.
func elementByKeys(item any, names []string) (fieldpath.PathElement, bool) {
	m, ok := item.(map[string]any)
	if !ok {
		return fieldpath.PathElement{}, false
	}
	keys := make(value.FieldList, 0, len(names))
	for _, name := range names {
		v, ok := m[name]
		if !ok {
			return fieldpath.PathElement{}, false
		}
		keys = append(keys, value.Field{Name: name, Value: value.NewValueInterface(v)})
	}
	keys.Sort()
	return fieldpath.PathElement{Key: &keys}, len(keys) > 0
}

// maxGuesses is the maximum number of comparisons in guess.
const maxGuesses = 1 << 20

// guess assigns keys from managed fields to items that do not match any of them exactly. It is
// needed if the type is unknown, because a key in managed fields may contain a default that the
// item lacks. A key fits an item if it has a value in common with the item, and no field of the
// item contradicts it. If exactly one key fits, guess assigns it.
func (n *namer) guess(items []any, all [][]fieldpath.PathElement) {
	var left []int
	for i, e := range n.claimed {
		if e.Key != nil && !n.used[i] {
			left = append(left, i)
		}
	}
	if len(left)*len(items) > maxGuesses {
		return
	}
	for i, item := range items {
		m, ok := item.(map[string]any)
		if !ok || len(all[i]) > 0 {
			continue
		}
		var fits []int
		for _, at := range left {
			if matchesKeys(m, *n.claimed[at].Key) {
				fits = append(fits, at)
			}
		}
		if len(fits) == 1 {
			n.used[fits[0]] = true
			all[i] = []fieldpath.PathElement{n.claimed[fits[0]]}
		}
	}
}

// matchesKeys reports whether item fits keys: at least one key field has the same value in item,
// and none has a different value.
func matchesKeys(item map[string]any, keys value.FieldList) bool {
	some := false
	for _, k := range keys {
		v := item[k.Name]
		if v == nil {
			continue
		}
		if !value.Equals(value.NewValueInterface(v), k.Value) {
			return false
		}
		some = true
	}
	return some
}

// claim holds the paths that an entry owns below the current place.
type claim struct {
	entry int
	set   *fieldpath.Set
}

type blamer struct {
	result *BlameResult
	path   fieldpath.Path
	// ambiguous is true if a path element identifies two items of a list.
	ambiguous bool
}

// visit adds the children of p, with their owners. claims has the owned paths below p.
func (w *blamer) visit(p *Place, at place.Place, claims []claim) {
	if len(claims) == 0 && p.isWhole(at) {
		p.Whole = true
		p.addParts()
		return
	}
	switch plain := at.Plain.(type) {
	case map[string]any:
		w.fields(p, at, plain, claims)
	case []any:
		w.items(p, at, plain, claims)
	default:
		w.recordLost(claims, func(fieldpath.PathElement) bool { return false })
	}
}

// isWhole reports whether p is a list or map that can only be owned as a whole. The caller has checked
// that nobody owns anything inside p. So if the type of p is unknown, isWhole returns true if p has owners.
func (p *Place) isWhole(at place.Place) bool {
	atom, known := at.Atom()
	switch at.Plain.(type) {
	case map[string]any:
		return !known && len(p.Owners) > 0 || atom.Map != nil && atom.Map.ElementRelationship.IsAtomic()
	case []any:
		return !known && len(p.Owners) > 0 || atom.List != nil && atom.List.ElementRelationship.IsAtomic()
	}
	return false
}

// addParts adds all places inside p, which is owned as a whole.
func (p *Place) addParts() {
	add := func(e fieldpath.PathElement, v any) {
		c := &Place{Element: e, Value: v, State: Part}
		c.addParts()
		p.Children = append(p.Children, c)
	}
	switch v := p.Value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			add(fieldpath.FieldNameElement(name), v[name])
		}
	case []any:
		for i, item := range v {
			add(fieldpath.IndexElement(i), item)
		}
	}
}

func (w *blamer) fields(p *Place, at place.Place, plain map[string]any, claims []claim) {
	index := indexClaims(claims)
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		next, _ := at.Step(fieldpath.FieldNameElement(name)) // the field is known to exist
		w.child(p, next, claims, index, fieldpath.FieldNameElement(name))
	}
	w.recordLost(claims, func(e fieldpath.PathElement) bool {
		if e.FieldName == nil {
			return false
		}
		_, ok := plain[*e.FieldName]
		return ok
	})
}

// claimIndex contains the elements of many claims, sorted by element and then by claim. With it, a place
// need not be compared with every claim.
type claimIndex []indexedClaim

type indexedClaim struct {
	element fieldpath.PathElement
	claim   int // index into the list of claims
}

// fewClaims is the maximum number of claims that are searched without an index.
const fewClaims = 8

func indexClaims(claims []claim) claimIndex {
	if len(claims) <= fewClaims {
		return nil
	}
	var x claimIndex
	for i, c := range claims {
		for e := range c.set.Members.All() {
			x = append(x, indexedClaim{e, i})
		}
		for e := range c.set.Children.All() {
			x = append(x, indexedClaim{e, i})
		}
	}
	slices.SortStableFunc(x, func(a, b indexedClaim) int {
		return cmp.Or(a.element.Compare(b.element), cmp.Compare(a.claim, b.claim))
	})
	return slices.CompactFunc(x, func(a, b indexedClaim) bool { return a.claim == b.claim && a.element.Equals(b.element) })
}

// find returns the claims that may have paths at or below a place with the given path elements. The
// index must have been created from the same claims.
func (x claimIndex) find(claims []claim, elements []fieldpath.PathElement) []claim {
	if x == nil {
		return claims
	}
	var at []int
	for _, e := range elements {
		i, _ := slices.BinarySearchFunc(x, e, func(c indexedClaim, e fieldpath.PathElement) int { return c.element.Compare(e) })
		for ; i < len(x) && x[i].element.Equals(e); i++ {
			at = append(at, x[i].claim)
		}
	}
	if len(elements) > 1 {
		slices.Sort(at)
		at = slices.Compact(at)
	}
	some := make([]claim, len(at))
	for i, j := range at {
		some[i] = claims[j]
	}
	return some
}

// child adds a child to p. The value of the child is at.Plain. Each of the given path elements
// identifies the child.
func (w *blamer) child(p *Place, at place.Place, claims []claim, index claimIndex, elements ...fieldpath.PathElement) {
	c := &Place{Element: elements[0], Value: at.Plain}
	p.Children = append(p.Children, c)
	w.path = append(w.path, c.Element)
	var below []claim
	for _, cl := range index.find(claims, elements) {
		owns := false
		for _, e := range elements {
			owns = owns || cl.set.Members.Has(e)
			if set, ok := cl.set.Children.Get(e); ok {
				below = append(below, claim{cl.entry, set})
			}
		}
		if owns {
			c.Owners = append(c.Owners, cl.entry)
		}
	}
	if len(c.Owners) > 0 {
		c.State = Owned
	} else if document.NeverOwned.Has(w.path) {
		c.State = Server
	} else if at.IsDefault() {
		c.State = Defaulted
	}
	w.visit(c, at, below)
	w.path = w.path[:len(w.path)-1]
}

// recordLost records the owned paths for which the current place has no child. exists reports
// whether there is a child for a path element.
func (w *blamer) recordLost(claims []claim, exists func(fieldpath.PathElement) bool) {
	for _, c := range claims {
		record := func(e fieldpath.PathElement) {
			if exists(e) {
				return
			}
			path := append(slices.Clone(w.path), e)
			if n := len(w.result.Lost); n > 0 && w.result.Lost[n-1].Entry == c.entry && w.result.Lost[n-1].Path.Equals(path) {
				return
			}
			if isManagedFields(path) {
				return
			}
			w.result.Lost = append(w.result.Lost, Claim{c.entry, path})
		}
		members, children := c.set.Members.Sorted(), c.set.Children.Sorted()
		for len(members) > 0 || len(children) > 0 {
			if len(children) == 0 || len(members) > 0 && members[0].Compare(children[0].PathElement) <= 0 {
				record(members[0])
				members = members[1:]
			} else {
				record(children[0].PathElement)
				children = children[1:]
			}
		}
	}
}

func isManagedFields(path fieldpath.Path) bool {
	return len(path) == 2 && path[0].FieldName != nil && *path[0].FieldName == "metadata" &&
		path[1].FieldName != nil && *path[1].FieldName == "managedFields"
}

// setStates sets the State of p and of all places inside p, except places that have owners of their
// own. The places inside a list or map that is owned as a whole also get the Owners of that list or
// map.
func (w *blamer) setStates(p *Place, parent *Place) {
	if p.State == Part {
		p.Owners = parent.Owners
		if len(p.Owners) == 0 {
			p.State = parent.State
		}
	}
	if p.Whole && p.State == "" {
		p.State = Unowned
	}
	owned, defaulted, server := false, len(p.Children) > 0, len(p.Children) > 0
	for _, c := range p.Children {
		w.setStates(c, p)
		owned = owned || c.State == Owned || c.State == Part || c.State == Holder
		defaulted = defaulted && c.State == Defaulted
		server = server && c.State == Server
	}
	switch {
	case p.State != "" && p.State != Server:
	case owned:
		p.State = Holder
	case p.State == Server || server:
		p.State = Server
	case defaulted:
		p.State = Defaulted
	default:
		p.State = Unowned
	}
}
