// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// APIVersion is the version of the schema that a set's paths belong to.
type APIVersion string

// VersionedSet is what one manager owns.
type VersionedSet interface {
	// Set returns the owned paths. They must not be changed.
	Set() *Set
	// APIVersion returns the version the paths belong to.
	APIVersion() APIVersion
	// Applied tells an applier from an updater.
	Applied() bool
}

// NewVersionedSet returns a VersionedSet of these parts. The set is kept.
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

// ManagedFields maps the name of each manager to what it owns.
type ManagedFields map[string]VersionedSet

// Equals reports whether both hold the same managers with equal sets, versions
// and kinds.
func (lhs ManagedFields) Equals(rhs ManagedFields) bool {
	return maps.EqualFunc(lhs, rhs, func(l, r VersionedSet) bool {
		return l.APIVersion() == r.APIVersion() && l.Applied() == r.Applied() && l.Set().Equals(r.Set())
	})
}

// Copy returns a map of its own that shares the sets.
func (lhs ManagedFields) Copy() ManagedFields {
	out := make(ManagedFields, len(lhs))
	maps.Copy(out, lhs)
	return out
}

// Difference returns, for each manager whose paths differ, the paths that only
// one side has, marked as not applied. A manager that only one side knows is
// returned as it is, and one whose version differs as it is in rhs. Managers
// without differing paths are left out.
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

// String renders the managers, sorted by name, for logs and test failures.
func (lhs ManagedFields) String() string {
	var b strings.Builder
	for _, manager := range slices.Sorted(maps.Keys(lhs)) {
		v := lhs[manager]
		fmt.Fprintf(&b, "%s:\n- Applied: %v\n- APIVersion: %v\n- Set: %v\n",
			manager, v.Applied(), v.APIVersion(), v.Set())
	}
	return b.String()
}
