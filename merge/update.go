// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Update returns newObject, which manager writes in place of liveObject, and
// the managers after that. What manager changes is its own from then on and
// nobody else's. liveObject is empty, not nil, when an object is created.
// managers is not changed. An update has no conflicts: its errors are the Converter's,
// or say why the two objects cannot be compared, as those of two types.
func (s *Updater) Update(liveObject, newObject *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	stored := managers
	managers = copied(stored)
	c, err := s.take(s.versions(liveObject), s.versions(newObject), version, managers, stored, manager, true)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	set := c.written
	if owned, ok := managers[manager]; ok {
		set = owned.Set()
		if c.removes {
			set = set.Difference(c.Removed)
		}
		if c.writes {
			set = set.Union(c.written)
		}
	}
	set = s.tracked(version, set)
	if set.Empty() {
		delete(managers, manager)
	} else {
		managers[manager] = fieldpath.NewVersionedSet(set, version, false)
	}
	return newObject, managers, nil
}
