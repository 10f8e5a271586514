// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/rekey"
)

// Move is one thing that happened to a field set which was carried from one
// schema to another, see Rekeyer.
type Move struct {
	// Old is what the owner had under the old schema, New what that is under the
	// new one. They are equal where the path stays and means something else.
	Old, New fieldpath.Path
	Reason   MoveReason
	// Why says in words what of the schema, or of the object, is behind it.
	Why string
}

// MoveReason is why a Move was made. Reasons are stable, the words of Move.Why
// are not.
type MoveReason string

// The reasons. The examples have a list with the keys port and protocol, where
// protocol comes to have the default TCP.
const (
	// MoveRekeyed: [port=80] is [port=80,protocol="TCP"] now.
	MoveRekeyed MoveReason = "rekeyed"
	// MoveMerged: so is another entry of the same set; one is left of them.
	MoveMerged MoveReason = "merged"
	// MoveSplit: the entry named several live items that are told apart now. It
	// has become one entry for each; there is a Move for each.
	MoveSplit MoveReason = "split"
	// MoveShared: the entry names live items now that it did not name before: a live
	// item has come to be called what the entry says.
	MoveShared MoveReason = "shared"
	// MoveNoItem: the entry names no live item. Keys that it lacks have taken
	// their new defaults; or it stays, and may be about a live item that took its
	// key from the new default already.
	MoveNoItem MoveReason = "no-item"
	// MoveLeftOut: the live item stays what it is, but a key of it that has the old
	// default is not in set. Whoever applied it left that key out, and will name
	// another item when it applies the same again. Says nothing of who did not
	// apply.
	MoveLeftOut MoveReason = "left-out"
	// MoveUnnamed: the live item has no identity under the new schema, so that
	// nobody can own it. The entry stays.
	MoveUnnamed MoveReason = "unnamed"
	// MoveBecameAtomic: what was owned piece by piece is owned as a whole.
	MoveBecameAtomic MoveReason = "became-atomic"
	// MoveBecameGranular: what was owned as a whole is owned piece by piece, all
	// that is there by whoever owned the whole.
	MoveBecameGranular MoveReason = "became-granular"
	// MoveFieldGone: the new schema does not have the field. The path stays.
	MoveFieldGone MoveReason = "field-gone"
	// MoveKindChanged: what was a map is a list now, or the like. The paths stay.
	MoveKindChanged MoveReason = "kind-changed"
)

// A Rekeyer carries field sets of one object from one state of its type to another, so that
// each set owns the same fields and items as before. It computes the identities of list items
// once for all sets. It is not safe for concurrent use.
//
// A stored path names a list item by its keys. When the default of a key appears, changes or
// goes, the path names another item, or none. The live item that the path named under the old
// schema decides its new path. Paths that stay the same are identical to the byte.
//
// A Rekeyer also handles lists and maps that became atomic or granular, keys that were added
// or removed, and other changes of an item's identity, such as
// schema.Schema.DeclarativeDefaults.
type Rekeyer struct {
	rekeyer *rekey.Rekeyer
}

// Rekeyer returns a Rekeyer for the sets of live that were written under type p and are now
// read under type now. live is plain data, as it was stored, before the defaults of the new
// schema are filled in: the old default gave an item {port: 80} its identity. The Rekeyer only
// reads live, which must not change while the Rekeyer is in use.
func (p ParseableType) Rekeyer(now ParseableType, live any) *Rekeyer {
	return &Rekeyer{rekey.New(compiled.Node(p.Schema, p.TypeRef), compiled.Node(now.Schema, now.TypeRef), live)}
}

// Rekey returns set as it reads under the new type, and set itself if nothing changes. moves
// lists all changes, and each item that set names under the new schema but did not name under
// the old one: no item is gained or lost silently.
//
// Rekey returns an error if a type is missing, or if the set would grow beyond a million
// paths.
func (r *Rekeyer) Rekey(set *fieldpath.Set) (rekeyed *fieldpath.Set, moves []Move, err error) {
	out, moved, found := r.rekeyer.Rekey(set)
	if found != nil {
		return nil, nil, errorsOf(found)
	}
	for _, m := range moved {
		moves = append(moves, Move{Old: m.Old, New: m.New, Reason: MoveReason(m.Reason), Why: m.Why})
	}
	return out, moves, nil
}

// PinKeys returns the type with the defaults that the keys of its lists have in
// old, an earlier state of it; see schema.Schema.PinKeys. Each call makes another
// schema, and values of one do not go with those of another: keep the result.
func (p ParseableType) PinKeys(old ParseableType) ParseableType {
	s, ref := p.Schema.PinKeys(p.TypeRef, old.Schema, old.TypeRef)
	return ParseableType{TypeRef: ref, Schema: s}
}
