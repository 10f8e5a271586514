package merge

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Update returns newObject, which manager writes in place of liveObject, and
// the managers after that. What manager changes is its own from then on and
// nobody else's. liveObject is empty, not nil, when an object is created.
// managers is not changed.
func (s *Updater) Update(liveObject, newObject *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	live := s.versions(liveObject)
	managers, err := s.reconciled(live, managers)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	c, err := s.settle(live, s.versions(newObject), version, managers, manager, true)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	var set *fieldpath.Set
	if owned, ok := managers[manager]; ok {
		set = owned.Set()
	} else {
		set = &fieldpath.Set{}
	}
	if !c.Removed.Empty() {
		set = set.Difference(c.Removed)
	}
	if !c.written.Empty() {
		set = set.Union(c.written)
	}
	set = s.tracked(version, set)
	if set.Empty() {
		delete(managers, manager)
	} else {
		managers[manager] = fieldpath.NewVersionedSet(set, version, false)
	}
	return newObject, managers, nil
}
