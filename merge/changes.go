// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// changes is what a write changed, in one version.
type changes struct {
	*typed.Comparison
	// written is Modified and Added.
	written *fieldpath.Set
	// writes and removes say whether anything was written, and removed.
	writes, removes bool
	// none says that nothing has changed, tracked or not.
	none bool
}

// changes returns of a comparison what is tracked.
func (s *Updater) changes(version fieldpath.APIVersion, c *typed.Comparison) changes {
	none := c.IsSame()
	c = s.trackedChanges(version, c)
	written := c.Modified
	switch {
	case written.Empty():
		written = c.Added
	case !c.Added.Empty():
		written = written.Union(c.Added)
	}
	return changes{c, written, !written.Empty(), !c.Removed.Empty(), none}
}

// take takes what writer has changed from all other managers. managers is
// written to. Unless force is set, changing what others own is an error, of
// type Conflicts, and managers is left as it was but for managers of missing
// versions and managers that own nothing.
//
// An apply has reconciled all managers before, and stored is nil. An update reconciles
// them on the way: stored is what they are, and managers is a copy of it.
func (s *Updater) take(oldObject, newObject *versions, version fieldpath.APIVersion, managers, stored fieldpath.ManagedFields, writer string, force bool) (changes, error) {
	own, err := s.changesBetween(oldObject.object, newObject.object, version)
	if err == nil {
		err = s.takeFromOthers(&own, oldObject, newObject, version, managers, stored, writer, force)
	}
	if err != nil {
		// What is wrong with the managers is wrong whatever has changed.
		if _, first := s.reconciled(oldObject, stored); first != nil {
			err = first
		}
	}
	return own, err
}

// changesBetween returns what is tracked of how two objects differ.
func (s *Updater) changesBetween(oldObject, newObject *typed.TypedValue, version fieldpath.APIVersion) (changes, error) {
	comparison, err := oldObject.Compare(newObject)
	if err != nil {
		return changes{}, fmt.Errorf("failed to compare objects: %v", err)
	}
	if err := s.checkFilters(); err != nil {
		return changes{}, err
	}
	return s.changes(version, comparison), nil
}

// takeFromOthers decides who else owns what has changed, of which own is what it is in
// the version of the writer. What is written is a conflict with its owners, or lost to
// them with force; what is removed is lost in any case.
func (s *Updater) takeFromOthers(own *changes, oldObject, newObject *versions, version fieldpath.APIVersion, managers, stored fieldpath.ManagedFields, writer string, force bool) error {
	var others map[fieldpath.APIVersion]*changes // by version

	var conflicts fieldpath.ManagedFields
	type loss struct {
		manager string
		set     *fieldpath.Set
	}
	var losses []loss
	all := managers
	if stored != nil {
		all = stored
	}
	// fault is what is wrong with one manager's fields.
	fault := func(manager string, owned fieldpath.VersionedSet) error {
		if stored != nil {
			today, changed, err := reconciledSet(oldObject, owned)
			switch {
			case err != nil || today == nil:
				return err
			case changed:
				owned = today
			}
		}
		if manager == writer || owned.APIVersion() == version {
			return nil
		}
		_, err := s.changesAt(oldObject, newObject, owned.APIVersion())
		return err
	}
	for manager, owned := range all {
		if stored != nil {
			today, changed, err := reconciledSet(oldObject, owned)
			if err != nil {
				return firstFault(all, fault)
			}
			if today == nil {
				delete(managers, manager)
				continue
			}
			if changed {
				owned, managers[manager] = today, today
			}
		}
		if manager == writer {
			continue
		}
		v := owned.APIVersion()
		c := own
		if v != version {
			other, ok := others[v]
			if !ok {
				var err error
				if other, err = s.changesAt(oldObject, newObject, v); err != nil {
					return firstFault(all, fault)
				}
				if others == nil {
					others = map[fieldpath.APIVersion]*changes{}
				}
				others[v] = other
			}
			c = other
		}
		if c == nil {
			delete(managers, manager)
			continue
		}
		held := lookAt(owned)
		if held.empty() {
			delete(managers, manager)
			continue
		}
		if c.writes && !held.disjoint(c.written) {
			if !force {
				if conflicts == nil {
					conflicts = fieldpath.ManagedFields{}
				}
				conflicts[manager] = fieldpath.NewVersionedSet(owned.Set().Intersection(c.written), v, false)
			}
			losses = append(losses, loss{manager, c.written})
		}
		if c.removes && !held.disjoint(c.Removed) {
			losses = append(losses, loss{manager, c.Removed})
		}
	}
	if len(conflicts) != 0 {
		return ConflictsFromManagers(conflicts)
	}
	for _, l := range losses {
		takeSet(managers, l.manager, l.set)
	}
	if owned, ok := managers[writer]; ok && owned.Set().Empty() {
		delete(managers, writer)
	}
	return nil
}

// takeSet takes set from a manager, which goes when nothing is left to it.
func takeSet(managers fieldpath.ManagedFields, manager string, set *fieldpath.Set) {
	owned, ok := managers[manager]
	if !ok {
		return
	}
	if rest := without(owned, set); rest != nil {
		managers[manager] = rest
	} else {
		delete(managers, manager)
	}
}

// changesAt returns what changed as it reads in another version, nil if that
// version is not there any more.
func (s *Updater) changesAt(oldObject, newObject *versions, version fieldpath.APIVersion) (*changes, error) {
	before := oldObject.at(version)
	if before.missing {
		return nil, nil
	}
	if before.err != nil {
		return nil, fmt.Errorf("failed to convert old object: %v", before.err)
	}
	after := newObject.at(version)
	if after.missing {
		return nil, nil
	}
	if after.err != nil {
		return nil, fmt.Errorf("failed to convert new object: %v", after.err)
	}
	c, err := s.changesBetween(before.object, after.object, version)
	return &c, err
}
