package fieldmanager

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// A Standing says how a place in an object comes to have the owners it has.
type Standing string

const (
	// Owned: by each of Place.Owners, by itself.
	Owned Standing = "owned"
	// Part: of a list or map that is owned as a whole, by Place.Owners.
	Part Standing = "part"
	// Holder: a list or map that nobody owns by itself, with places in it that
	// somebody owns.
	Holder Standing = "holder"
	// Defaulted: nobody's; it has the default that the schema gives it.
	Defaulted Standing = "default"
	// Server: nobody's, and nobody can own it: it names the object or is the
	// API server's.
	Server Standing = "server"
	// Unowned: nobody's, for no reason that can be seen.
	Unowned Standing = "unowned"
)

// A Place is a field or an item of an object, with those who own it. Places are
// read-only.
type Place struct {
	// Element names the place in its parent. That of the root is empty.
	Element fieldpath.PathElement
	// Value is what the object has there, shared with the object.
	Value any
	// Standing says what Owners mean.
	Standing Standing
	// Owners are indexes of Blame.Entries, in order.
	Owners []int
	// Whole is set of a list or map that is owned, or not, as a whole: what is
	// in it has its Owners.
	Whole bool
	// Children are what a map or list holds: fields by name, items as they are.
	Children []*Place
}

// A Claim is a path that an entry owns and that leads nowhere in the object.
type Claim struct {
	// Entry is an index of Blame.Entries.
	Entry int
	// Path is where the way through the object ends; what the entry owns below
	// it is not listed.
	Path fieldpath.Path
}

// A Blame is an object place by place, with all who own each. It is immutable
// and safe for concurrent use as long as nobody changes the object.
type Blame struct {
	// Root is the object. Its managed fields are not among the places.
	Root *Place
	// Entries are the owners, in the order of Managed.Entries.
	Entries []Entry
	// Lost are the paths that lead nowhere, by entry, then path.
	Lost []Claim
	// Warnings are those of Decode.
	Warnings []Warning
}

// Blame finds out who owns each place of live. The type says which lists and
// maps are owned as wholes, and which item of a list an entry means that
// leaves out a key; where the type and the entries disagree, since the schema
// has changed, the entries are believed. Without a type (Options.Untyped), a
// list or map of which nobody owns a part is owned as a whole if it is owned.
//
// Entries are taken as they are, whatever their API version: offline, versions
// differ in their name only. Fields that have another name in the version of
// an entry are among Blame.Lost.
//
// The error is a *ManagedFieldsError when the managed fields cannot be read,
// and that of Options.Types when there is no type. live is not modified.
func (m *FieldManager) Blame(live map[string]any) (*Blame, error) {
	managed, err := Decode(live)
	if err != nil {
		return nil, err
	}
	apiVersion, kind := typeOf(live)
	t, err := m.typeFor(apiVersion, kind)
	if err != nil {
		return nil, fmt.Errorf("live object (%s): %w", describe(live), err)
	}
	plain := withoutManagedFields(live)
	b := &Blame{Root: &Place{Value: plain}, Entries: managed.Entries(), Warnings: managed.Warnings()}
	w := &blamer{b: b}
	claims := make([]claim, 0, len(b.Entries))
	for i, e := range b.Entries {
		claims = append(claims, claim{i, e.Set})
	}
	known := t.IsValid() && t.Schema != typed.DeducedParseableType.Schema
	w.visit(b.Root, place{schema: t.Schema, ref: t.TypeRef, typed: known, plain: plain}, claims)
	w.settle(b.Root, nil)
	slices.SortStableFunc(b.Lost, func(p, q Claim) int { return p.Entry - q.Entry })
	return b, nil
}

// All yields each place below the root with its path, parents first. The path
// is valid until the next; Copy it to keep it.
func (b *Blame) All() iter.Seq2[fieldpath.Path, *Place] {
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

// claim is what an entry owns below the place where the walk is.
type claim struct {
	entry int
	set   *fieldpath.Set
}

type blamer struct {
	b    *Blame
	path fieldpath.Path
}

// visit makes the children of p, which is at.
func (w *blamer) visit(p *Place, at place, claims []claim) {
	if len(claims) == 0 && p.isWhole(at) {
		p.Whole = true
		p.inherit()
		return
	}
	switch plain := at.plain.(type) {
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
func (p *Place) isWhole(at place) bool {
	atom, known := at.atom()
	switch at.plain.(type) {
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

func (w *blamer) fields(p *Place, at place, plain map[string]any, claims []claim) {
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		next, _ := at.step(fieldpath.FieldNameElement(name)) // it is there
		w.child(p, next, claims, fieldpath.FieldNameElement(name))
	}
	w.lose(claims, func(e fieldpath.PathElement) bool {
		if e.FieldName == nil {
			return false
		}
		_, ok := plain[*e.FieldName]
		return ok
	})
}

// child adds the place at to p; elements are its names.
func (w *blamer) child(p *Place, at place, claims []claim, elements ...fieldpath.PathElement) {
	c := &Place{Element: elements[0], Value: at.plain}
	p.Children = append(p.Children, c)
	w.path = append(w.path, c.Element)
	var below []claim
	for _, cl := range claims {
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
	} else if unowned.Has(w.path) {
		c.Standing = Server
	} else if at.isDefault() {
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
