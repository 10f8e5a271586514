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

// Decode is the function with which package fieldmanager decodes managed fields. It does the
// same as managedfields.Decode, but also takes options. Package managedfields sets it when the
// program starts. Its type is func(map[string]any, *Reading) (*managedfields.Managed, error).
// The type cannot be written here, because package managedfields imports package stored.
var Decode any

// Reading has options for decoding managed fields in a request. A request needs only few of the
// field sets.
type Reading struct {
	// If Lazy is true, the set of an entry is decoded only when it is needed. The exception is
	// the entry of Applier. Its set is decoded at once, because an apply always needs it.
	Lazy    bool
	Applier *Applier
	// Node is the type of objects in the API version Version, or nil. If it is set, Decode records
	// for each undecoded set whether the set is known to need no conversion to this type.
	Node    *graph.Node
	Version string
	// Sent is another list of managed fields, or nil. Decode compares it with the list that it
	// decodes, and sets Same to true if both lists are equal. If Decode returns an error, Same
	// has no meaning.
	Sent []any
	Same bool
}

// Applier is the manager of an apply, and the subresource that it uses.
type Applier struct{ Manager, Subresource string }

// Set is the field set of a manager in its stored form. It is decoded only when a caller needs
// it. Most requests change nothing in the sets of most managers, and few paths in the other
// sets, so decoding is rarely necessary.
type Set struct {
	Fields  Fields // never empty
	Version fieldpath.APIVersion
	ByApply bool
	// ReconciledFor is a type to which the set is known to need no conversion, or nil.
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
			set = fieldpath.NewSet() // only possible if a caller has modified the fields
		}
		s.set = set
	})
	return s.set
}

// APIVersion implements fieldpath.VersionedSet.
func (s *Set) APIVersion() fieldpath.APIVersion { return s.Version }

// Applied implements fieldpath.VersionedSet.
func (s *Set) Applied() bool { return s.ByApply }

// Empty always returns false, because Fields are never empty.
func (s *Set) Empty() bool { return false }

// Reconciled reports whether the set is known to need no conversion to the type n.
func (s *Set) Reconciled(n *graph.Node) bool {
	return s.ReconciledFor == n || ownedset.IsReconciledStored(n, s.Fields)
}

// CoversKeys does the same as ownedset.CoversKeys, but may return false negatives.
func (s *Set) CoversKeys(n *graph.Node, prev *fieldpath.Set) bool {
	return ownedset.CoversKeysStored(n, prev, s.Fields, findPlainKey)
}

// Disjoint reports whether the two sets have no path in common.
func (s *Set) Disjoint(set *fieldpath.Set) bool {
	if disjoint, sure := s.Fields.disjoint(set); sure {
		return disjoint
	}
	return s.Set().Disjoint(set)
}

// Without returns s without the paths of set. It returns nil if no path remains.
func (s *Set) Without(set *fieldpath.Set) fieldpath.VersionedSet {
	if fields, sure := s.Fields.subtract(set); !sure {
		if rest := s.Set().Difference(set); !rest.Empty() {
			return fieldpath.NewVersionedSet(rest, s.Version, s.ByApply)
		}
	} else if len(fields) > 0 {
		return &Set{Fields: fields, Version: s.Version, ByApply: s.ByApply}
	}
	return nil
}

// With returns s with the paths of set added.
func (s *Set) With(set *fieldpath.Set) fieldpath.VersionedSet {
	fields, sure := s.Fields.add(set)
	if !sure {
		return fieldpath.NewVersionedSet(set.Union(s.Set()), s.Version, s.ByApply)
	}
	return &Set{Fields: fields, Version: s.Version, ByApply: s.ByApply}
}

// Equal reports whether both sets have the same paths.
func (s *Set) Equal(o *Set) bool {
	return s == o || document.Equal(map[string]any(s.Fields), map[string]any(o.Fields))
}

// Union returns the union of many sets. It first joins pairs of sets, then pairs of the
// results, and so on. Adding one set after another would copy the growing union each time.
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
