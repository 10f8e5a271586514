// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/schema"
)

// claim is what an entry owns below the place where the walk is.
type claim struct {
	entry int
	set   *fieldpath.Set
}

type blamer struct {
	b    *Blame
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
		return !known && len(p.Owners) > 0 || atom.Map != nil && atom.Map.ElementRelationship == schema.Atomic
	case []any:
		return !known && len(p.Owners) > 0 || atom.List != nil && atom.List.ElementRelationship == schema.Atomic
	}
	return false
}

// inherit makes the children of a place that is owned as a whole.
func (p *Place) inherit() {
	add := func(e fieldpath.PathElement, v any) {
		c := &Place{Element: e, Value: v, Standing: Part}
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
		c.Standing = Owned
	} else if document.Unowned.Has(w.path) {
		c.Standing = Server
	} else if at.IsDefault() {
		c.Standing = Defaulted
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

// settle gives the places their owners that have them from others, and what is
// nobody's its standing.
func (w *blamer) settle(p *Place, from *Place) {
	if p.Standing == Part {
		p.Owners = from.Owners
		if len(p.Owners) == 0 {
			p.Standing = from.Standing
		}
	}
	if p.Whole && p.Standing == "" {
		p.Standing = Unowned
	}
	owned, defaulted, server := false, len(p.Children) > 0, len(p.Children) > 0
	for _, c := range p.Children {
		w.settle(c, p)
		owned = owned || c.Standing == Owned || c.Standing == Part || c.Standing == Holder
		defaulted = defaulted && c.Standing == Defaulted
		server = server && c.Standing == Server
	}
	switch {
	case p.Standing != "" && p.Standing != Server:
	case owned:
		p.Standing = Holder
	case p.Standing == Server || server:
		p.Standing = Server
	case defaulted:
		p.Standing = Defaulted
	default:
		p.Standing = Unowned
	}
}
