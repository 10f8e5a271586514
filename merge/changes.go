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
	// none says that nothing has changed, tracked or not.
	none bool
}

// changes returns of a comparison what is tracked.
func (s *Updater) changes(version fieldpath.APIVersion, c *typed.Comparison) *changes {
	none := c.IsSame()
	c = s.trackedChanges(version, c)
	written := c.Modified
	switch {
	case written.Empty():
		written = c.Added
	case !c.Added.Empty():
		written = written.Union(c.Added)
	}
	return &changes{c, written, none}
}

// settle takes from all managers but one what that one has changed. managers is
// written to. Unless force is set, changing what others own is an error, of
// type Conflicts, and managers is left as it was but for managers of missing
// versions and managers that own nothing.
func (s *Updater) settle(oldObject, newObject *versions, version fieldpath.APIVersion, managers fieldpath.ManagedFields, workflow string, force bool) (*changes, error) {
	comparison, err := oldObject.object.Compare(newObject.object)
	if err != nil {
		return nil, fmt.Errorf("failed to compare objects: %v", err)
	}
	if err := s.checkFilters(); err != nil {
		return nil, err
	}
	own := s.changes(version, comparison)
	others := map[fieldpath.APIVersion]*changes{} // by version

	var conflicts fieldpath.ManagedFields
	type loss struct {
		manager string
		set     *fieldpath.Set
	}
	var losses []loss
	for manager, owned := range managers {
		if manager == workflow {
			continue
		}
		v := owned.APIVersion()
		c := own
		if v != version {
			var ok bool
			if c, ok = others[v]; !ok {
				if c, err = s.changesAt(oldObject, newObject, v); err != nil {
					return nil, err
				}
				others[v] = c
			}
		}
		if c == nil {
			delete(managers, manager)
			continue
		}
		if empty(owned) {
			delete(managers, manager)
			continue
		}
		if !disjoint(owned, c.written) {
			if !force {
				if conflicts == nil {
					conflicts = fieldpath.ManagedFields{}
				}
				conflicts[manager] = fieldpath.NewVersionedSet(owned.Set().Intersection(c.written), v, false)
			}
			losses = append(losses, loss{manager, c.written})
		}
		if !disjoint(owned, c.Removed) {
			losses = append(losses, loss{manager, c.Removed})
		}
	}
	if len(conflicts) != 0 {
		return nil, ConflictsFromManagers(conflicts)
	}
	for _, l := range losses {
		take(managers, l.manager, l.set)
	}
	if owned, ok := managers[workflow]; ok && owned.Set().Empty() {
		delete(managers, workflow)
	}
	return own, nil
}

// take takes set from a manager, which goes when nothing is left to it.
func take(managers fieldpath.ManagedFields, manager string, set *fieldpath.Set) {
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
	before, after := oldObject.at(version), conversion{}
	if before.missing {
		return nil, nil
	}
	if before.err != nil {
		return nil, fmt.Errorf("failed to convert old object: %v", before.err)
	}
	after = newObject.at(version)
	if after.missing {
		return nil, nil
	}
	if after.err != nil {
		return nil, fmt.Errorf("failed to convert new object: %v", after.err)
	}
	comparison, err := before.object.Compare(after.object)
	if err != nil {
		return nil, fmt.Errorf("failed to compare objects: %v", err)
	}
	return s.changes(version, comparison), nil
}
