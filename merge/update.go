// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Update records that the manager with the given name replaces liveObject with newObject. It returns
// newObject and the new managers. The writer then owns the fields that it added or modified, and the
// fields that it owned before and did not remove. All other managers lose the fields that were added,
// modified or removed.
//
// The new set of the writer has the given version, and counts as owned by an update, even if the writer
// applied its earlier set. Update does not convert the earlier set to this version.
//
// An update never conflicts. Errors come from the Converter, or explain why the two objects
// cannot be compared, for example because they have different types. Update also returns an
// error if the schema lacks a type, or if the Updater has both IgnoredFields and IgnoreFilter.
// To create an object, pass an empty liveObject, not nil. Update does not modify managers, but the
// returned sets may share memory with the sets in managers.
func (s *Updater) Update(liveObject, newObject *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	live := s.newConversionCache(liveObject)
	managers, err := s.reconcileManagers(&live, managers)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	w := write{manager: manager, version: version, old: live, new: s.newConversionCache(newObject), force: true}
	if err := s.revokeUnlessConflicts(&w, managers); err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	c := &w.changes
	set := c.written
	if owned, ok := managers[manager]; ok {
		set = owned.Set()
		if c.anyRemoved {
			set = set.Difference(c.Removed)
		}
		if c.anyWritten {
			set = set.Union(c.written)
		}
	}
	set = s.trackedFields(version, set)
	if set.Empty() {
		delete(managers, manager)
	} else {
		managers[manager] = fieldpath.NewVersionedSet(set, version, false)
	}
	return newObject, managers, nil
}
