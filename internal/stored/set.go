// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
)

// Decode is managedfields.Decode as it is told to read, for package fieldmanager: a
// func(map[string]any, *Reading) (*managedfields.Managed, error). Package managedfields
// sets it when a program starts; this one, below it, cannot name its types.
var Decode any

// Reading says how managed fields are read by a request, which needs few of their sets.
type Reading struct {
	// Late leaves the sets of entries unread until they are asked for, but for that of
	// applier, if there is one, which an apply asks for.
	Late    bool
	Applier *Applier
	// Node, if there is one, is the type of objects of that version, to whose schema
	// late sets may have to be reconciled.
	Node    *graph.Node
	Version string
	// Sent, if there is one, is the list that the one read is compared with, and same
	// whether all that was read is the same.
	Sent []any
	Same bool
}

// Applier is who applies, and through which subresource.
type Applier struct{ Manager, Subresource string }

// Set is what a manager owns, in the form in which it is stored. The set is
// made when somebody asks for it: most requests leave what most managers own
// alone, and change a few paths of the rest.
type Set struct {
	Fields  Fields // not empty
	Version fieldpath.APIVersion
	ByApply bool
	// ReconciledFor is the type for which the set is known to be reconciled, if there is one.
	ReconciledFor *graph.Node

	once sync.Once
	set  *fieldpath.Set
}

// Set implements fieldpath.VersionedSet. It is safe for concurrent use.
func (s *Set) Set() *fieldpath.Set {
	s.once.Do(func() {
		var r Reader
		set, _, err := r.Read(s.Fields)
		if err != nil {
			set = fieldpath.NewSet() // somebody has written to the object since
		}
		s.set = set
	})
	return s.set
}

// APIVersion implements fieldpath.VersionedSet.
func (s *Set) APIVersion() fieldpath.APIVersion { return s.Version }

// Applied implements fieldpath.VersionedSet.
func (s *Set) Applied() bool { return s.ByApply }

// Empty is that of Set: plain fields have a member at every end.
func (s *Set) Empty() bool { return false }

// Reconciled tells whether a reconciliation with the schema is known to leave the
// set alone.
func (s *Set) Reconciled(n *graph.Node) bool {
	return s.ReconciledFor == n || ownedset.Reconciled(n, s.Fields)
}

// CoversKeys tells whether the set is known to have the keys of all items that it
// has and last does not name.
func (s *Set) CoversKeys(n *graph.Node, last *fieldpath.Set) bool {
	return ownedset.CoversKeysStored(n, last, s.Fields, findPlainKey)
}

// Disjoint is that of Set.
func (s *Set) Disjoint(set *fieldpath.Set) bool {
	if disjoint, sure := s.Fields.disjoint(set); sure {
		return disjoint
	}
	return s.Set().Disjoint(set)
}

// Without is the set without the paths of another one, nil if that is empty.
func (s *Set) Without(set *fieldpath.Set) fieldpath.VersionedSet {
	if fields, sure := s.Fields.without(set); !sure {
		if rest := s.Set().Difference(set); !rest.Empty() {
			return fieldpath.NewVersionedSet(rest, s.Version, s.ByApply)
		}
	} else if len(fields) > 0 {
		return &Set{Fields: fields, Version: s.Version, ByApply: s.ByApply}
	}
	return nil
}

// With is the set with the paths of another one.
func (s *Set) With(set *fieldpath.Set) fieldpath.VersionedSet {
	fields, sure := s.Fields.with(set)
	if !sure {
		return fieldpath.NewVersionedSet(set.Union(s.Set()), s.Version, s.ByApply)
	}
	return &Set{Fields: fields, Version: s.Version, ByApply: s.ByApply}
}

// Equal tells whether both have the same paths.
func (s *Set) Equal(o *Set) bool {
	return s == o || document.Equal(map[string]any(s.Fields), map[string]any(o.Fields))
}

// Union is the union of many sets. They are joined in pairs, then the pairs, and so
// on: adding one after the other to a union copies that each time.
func Union(sets []*fieldpath.Set) *fieldpath.Set {
	switch len(sets) {
	case 0:
		return fieldpath.NewSet()
	case 1:
		return sets[0]
	}
	half := len(sets) / 2
	return Union(sets[:half]).Union(Union(sets[half:]))
}
