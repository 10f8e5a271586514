// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/rekey"
)

// Move is a change that a Rekeyer made to a field set when it converted the set from one
// schema to another.
type Move struct {
	// Old is the path under the old schema, and New is the path under the new schema. The two
	// paths are equal if only the meaning of the path changed.
	Old, New fieldpath.Path
	Reason   MoveReason
	// Why describes what caused the move: a change of the schema, or a value in the live object.
	Why string
}

// MoveReason is the reason for a Move. Reasons are stable, but the texts of Move.Why are not.
type MoveReason string

// These are the reasons for a Move. In the examples, a list has the keys port and protocol, and
// the new schema gives protocol the default TCP.
const (
	// MoveRekeyed: [port=80] becomes [port=80,protocol="TCP"].
	MoveRekeyed MoveReason = "rekeyed"
	// MoveMerged: an element becomes equal to another element of the same set. Only one of the
	// two remains.
	MoveMerged MoveReason = "merged"
	// MoveSplit: an element identified several live items, which now have different
	// identities. It is replaced by one element for each item, with a Move for each.
	MoveSplit MoveReason = "split"
	// MoveShared: a path element now also identifies live items that it did not identify under the
	// old schema.
	MoveShared MoveReason = "shared"
	// MoveNoItem: no live item has this element. If the path changed, missing keys of the element
	// got their new defaults. If the path did not change, the object may have been stored again
	// after the schema change, so that an item already has the new default of a key.
	MoveNoItem MoveReason = "no-item"
	// MoveLeftOut: the live item keeps its identity, but the owner's config may identify a
	// different item when it is applied again. One of the item's keys has the old default, and the
	// owner does not own this key, so its config omits the key. Ignore this reason for managers
	// that do not apply.
	MoveLeftOut MoveReason = "left-out"
	// MoveUnnamed: the live item has no identity under the new schema, so nobody can own it.
	// The path stays.
	MoveUnnamed MoveReason = "unnamed"
	// MoveBecameAtomic: entries of a map or list were owned separately. Now the map or list is owned as
	// a whole.
	MoveBecameAtomic MoveReason = "became-atomic"
	// MoveBecameGranular: a manager owned a map or list as a whole. Now it owns each existing entry.
	MoveBecameGranular MoveReason = "became-granular"
	// MoveFieldGone: the new schema does not have the field. The path stays.
	MoveFieldGone MoveReason = "field-gone"
	// MoveKindChanged: the kind of the value changed, for example from map to list. The paths
	// stay.
	MoveKindChanged MoveReason = "kind-changed"
)

// A Rekeyer converts field sets of one object after its schema changed, so that each set
// contains the same fields and items as before. It computes the identities of list items once
// for all sets. It is not safe for concurrent use.
//
// A stored path identifies a list item by its keys. If the default of a key is added, changed or
// removed, the path identifies a different item or no item. The Rekeyer finds the live item that
// the path identified under the old schema, and uses the new path of this item. A path that does
// not change keeps the same bytes in FieldsV1.
//
// A Rekeyer also handles lists and maps that became atomic or granular, keys that were added or
// removed, and other changes of an item's identity, for example by schema.Schema.DeclarativeDefaults.
type Rekeyer struct {
	rekeyer *rekey.Rekeyer
}

// Rekeyer returns a Rekeyer for the field sets of an object whose type changes from p to newType.
// The argument live is the object as plain data. Pass it as stored, and do not fill in the defaults
// of the new schema, because the old default determines the identity of an item such as {port: 80}.
// The Rekeyer does not modify live, and nobody may modify it while the Rekeyer is in use.
func (p ParseableType) Rekeyer(newType ParseableType, live any) *Rekeyer {
	return &Rekeyer{rekey.New(compiled.Node(p.Schema, p.TypeRef), compiled.Node(newType.Schema, newType.TypeRef), live)}
}

// Rekey converts set to the new type. It returns set itself if nothing changes. moves contains a
// Move for every changed path, and for every item that the owner gains or loses, even if the path
// stays the same.
//
// Rekey returns an error if a type is missing, or if the set would grow beyond a million paths.
func (r *Rekeyer) Rekey(set *fieldpath.Set) (rekeyed *fieldpath.Set, moves []Move, err error) {
	out, moved, findings := r.rekeyer.Rekey(set)
	if findings != nil {
		return nil, nil, errorsOf(findings)
	}
	for _, m := range moved {
		moves = append(moves, Move{Old: m.Old, New: m.New, Reason: MoveReason(m.Reason), Why: m.Why})
	}
	return out, moves, nil
}

// PinKeys returns a type like p, in which list keys have their defaults from an earlier version of
// the type, old (see schema.Schema.PinKeys). Each call creates a new schema, and values of
// different schemas cannot be combined. So call PinKeys once and keep the result.
func (p ParseableType) PinKeys(old ParseableType) ParseableType {
	s, ref := p.Schema.PinKeys(p.TypeRef, old.Schema, old.TypeRef)
	return ParseableType{TypeRef: ref, Schema: s}
}
