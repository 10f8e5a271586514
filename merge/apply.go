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

// Apply merges configObject into liveObject. The parameter manager names the applier. Apply returns the
// merged object and the new managers. The object is nil if it would equal liveObject, unless
// UpdaterBuilder.ReturnInputOnNoop is set. The managers can change even if the object does not, so
// always store them.
//
// If Apply removes all fields of the object, the value of the returned object is null, as in
// structured-merge-diff. With declarative defaults, it is an empty map or list instead. An object of
// an atomic type can also become null.
//
// Apply removes the fields that the applier owned before and does not apply now, unless another manager
// owns them. There is one exception. If the applier owned a list item or an undeclared map entry, and
// nobody owns it now, Apply removes it as a whole, even if another manager owns fields inside. Apply
// also removes fields that the same name owns by an Update, so use different names for applies and
// updates.
//
// Changing a field of another manager is a conflict. Without force, Apply then returns an error of
// type Conflicts, which is not wrapped. Other errors come from the Converter, or report values that
// cannot be merged, for example two items of configObject with equal keys. Apply also returns an
// error if the schema lacks a type, or if the Updater has both IgnoredFields and IgnoreFilter.
//
// Both objects must have the same type and be in the given version. To create an object, pass an
// empty liveObject, not nil. Apply does not modify managers, but the returned sets may share memory
// with the sets in managers. Maps and lists that are merged item by item are new in the returned
// object, so callers may modify them. Other maps and lists, such as atomic ones, may share memory
// with liveObject or configObject. Copy them before you modify them. If the result is a Go value that
// the Converter returned, all of it may share memory with other results of the Converter.
func (s *Updater) Apply(liveObject, configObject *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string, force bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	liveObject = forOneUse(liveObject)
	live := s.newConversionCache(liveObject)
	managers, err := s.reconcileManagers(&live, managers)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	// Like structured-merge-diff, Apply puts the text of findings into its errors, but does not wrap
	// them.
	merged, changed, findings := operandOf(liveObject).Overlay(operandOf(configObject))
	if findings != nil {
		return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to merge config: %v", findings)
	}
	newObject := typedOf(merged)
	prev := managers[manager]
	var hint *fieldpath.Set
	if prev != nil && prev.APIVersion() == version {
		hint = prev.Set()
	}
	configSet, findings := operandOf(configObject).FieldSet(hint)
	if findings != nil {
		return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to get field set: %v", findings)
	}
	if err := s.checkFilters(); err != nil {
		return nil, nil, err
	}
	// claimed has the fields of the config, except for nulls that mean an absent field.
	claimed, err := fieldsWithoutAbsentNulls(configObject, configSet)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to get field set: %v", err)
	}
	// The next steps read the field sets of all managers, so they need the applier's new set.
	recordSet := func(set *fieldpath.Set) (tracked *fieldpath.Set) {
		tracked = s.trackedFields(version, set)
		managers[manager] = fieldpath.NewVersionedSet(tracked, version, true)
		return tracked
	}
	tracked := recordSet(claimed)
	pruned, err := s.removeGivenUpFields(newObject, configObject, managers, manager, prev)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to prune fields: %w", err)
	}
	if pruned != newObject {
		newObject, changed = pruned, true
	}
	withNulls, err := s.applyExplicitNulls(newObject, configObject, managers, manager)
	if err != nil {
		return nil, fieldpath.ManagedFields{}, err
	}
	if withNulls != newObject {
		newObject, changed = withNulls, true
	}
	if claimed != configSet {
		// The config has nulls that mean an absent field. The applier owns some of them, but only
		// the complete object shows which ones.
		var owned *fieldpath.Set
		if owned, err = addOwnedNulls(claimed, configSet, newObject); err != nil {
			return nil, fieldpath.ManagedFields{}, fmt.Errorf("failed to get field set: %v", err)
		}
		tracked = recordSet(owned)
	}
	// changed can be true although the objects are equal (see Overlay). So if changed is true, compare
	// them.
	same := !changed
	if isOnlyManager(managers, manager) && operandOf(liveObject).Knows(engine.Valid) && operandOf(newObject).Knows(engine.Valid) {
		// Do not compare the fields: no other manager can lose a field, and comparing two valid
		// objects returns no error.
		if tracked.Empty() {
			delete(managers, manager)
		}
		same = same || equalObjects(liveObject, newObject)
	} else {
		w := write{manager: manager, version: version, old: live, new: s.newConversionCache(newObject), force: force}
		if err := s.revokeUnlessConflicts(&w, managers); err != nil {
			return nil, fieldpath.ManagedFields{}, err
		}
		same = same || w.changes.foundNoDifference && equalObjects(liveObject, newObject)
	}
	if same && !s.returnInputOnNoop {
		return nil, managers, nil
	}
	if newObject != liveObject && isGoValue(newObject) {
		return newObject, managers, nil // the Converter made the object, so it is not copied
	}
	return typedOf(operandOf(newObject).Writable()), managers, nil
}

// operandOf converts an object to the corresponding type of the internal packages.
func operandOf(object *typed.TypedValue) *operand.Value { return (*operand.Value)(object) }

// typedOf converts an object back to the public type.
func typedOf(o *operand.Value) *typed.TypedValue { return (*typed.TypedValue)(o) }

// forOneUse prepares the live object for one Apply. If the object is a Go struct that was not used
// before, Apply converts it to maps and lists once, and may put these into its result without a copy.
// Inside Apply, use only the returned object. Do not keep it after Apply. The caller's object stays
// usable. See [operand.Value.ForOneUse].
func forOneUse(object *typed.TypedValue) *typed.TypedValue {
	return typedOf(operandOf(object).ForOneUse())
}

// fieldsWithoutAbsentNulls returns the field set of config, except for nulls that mean an absent
// field. Nulls have this meaning only with declarative defaults, for fields that are not nullable and
// have no default. A map that contains only such nulls counts as empty, so the result has the path of
// the map itself. configSet is the complete field set of config. If there is nothing to omit, the
// result is configSet itself, and Apply relies on this.
func fieldsWithoutAbsentNulls(config *typed.TypedValue, configSet *fieldpath.Set) (*fieldpath.Set, error) {
	without := typedOf(operandOf(config).WithoutAbsentNulls())
	if without == config {
		return configSet, nil
	}
	return without.ToFieldSet()
}

// addOwnedNulls adds the nulls that the applier owns to its field set. configSet has all fields of the
// config. claimed has the same fields, except nulls that mean an absent field. object is the complete
// result of the apply.
//
// The applier owns a null if object does not have the field. If object has the field, the null
// means the same as omitting the field, because {a: null} and {} are equal (KEP-1929).
func addOwnedNulls(claimed, configSet *fieldpath.Set, object *typed.TypedValue) (*fieldpath.Set, error) {
	existing, err := object.ToFieldSet()
	if err != nil {
		return nil, err
	}
	existing = existing.EnsureNamedFieldsAreMembers(object.Schema(), object.TypeRef())
	return claimed.Union(configSet.Difference(claimed).Difference(existing)), nil
}

// isOnlyManager reports whether managers has exactly one manager, the given one.
func isOnlyManager(managers fieldpath.ManagedFields, manager string) bool {
	_, ok := managers[manager]
	return ok && len(managers) == 1
}

// equalObjects reports whether two objects are equal. Unlike Compare, it also detects a different
// order of list items, a different root value, and a null that stands for a default. If both
// objects are Go values, it compares the Go values, as structured-merge-diff does: Go slices are then
// compared with reflect.DeepEqual. With declarative defaults, which structured-merge-diff does not
// have, it always compares the plain data.
func equalObjects(a, b *typed.TypedValue) bool {
	if isGoValue(a) && isGoValue(b) && !operandOf(a).Node().Declarative {
		return value.Equals(a.AsValue(), b.AsValue())
	}
	return operandOf(a).Equal(operandOf(b))
}

// isGoValue reports whether an object wraps a Go value such as a struct, instead of plain data
// (map[string]any, []any and scalars).
func isGoValue(object *typed.TypedValue) bool { return operandOf(object).IsGo() }
