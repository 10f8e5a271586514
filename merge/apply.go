package merge

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// Apply returns liveObject with configObject, which manager applies, merged
// into it, and the managers after that. It returns a nil object if that changes
// nothing, see UpdaterBuilder.ReturnInputOnNoop. Fields that manager applied
// last time and does not apply now go unless somebody else owns them. Changing
// what others own is an error, of type Conflicts and not wrapped, unless force
// is set. managers is not changed, but the sets of the result may share with it.
//
// With declarative defaults a null that stands for nothing is as good as absent:
// {a: null} and {} are equal (KEP-1929), and neither owns a.
//
// Containers that are merged item by item are new in the returned object and
// may be written to.
func (s *Updater) Apply(liveObject, configObject *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string, force bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	liveObject = liveObject.Spent()
	live := s.versions(liveObject)
	managers, err := s.reconciled(live, managers)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	newObject, changed, err := liveObject.Overlay(configObject)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to merge config: %v", err)
	}
	last := managers[manager]
	var like *fieldpath.Set
	if last != nil && last.APIVersion() == version {
		like = last.Set()
	}
	set, err := configObject.Meant().FieldSetLike(like)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to get field set: %v", err)
	}
	if err := s.checkFilters(); err != nil {
		return nil, nil, err
	}
	set = s.tracked(version, set)
	managers[manager] = fieldpath.NewVersionedSet(set, version, true)
	pruned, err := s.prune(newObject, configObject, managers, manager, last)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to prune fields: %v", err)
	}
	if pruned != newObject {
		newObject, changed = pruned, true
	}
	same := !changed
	if alone(managers, manager) && liveObject.Knows(engine.Valid) && newObject.Knows(engine.Valid) {
		// Nobody else can lose anything, and there is nothing to find wrong.
		if set.Empty() {
			delete(managers, manager)
		}
		same = same || equal(liveObject, newObject)
	} else {
		c, err := s.settle(live, s.versions(newObject), version, managers, manager, force)
		if err != nil {
			return nil, fieldpath.ManagedFields{}, err
		}
		same = same || c.none && equal(liveObject, newObject)
	}
	if same && !s.returnInputOnNoop {
		return nil, managers, nil
	}
	return newObject.Untied(), managers, nil
}

// alone says whether there is no other manager.
func alone(managers fieldpath.ManagedFields, manager string) bool {
	_, ok := managers[manager]
	return ok && len(managers) == 1
}

// equal says whether two objects without a difference are equal too: a null is
// no difference to a container that is empty without it.
func equal(a, b *typed.TypedValue) bool {
	_, x, _ := a.Plain()
	_, y, _ := b.Plain()
	return value.EqualUnstructured(x, y)
}
