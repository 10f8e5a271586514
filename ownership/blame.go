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

// A State says how a place in an object comes to have the owners it has.
type State string

const (
	// Owned: by each of Place.Owners, by itself.
	Owned State = "owned"
	// Part: of a list or map that is owned as a whole, by Place.Owners.
	Part State = "part"
	// Holder: a list or map that nobody owns by itself, with places in it that
	// somebody owns.
	Holder State = "holder"
	// Defaulted: nobody's; it has the default that the schema gives it.
	Defaulted State = "default"
	// Server: nobody's, and nobody can own it: it names the object or is the
	// API server's.
	Server State = "server"
	// Unowned: nobody's, for no reason that can be seen.
	Unowned State = "unowned"
)

// A Place is a field or an item of an object, with those who own it. Places are
// read-only.
type Place struct {
	// Element names the place in its parent. That of the root is empty.
	Element fieldpath.PathElement
	// Value is what the object has there, shared with the object.
	Value any
	// State says what Owners mean.
	State State
	// Owners are indexes of BlameResult.Entries, in order.
	Owners []int
	// Whole is set of a list or map that is owned, or not, as a whole: what is
	// in it has its Owners.
	Whole bool
	// Children are what a map or list holds: fields by name, items as they are.
	Children []*Place
}

// A Claim is a path that an entry owns and that leads nowhere in the object.
type Claim struct {
	// Entry is an index of BlameResult.Entries.
	Entry int
	// Path is where the way through the object ends; what the entry owns below
	// it is not listed.
	Path fieldpath.Path
}

// A BlameResult is an object place by place, with all who own each. It is immutable
// and safe for concurrent use as long as nobody changes the object.
type BlameResult struct {
	// Root is the object. Its managed fields are not among the places.
	Root *Place
	// Entries are the owners, in the order of Managed.Entries. Their sets are as
	// the schema of today reads them.
	Entries []managedfields.Entry
	// Lost are the paths that lead nowhere, by entry, then path.
	Lost []Claim
	// Warnings are those of Decode.
	Warnings []managedfields.Warning
}

// Blame finds out who owns each place of live. The type says which lists and
// maps are owned as wholes, and which item of a list an entry means that
// leaves out a key. Without a type (Options.Untyped), a
// list or map of which nobody owns a part is owned as a whole if it is owned.
//
// API versions are taken to differ in their name only: fields that have another
// name in the version of an entry are among BlameResult.Lost.
//
// The error is a *managedfields.EntryError when the managed fields cannot be read, which
// Examine mends, and that of Options.Types when there is no type. live is not modified.
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
	w := &blamer{b: b}
	claims := make([]claim, 0, len(b.Entries))
	for i := range b.Entries {
		e := &b.Entries[i]
		e.Set = today(m, e, plain, t)
		claims = append(claims, claim{i, e.Set})
	}
	known := t.IsValid() && t.Schema != typed.DeducedParseableType.Schema
	w.visit(b.Root, place.Place{Schema: t.Schema, Ref: t.TypeRef, Typed: known, Plain: plain}, claims)
	w.inherit(b.Root, nil)
	if w.twins {
		b.dropFound()
	}
	slices.SortStableFunc(b.Lost, func(p, q Claim) int { return p.Entry - q.Entry })
	return b, nil
}

// today is what an entry of an object of type t owns as the schema of its
// version reads it, if there is one.
func today(m *fieldmanager.FieldManager, e *managedfields.Entry, object map[string]any, t typed.ParseableType) *fieldpath.Set {
	apiVersion, kind := document.TypeOf(object)
	if e.APIVersion != apiVersion {
		var err error
		if t, err = m.Type(e.APIVersion, kind); err != nil {
			return e.Set // nobody can read it better
		}
	}
	tv := typed.AsTypedUnvalidated(value.NewValueInterface(object), t.Schema, t.TypeRef)
	set, err := reconciled(e.Set, tv)
	if err != nil {
		return e.Set
	}
	return set
}

// All yields each place below the root with its path, parents first. The path
// is valid until the next; Copy it to keep it.
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

// dropFound takes the paths out of Lost that lead somewhere by way of another
// item of the same name.
func (b *BlameResult) dropFound() {
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
	n.learn(claims)
	names := n.names(items)
	w.twins = w.twins || n.twins
	index := indexClaims(claims)
	for i, item := range items {
		next.Plain = item
		w.child(p, next, claims, index, names[i]...)
	}
	w.lose(claims, n.isUsed)
}

// namer finds the names of the items of a list.
type namer struct {
	list *graph.List // nil if unknown
	// claimed are the elements by which somebody owns an item, sorted, and used says
	// which of them name one.
	claimed []fieldpath.PathElement
	used    []bool
	// keys are the combinations of key fields among them.
	keys    [][]string
	values  bool
	indexes bool
	// twins is set if two items have one claimed name.
	twins bool
}

// learn finds out how entries name items.
func (n *namer) learn(claims []claim) {
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

// isUsed tells whether an element is claimed and names an item.
func (n *namer) isUsed(e fieldpath.PathElement) bool {
	i, found := slices.BinarySearchFunc(n.claimed, e, fieldpath.PathElement.Compare)
	return found && n.used[i]
}

// names returns the names of each item: the claimed ones, or else the one that
// it has by the type.
func (n *namer) names(items []any) [][]fieldpath.PathElement {
	all := make([][]fieldpath.PathElement, len(items))
	for i, item := range items {
		for _, e := range n.candidates(item, i) {
			at, isClaimed := slices.BinarySearchFunc(n.claimed, e, fieldpath.PathElement.Compare)
			if isClaimed && !slices.ContainsFunc(all[i], e.Equals) {
				n.twins = n.twins || n.used[at]
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

// candidates are the names that item, at index i, can have.
func (n *namer) candidates(item any, i int) []fieldpath.PathElement {
	var found []fieldpath.PathElement
	if n.typed() {
		if e, ok := n.identity(item); ok {
			found = append(found, e)
		}
		return found
	}
	for _, names := range n.keys {
		if e, ok := keyed(item, names); ok {
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

// typed tells whether the type says how items are named.
func (n *namer) typed() bool {
	return n.list != nil && n.list.IsAssociative()
}

// identity is the name that an item has by the type of its list.
func (n *namer) identity(it any) (fieldpath.PathElement, bool) {
	if !n.typed() {
		return fieldpath.PathElement{}, false
	}
	return item.Identity(n.list, it)
}

// keyed names an item by fields that it has all.
func keyed(item any, names []string) (fieldpath.PathElement, bool) {
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

// maxGuesses bounds the comparisons of guess.
const maxGuesses = 1 << 20

// guess names the items that have no claimed name yet by the one claimed key
// that none of their fields contradicts: where the type is not known, it may
// hold a default that is not known either.
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
			if agrees(m, *n.claimed[at].Key) {
				fits = append(fits, at)
			}
		}
		if len(fits) == 1 {
			n.used[fits[0]] = true
			all[i] = []fieldpath.PathElement{n.claimed[fits[0]]}
		}
	}
}

// agrees tells whether item has one of the keys, and another value for none.
func agrees(item map[string]any, keys value.FieldList) bool {
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

// claim is what an entry owns below the place where the walk is.
type claim struct {
	entry int
	set   *fieldpath.Set
}

type blamer struct {
	b    *BlameResult
	path fieldpath.Path
	// twins is set if two items of a list have one name.
	twins bool
}

// visit makes the children of p, which is at.
func (w *blamer) visit(p *Place, at place.Place, claims []claim) {
	if len(claims) == 0 && p.isWhole(at) {
		p.Whole = true
		p.inherit()
		return
	}
	switch plain := at.Plain.(type) {
	case map[string]any:
		w.fields(p, at, plain, claims)
	case []any:
		w.items(p, at, plain, claims)
	default:
		w.lose(claims, func(fieldpath.PathElement) bool { return false })
	}
}

// isWhole tells whether p, of which nobody owns a part, is owned as a whole:
// by its type, or where that is not known, by the owners it has.
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

// inherit makes the children of a place that is owned as a whole.
func (p *Place) inherit() {
	add := func(e fieldpath.PathElement, v any) {
		c := &Place{Element: e, Value: v, State: Part}
		c.inherit()
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
		next, _ := at.Step(fieldpath.FieldNameElement(name)) // it is there
		w.child(p, next, claims, index, fieldpath.FieldNameElement(name))
	}
	w.lose(claims, func(e fieldpath.PathElement) bool {
		if e.FieldName == nil {
			return false
		}
		_, ok := plain[*e.FieldName]
		return ok
	})
}

// claimIndex are the places that many claims are to, sorted, and by the order of the
// claims: looking at each claim for each place would take long.
type claimIndex []claimed

type claimed struct {
	element fieldpath.PathElement
	claim   int // its index
}

// fewClaims is up to how many claims are looked at one by one.
const fewClaims = 8

func indexClaims(claims []claim) claimIndex {
	if len(claims) <= fewClaims {
		return nil
	}
	var x claimIndex
	for i, c := range claims {
		for e := range c.set.Members.All() {
			x = append(x, claimed{e, i})
		}
		for e := range c.set.Children.All() {
			x = append(x, claimed{e, i})
		}
	}
	slices.SortStableFunc(x, func(a, b claimed) int { return cmp.Or(a.element.Compare(b.element), cmp.Compare(a.claim, b.claim)) })
	return slices.CompactFunc(x, func(a, b claimed) bool { return a.claim == b.claim && a.element.Equals(b.element) })
}

// of returns those of claims, whose index x is, that are to a place with these names.
func (x claimIndex) of(claims []claim, elements []fieldpath.PathElement) []claim {
	if x == nil {
		return claims
	}
	var at []int
	for _, e := range elements {
		i, _ := slices.BinarySearchFunc(x, e, func(c claimed, e fieldpath.PathElement) int { return c.element.Compare(e) })
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

// child adds the place at to p; elements are its names.
func (w *blamer) child(p *Place, at place.Place, claims []claim, index claimIndex, elements ...fieldpath.PathElement) {
	c := &Place{Element: elements[0], Value: at.Plain}
	p.Children = append(p.Children, c)
	w.path = append(w.path, c.Element)
	var below []claim
	for _, cl := range index.of(claims, elements) {
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

// lose notes the claims to what is not there.
func (w *blamer) lose(claims []claim, there func(fieldpath.PathElement) bool) {
	for _, c := range claims {
		note := func(e fieldpath.PathElement) {
			if there(e) {
				return
			}
			path := append(slices.Clone(w.path), e)
			if n := len(w.b.Lost); n > 0 && w.b.Lost[n-1].Entry == c.entry && w.b.Lost[n-1].Path.Equals(path) {
				return
			}
			if isManagedFields(path) {
				return
			}
			w.b.Lost = append(w.b.Lost, Claim{c.entry, path})
		}
		members, children := c.set.Members.Sorted(), c.set.Children.Sorted()
		for len(members) > 0 || len(children) > 0 {
			if len(children) == 0 || len(members) > 0 && members[0].Compare(children[0].PathElement) <= 0 {
				note(members[0])
				members = members[1:]
			} else {
				note(children[0].PathElement)
				children = children[1:]
			}
		}
	}
}

func isManagedFields(path fieldpath.Path) bool {
	return len(path) == 2 && path[0].FieldName != nil && *path[0].FieldName == "metadata" &&
		path[1].FieldName != nil && *path[1].FieldName == "managedFields"
}

// inherit gives the places their owners that have them from others, and what is
// nobody's its standing.
func (w *blamer) inherit(p *Place, from *Place) {
	if p.State == Part {
		p.Owners = from.Owners
		if len(p.Owners) == 0 {
			p.State = from.State
		}
	}
	if p.Whole && p.State == "" {
		p.State = Unowned
	}
	owned, defaulted, server := false, len(p.Children) > 0, len(p.Children) > 0
	for _, c := range p.Children {
		w.inherit(c, p)
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
