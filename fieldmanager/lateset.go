// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
)

// lateSet is what a manager owns, in the form in which it is stored. The set is
// made when somebody asks for it: most requests leave what most managers own
// alone, and change a few paths of the rest.
type lateSet struct {
	fields  plainFields // not empty
	version fieldpath.APIVersion
	applied bool
	// settled is the type for which the set is known to be settled, if there is one.
	settled *graph.Node

	once sync.Once
	set  *fieldpath.Set
}

// Set implements fieldpath.VersionedSet. It is safe for concurrent use.
func (s *lateSet) Set() *fieldpath.Set {
	s.once.Do(func() {
		var r fieldsReader
		set, _, err := r.readFields(s.fields)
		if err != nil {
			set = fieldpath.NewSet() // somebody has written to the object since
		}
		s.set = set
	})
	return s.set
}

// APIVersion implements fieldpath.VersionedSet.
func (s *lateSet) APIVersion() fieldpath.APIVersion { return s.version }

// Applied implements fieldpath.VersionedSet.
func (s *lateSet) Applied() bool { return s.applied }

// Empty is that of Set: plain fields have a member at every end.
func (s *lateSet) Empty() bool { return false }

// Settled tells whether a reconciliation with the schema is known to leave the
// set alone.
func (s *lateSet) Settled(n *graph.Node) bool {
	return s.settled == n || ownedset.Settled(n, s.fields)
}

// Familiar tells whether the set is known to have the keys of all items that it
// has and last does not name.
func (s *lateSet) Familiar(n *graph.Node, last *fieldpath.Set) bool {
	return ownedset.CoversKeysStored(n, last, s.fields, findPlainKey)
}

// Disjoint is that of Set.
func (s *lateSet) Disjoint(set *fieldpath.Set) bool {
	if disjoint, sure := s.fields.disjoint(set); sure {
		return disjoint
	}
	return s.Set().Disjoint(set)
}

// Without is the set without the paths of another one, nil if that is empty.
func (s *lateSet) Without(set *fieldpath.Set) fieldpath.VersionedSet {
	if fields, sure := s.fields.without(set); !sure {
		if rest := s.Set().Difference(set); !rest.Empty() {
			return fieldpath.NewVersionedSet(rest, s.version, s.applied)
		}
	} else if len(fields) > 0 {
		return &lateSet{fields: fields, version: s.version, applied: s.applied}
	}
	return nil
}

// with is the set with the paths of another one.
func (s *lateSet) with(set *fieldpath.Set) fieldpath.VersionedSet {
	fields, sure := s.fields.with(set)
	if !sure {
		return fieldpath.NewVersionedSet(set.Union(s.Set()), s.version, s.applied)
	}
	return &lateSet{fields: fields, version: s.version, applied: s.applied}
}

// equal tells whether both have the same paths.
func (s *lateSet) equal(o *lateSet) bool {
	return s == o || equal(map[string]any(s.fields), map[string]any(o.fields))
}
