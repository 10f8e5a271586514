// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"iter"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
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
// name in the version of an entry are among Blame.Lost.
//
// The error is a *ManagedFieldsError when the managed fields cannot be read,
// and that of Options.Types when there is no type. live is not modified.
func (m *FieldManager) Blame(live map[string]any) (*Blame, error) {
	managed, err := managedfields.Decode(live)
	if err != nil {
		return nil, err
	}
	apiVersion, kind := document.TypeOf(live)
	t, err := m.typeFor(apiVersion, kind)
	if err != nil {
		return nil, fmt.Errorf("live object (%s): %w", document.Describe(live), err)
	}
	plain := document.WithoutManagedFields(live)
	b := &Blame{Root: &Place{Value: plain}, Entries: managed.Entries(), Warnings: managed.Warnings()}
	w := &blamer{b: b}
	claims := make([]claim, 0, len(b.Entries))
	for i := range b.Entries {
		e := &b.Entries[i]
		e.Set = m.today(e, plain, t)
		claims = append(claims, claim{i, e.Set})
	}
	known := t.IsValid() && t.Schema != typed.DeducedParseableType.Schema
	w.visit(b.Root, place.Place{Schema: t.Schema, Ref: t.TypeRef, Typed: known, Plain: plain}, claims)
	w.settle(b.Root, nil)
	if w.twins {
		b.dropFound()
	}
	slices.SortStableFunc(b.Lost, func(p, q Claim) int { return p.Entry - q.Entry })
	return b, nil
}

// today is what an entry of an object of type t owns as the schema of its
// version reads it, if there is one.
func (m *FieldManager) today(e *managedfields.Entry, object map[string]any, t typed.ParseableType) *fieldpath.Set {
	apiVersion, kind := document.TypeOf(object)
	if e.APIVersion != apiVersion {
		var err error
		if t, err = m.typeFor(e.APIVersion, kind); err != nil {
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

// dropFound takes the paths out of Lost that lead somewhere by way of another
// item of the same name.
func (b *Blame) dropFound() {
	var paths []fieldpath.Path
	for path := range b.All() {
		paths = append(paths, path.Copy())
	}
	there := fieldpath.NewSet(paths...)
	b.Lost = slices.DeleteFunc(b.Lost, func(c Claim) bool { return there.Has(c.Path) })
}
