// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// write is a change of an object by one manager.
type write struct {
	manager string
	version fieldpath.APIVersion
	// old and new are the object before and after the write. If they were pointers, each request would
	// allocate them on the heap.
	old, new conversionCache
	// force is true if the write may overwrite fields that other managers own.
	force bool
	// changes is the difference between old and new, in the API version of the write.
	// revokeUnlessConflicts sets changes.
	changes changes
	// otherVersions has the differences between old and new in the versions of other managers.
	// The difference is nil for a version that no longer exists.
	otherVersions map[fieldpath.APIVersion]*changes
}

// changes is the difference between two objects in one version. It excludes fields whose
// owners are not tracked.
type changes struct {
	*typed.Comparison
	// written is the union of Modified and Added.
	written *fieldpath.Set
	// anyWritten is true if written is not empty. anyRemoved is true if Removed is not empty.
	anyWritten, anyRemoved bool
	// foundNoDifference is true if Compare found no difference, not even in fields whose owners are not
	// tracked. The objects can still differ in ways that Compare does not report (see equalObjects).
	foundNoDifference bool
}

// loss records which fields a manager loses. The set fields has all paths that a write changes or adds,
// or all paths that the write removes. The manager loses those paths of the set that it owns. If the
// set is nil, the manager itself is removed, because it owns nothing, or because its version no longer
// exists.
type loss struct {
	manager string
	fields  *fieldpath.Set
}

// revokeUnlessConflicts compares the objects of w, sets w.changes, and removes the changed fields from
// the field sets of all other managers. It does not add fields to w.manager; the caller must do that.
// It modifies managers. It deletes each manager that then owns nothing, even w.manager. It also deletes
// each manager whose version no longer exists. The sets in managers must already be converted to the
// current schema.
//
// Removing a field of another manager is never a conflict. Adding or modifying a field of
// another manager is a conflict, unless w.force is set. If there are conflicts,
// revokeUnlessConflicts returns Conflicts and does not modify managers.
func (s *Updater) revokeUnlessConflicts(w *write, managers fieldpath.ManagedFields) error {
	var err error
	if w.changes, err = s.changesBetween(w.old.object, w.new.object, w.version); err != nil {
		return err
	}
	var buffer [4]loss // most writes take fields from few managers
	losses, conflicts, err := s.findLossesAndConflicts(w, managers, buffer[:0])
	if err != nil {
		return err
	}
	if len(conflicts) != 0 {
		return ConflictsFromManagers(conflicts)
	}
	removeLosses(managers, losses)
	if owned, ok := managers[w.manager]; ok && owned.Set().Empty() {
		delete(managers, w.manager)
	}
	return nil
}

// changesBetween compares two objects of the given version.
func (s *Updater) changesBetween(oldObject, newObject *typed.TypedValue, version fieldpath.APIVersion) (changes, error) {
	comparison, err := oldObject.Compare(newObject)
	if err != nil {
		return changes{}, fmt.Errorf("failed to compare objects: %v", err)
	}
	if err := s.checkFilters(); err != nil {
		return changes{}, err
	}
	foundNoDifference := comparison.IsSame()
	comparison = s.trackedChanges(version, comparison)
	written := comparison.Modified
	switch {
	case written.Empty():
		written = comparison.Added
	case !comparison.Added.Empty():
		written = written.Union(comparison.Added)
	}
	return changes{comparison, written, !written.Empty(), !comparison.Removed.Empty(), foundNoDifference}, nil
}

// findLossesAndConflicts returns the list losses, extended by the losses that w causes. Each other
// manager that loses fields, owns nothing, or has a version that no longer exists, gets one or two losses. If
// w.force is not set, the second result has the conflicts: for each other manager, the fields that it
// owns and that w adds or modifies. The caller must have set w.changes.
func (s *Updater) findLossesAndConflicts(w *write, managers fieldpath.ManagedFields, losses []loss) (_ []loss, conflicts fieldpath.ManagedFields, err error) {
	for manager, owned := range managers {
		if manager == w.manager {
			continue
		}
		c, err := s.changesFor(w, owned.APIVersion())
		if err != nil {
			return nil, nil, s.firstChangesError(w, managers, err)
		}
		fields := viewOf(owned)
		if c == nil || fields.empty() {
			losses = append(losses, loss{manager: manager})
			continue
		}
		if c.anyWritten && !fields.disjoint(c.written) {
			losses = append(losses, loss{manager, c.written})
			if !w.force {
				conflicts = recordConflicts(conflicts, manager, owned, c.written)
			}
		}
		if c.anyRemoved && !fields.disjoint(c.Removed) {
			losses = append(losses, loss{manager, c.Removed})
		}
	}
	return losses, conflicts, nil
}

// recordConflicts records conflicts with a manager over the fields that it owns and that are
// written. It returns conflicts, or a new map if conflicts is nil.
func recordConflicts(conflicts fieldpath.ManagedFields, manager string, owned fieldpath.VersionedSet, written *fieldpath.Set) fieldpath.ManagedFields {
	if conflicts == nil {
		conflicts = fieldpath.ManagedFields{}
	}
	conflicts[manager] = fieldpath.NewVersionedSet(owned.Set().Intersection(written), owned.APIVersion(), false)
	return conflicts
}

// changesFor returns the changes of w in the version of another manager. It compares the
// objects only once for each version. It returns nil for a version that no longer exists.
func (s *Updater) changesFor(w *write, version fieldpath.APIVersion) (*changes, error) {
	if version == w.version {
		return &w.changes, nil
	}
	if c, ok := w.otherVersions[version]; ok {
		return c, nil
	}
	c, err := s.convertedChanges(w, version)
	if err != nil {
		return nil, err
	}
	if w.otherVersions == nil {
		w.otherVersions = map[fieldpath.APIVersion]*changes{}
	}
	w.otherVersions[version] = c
	return c, nil
}

// convertedChanges converts the old and the new object of w to a version and compares them. It
// returns nil if the version no longer exists.
func (s *Updater) convertedChanges(w *write, version fieldpath.APIVersion) (*changes, error) {
	before := w.old.inVersion(version)
	if before.missing {
		return nil, nil
	}
	if before.err != nil {
		return nil, fmt.Errorf("failed to convert old object: %w", before.err)
	}
	after := w.new.inVersion(version)
	if after.missing {
		return nil, nil
	}
	if after.err != nil {
		return nil, fmt.Errorf("failed to convert new object: %w", after.err)
	}
	c, err := s.changesBetween(before.object, after.object, version)
	return &c, err
}

// firstChangesError makes errors reproducible. It compares the objects of w in the version of each
// other manager, and returns the error for the manager whose name comes first. If there is no
// error, it returns err, which is the error that occurred before.
func (s *Updater) firstChangesError(w *write, managers fieldpath.ManagedFields, err error) error {
	return firstError(managers, err, func(manager string, owned fieldpath.VersionedSet) error {
		if manager == w.manager {
			return nil
		}
		_, err := s.changesFor(w, owned.APIVersion())
		return err
	})
}

// removeLosses removes the lost fields from the sets of managers. It also removes each
// manager that then owns nothing.
func removeLosses(managers fieldpath.ManagedFields, losses []loss) {
	for _, l := range losses {
		owned, ok := managers[l.manager]
		if !ok {
			continue // an earlier loss of the same manager has removed it
		}
		var rest fieldpath.VersionedSet
		if l.fields != nil {
			rest = subtract(owned, l.fields)
		}
		if rest != nil {
			managers[l.manager] = rest
		} else {
			delete(managers, l.manager)
		}
	}
}
