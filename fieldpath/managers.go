// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// APIVersion is the API version, such as apps/v1, that the paths of a set belong to.
type APIVersion string

// VersionedSet is the field set of one manager, with its API version and operation.
type VersionedSet interface {
	// Set returns the owned paths. The caller must not change them.
	Set() *Set
	// APIVersion returns the API version that the paths belong to.
	APIVersion() APIVersion
	// Applied reports whether the manager wrote the paths by an apply. If it is false, the
	// manager wrote them by an update.
	Applied() bool
}

// NewVersionedSet returns a VersionedSet that refers to set.
func NewVersionedSet(set *Set, apiVersion APIVersion, applied bool) VersionedSet {
	return versionedSet{set: set, apiVersion: apiVersion, applied: applied}
}

type versionedSet struct {
	set        *Set
	apiVersion APIVersion
	applied    bool
}

func (v versionedSet) Set() *Set              { return v.set }
func (v versionedSet) APIVersion() APIVersion { return v.apiVersion }
func (v versionedSet) Applied() bool          { return v.applied }

// ManagedFields maps the names of managers to their field sets.
type ManagedFields map[string]VersionedSet

// Equals reports whether lhs and rhs have the same managers, with equal sets, API versions and
// operations.
func (lhs ManagedFields) Equals(rhs ManagedFields) bool {
	return maps.EqualFunc(lhs, rhs, func(l, r VersionedSet) bool {
		return l.APIVersion() == r.APIVersion() && l.Applied() == r.Applied() && l.Set().Equals(r.Set())
	})
}

// Copy returns a copy of the map. The copy shares the sets.
func (lhs ManagedFields) Copy() ManagedFields {
	out := make(ManagedFields, len(lhs))
	maps.Copy(out, lhs)
	return out
}

// Difference returns the entries that differ between lhs and rhs:
//
//   - If only one of them has a manager, and the set of this entry is not empty, the result has the
//     entry unchanged.
//   - If both have a manager, but with different API versions, the result has the entry of rhs.
//   - If both have a manager with the same API version, but with different sets, the entry in the
//     result has the paths that are in only one of the two sets, and its Applied returns false.
func (lhs ManagedFields) Difference(rhs ManagedFields) ManagedFields {
	diff := ManagedFields{}
	for manager, left := range lhs {
		right, ok := rhs[manager]
		switch {
		case !ok && left.Set().Empty():
		case !ok:
			diff[manager] = left
		case left.APIVersion() != right.APIVersion():
			diff[manager] = right
		default:
			l, r := left.Set(), right.Set()
			if changed := l.Difference(r).Union(r.Difference(l)); !changed.Empty() {
				diff[manager] = NewVersionedSet(changed, right.APIVersion(), false)
			}
		}
	}
	for manager, right := range rhs {
		if _, ok := lhs[manager]; !ok && !right.Set().Empty() {
			diff[manager] = right
		}
	}
	return diff
}

// String lists the managers and their sets, sorted by manager name, for logs and test failures.
func (lhs ManagedFields) String() string {
	var b strings.Builder
	for _, manager := range slices.Sorted(maps.Keys(lhs)) {
		v := lhs[manager]
		fmt.Fprintf(&b, "%s:\n- Applied: %v\n- APIVersion: %v\n- Set: %v\n",
			manager, v.Applied(), v.APIVersion(), v.Set())
	}
	return b.String()
}
