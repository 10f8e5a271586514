// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/operand"
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
// liveObject is empty, not nil, when there is none yet. Both objects are in the version
// given, and of one type. Other errors than Conflicts are the Converter's, or say which
// part of configObject cannot be merged, as for two items of one identity.
//
// Containers that are merged item by item are new in the returned object and
// may be written to.
func (s *Updater) Apply(liveObject, configObject *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string, force bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	liveObject = of(in(liveObject).Consumed())
	live := s.versions(liveObject)
	managers, err := s.reconciled(live, managers)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	merged, changed, found := in(liveObject).Overlay(in(configObject))
	if found != nil {
		return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to merge config: %v", found)
	}
	newObject := of(merged)
	last := managers[manager]
	var prev *fieldpath.Set
	if last != nil && last.APIVersion() == version {
		prev = last.Set()
	}
	set, found := in(configObject).FieldSet(prev)
	if found != nil {
		return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to get field set: %v", found)
	}
	if err := s.checkFilters(); err != nil {
		return nil, nil, err
	}
	asked, err := askedFor(configObject, set)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to get field set: %v", err)
	}
	own := func(set *fieldpath.Set) *fieldpath.Set {
		set = s.tracked(version, set)
		managers[manager] = fieldpath.NewVersionedSet(set, version, true)
		return set
	}
	tracked := own(asked)
	left, err := s.giveUp(newObject, configObject, managers, manager, last)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to prune fields: %v", err)
	}
	if left != newObject {
		newObject, changed = left, true
	}
	nulled, err := s.nulled(newObject, configObject, managers, manager)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	if nulled != newObject {
		newObject, changed = nulled, true
	}
	if asked != set {
		if set, err = withNulls(asked, set, newObject); err != nil {
			return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to get field set: %v", err)
		}
		tracked = own(set)
	}
	same := !changed
	if alone(managers, manager) && in(liveObject).Knows(engine.Valid) && in(newObject).Knows(engine.Valid) {
		// Nobody else can lose anything, and there is nothing to find wrong.
		if tracked.Empty() {
			delete(managers, manager)
		}
		same = same || equal(liveObject, newObject)
	} else {
		c, err := s.take(live, s.versions(newObject), version, managers, nil, manager, force)
		if err != nil {
			return nil, fieldpath.ManagedFields{}, err
		}
		same = same || c.none && equal(liveObject, newObject)
	}
	if same && !s.returnInputOnNoop {
		return nil, managers, nil
	}
	if newObject != liveObject && isGo(newObject) {
		return newObject, managers, nil // as the Converter gave it
	}
	return of(in(newObject).Writable()), managers, nil
}

// in returns an object as the packages of this module see it; of goes back.
func in(object *typed.TypedValue) *operand.Value { return (*operand.Value)(object) }

func of(o *operand.Value) *typed.TypedValue { return (*typed.TypedValue)(o) }

// askedFor returns what of set, the paths of config, asks for something to stay:
// with declarative defaults, nulls that stand for nothing do not.
func askedFor(config *typed.TypedValue, set *fieldpath.Set) (*fieldpath.Set, error) {
	meant := of(in(config).WithoutNulls())
	if meant == config {
		return set, nil
	}
	return meant.ToFieldSet()
}

// withNulls returns what the applier of a configuration with the paths set, of
// which it asks for asked, comes to own of object. A null that stands for nothing
// is owned, since it is written, where there is nothing. Where somebody else has
// the field it is as good as absent: {a: null} and {} are equal (KEP-1929), and
// neither holds what is there.
func withNulls(asked, set *fieldpath.Set, object *typed.TypedValue) (*fieldpath.Set, error) {
	held, err := object.ToFieldSet()
	if err != nil {
		return nil, err
	}
	held = held.EnsureNamedFieldsAreMembers(object.Schema(), object.TypeRef())
	nulls := set.Difference(asked)
	if nulls.Disjoint(held) {
		return set, nil
	}
	return asked.Union(nulls.Difference(held)), nil
}

// alone says whether there is no other manager.
func alone(managers fieldpath.ManagedFields, manager string) bool {
	_, ok := managers[manager]
	return ok && len(managers) == 1
}

// equal says whether two objects without a difference are equal too: a null is
// no difference to a container that is empty without it. Go values, which a Converter
// may give, are compared as such.
func equal(a, b *typed.TypedValue) bool {
	if isGo(a) && isGo(b) && !in(a).Node().Declarative {
		return value.Equals(a.AsValue(), b.AsValue())
	}
	return in(a).Equal(in(b))
}

// isGo says whether an object was made of a Go value that is no plain data.
func isGo(object *typed.TypedValue) bool { return in(object).IsGo() }
