// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
	"github.com/dovetail-ssa/dovetail/typed"
)

// removeGivenUpFields returns the merged object without the fields that the applier gave up and that no
// other manager owns. The applier gives up a field if it owned the field before and does not apply it
// now. engine.FindGivenUp has the exact rule. managers must already contain the applier's new set. The
// argument prev is the applier's previous set, from an apply or an update, or nil. The config is used
// only to decide whether an emptied map or list stays, becomes null or is removed (see
// resolveEmptiedContainers).
//
// If prev is empty, or its version no longer exists, the result is the merged object itself. If the
// applier gave up nothing, the result is usually the merged object itself, too. There are two
// exceptions. First, threeStepRemoval returns a copy. The copy is usually equal. Without declarative
// defaults, it can lack item keys that no manager owns. It can also lack maps and lists in which only
// empty lists and values of the wrong kind remain (see engine.FindGivenUp). Second, an atomic root
// becomes null, and so does an empty root without declarative defaults, as in structured-merge-diff.
func (s *Updater) removeGivenUpFields(merged, config *typed.TypedValue, managers fieldpath.ManagedFields, applier string, prev fieldpath.VersionedSet) (*typed.TypedValue, error) {
	if prev == nil || prev.Set().Empty() {
		return merged, nil
	}
	cache := s.newConversionCache(merged)
	c := cache.inVersion(prev.APIVersion())
	if c.missing {
		return merged, nil
	}
	if c.err != nil {
		return nil, fmt.Errorf("failed to convert merged object to last applied version: %w", c.err)
	}
	if c.object == merged {
		// The Converter returned the same object, so merged already is in the version of prev.
		if pruned, ok := removeGivenUpInOneVersion(merged, managers, applier, prev); ok {
			return s.resolveEmptiedContainers(merged, pruned, config, managers, applier)
		}
	}
	r := threeStepRemoval{s, managers, applier, prev}
	pruned, err := r.run(c.object)
	if err != nil {
		return nil, err
	}
	return s.resolveEmptiedContainers(merged, pruned, config, managers, applier)
}

// resolveEmptiedContainers decides whether a map or list that lost all its content becomes null,
// stays empty or is removed. The caller passes the object before and after given-up fields were
// removed. Without declarative defaults, all emptied maps and lists are already null in the pruned
// object, and it is returned unchanged.
func (s *Updater) resolveEmptiedContainers(merged, pruned, config *typed.TypedValue, managers fieldpath.ManagedFields, applier string) (*typed.TypedValue, error) {
	n := operandOf(merged).Node()
	if pruned == merged || !n.Declarative {
		return pruned, nil
	}
	_, before, ok := operandOf(merged).Plain()
	if !ok {
		return pruned, nil
	}
	version := managers[applier].APIVersion()
	setsInVersion, setsByVersion := splitOtherSets(managers, applier)
	var resolvedInVersions []any
	for _, other := range slices.Sorted(maps.Keys(setsByVersion)) {
		object, err := s.resolveEmptiedFor(other, version, merged, pruned, setsByVersion[other])
		if err != nil {
			return nil, err
		}
		resolvedInVersions = append(resolvedInVersions, object)
	}
	out := engine.ResolveEmptied(n, before, plainOf(pruned), plainOf(config), resolvedInVersions, setsInVersion)
	return typedOf(operandOf(merged).With(out)), nil
}

// plainOf returns the value of an object as plain data.
func plainOf(object *typed.TypedValue) any {
	_, plain, _ := operandOf(object).Plain()
	return plain
}

// resolveEmptiedFor keeps the emptied maps and lists that the managers in otherVersion own. It converts
// the pruned object to otherVersion. There, a map or list that lost all its content stays only if one
// of these managers owns it. resolveEmptiedFor then converts the result back to applyVersion. sets has
// the field sets of these managers. merged and pruned are the object before and after given-up fields
// were removed, both in applyVersion. The result is nil if the Converter reports that a version no
// longer exists.
func (s *Updater) resolveEmptiedFor(otherVersion, applyVersion fieldpath.APIVersion, merged, pruned *typed.TypedValue, sets []*fieldpath.Set) (any, error) {
	resolved, err := s.convertAndResolve(otherVersion, applyVersion, merged, pruned, sets)
	if err == nil {
		return plainOf(resolved), nil
	}
	if s.Converter.IsMissingVersionError(err) {
		return nil, nil
	}
	return nil, fmt.Errorf("failed to convert the object to version %v after the applier gave up fields: %w", otherVersion, err)
}

// convertAndResolve does the work of resolveEmptiedFor. It returns errors of the Converter unchanged.
func (s *Updater) convertAndResolve(otherVersion, applyVersion fieldpath.APIVersion, merged, pruned *typed.TypedValue, sets []*fieldpath.Set) (*typed.TypedValue, error) {
	whole, err := s.Converter.Convert(merged, otherVersion)
	if err != nil {
		return nil, err
	}
	part, err := s.Converter.Convert(pruned, otherVersion)
	if err != nil {
		return nil, err
	}
	resolved := engine.ResolveEmptied(operandOf(whole).Node(), plainOf(whole), plainOf(part), nil, nil, sets)
	return s.Converter.Convert(typedOf(operandOf(whole).With(resolved)), applyVersion)
}

// splitOtherSets returns the field sets of all managers except the applier. setsInVersion has the
// sets in the applier's version. setsByVersion has the sets in other versions, by version.
func splitOtherSets(managers fieldpath.ManagedFields, applier string) (setsInVersion []*fieldpath.Set, setsByVersion map[fieldpath.APIVersion][]*fieldpath.Set) {
	setsByVersion = map[fieldpath.APIVersion][]*fieldpath.Set{}
	for manager, owned := range managers {
		switch version := owned.APIVersion(); {
		case manager == applier:
		case version == managers[applier].APIVersion():
			setsInVersion = append(setsInVersion, owned.Set())
		default:
			setsByVersion[version] = append(setsByVersion[version], owned.Set())
		}
	}
	return setsInVersion, setsByVersion
}

// applyExplicitNulls sets maps and lists of object to null. It does so where config has an explicit
// null, the type is nullable, and no other manager owns the map or list or a field inside it. Without
// declarative defaults, it changes nothing. If it changes nothing, it returns object itself.
func (s *Updater) applyExplicitNulls(object, config *typed.TypedValue, managers fieldpath.ManagedFields, applier string) (*typed.TypedValue, error) {
	n := operandOf(object).Node()
	if !n.Declarative {
		return object, nil
	}
	_, plain, ok := operandOf(object).Plain()
	_, applied, has := operandOf(config).Plain()
	if !ok || !has {
		return object, nil
	}
	// Most configs have no such nulls. Without field sets of owners, ApplyNulls applies all nulls of
	// config. If this changes nothing, the field sets of the other managers need not be decoded.
	if _, changed := engine.ApplyNulls(n, plain, applied, nil); !changed {
		return object, nil
	}
	setsInVersion, setsByVersion := splitOtherSets(managers, applier)
	if len(setsByVersion) == 0 {
		if out, changed := engine.ApplyNulls(n, plain, applied, setsInVersion); changed {
			return typedOf(operandOf(object).With(out)), nil
		}
		return object, nil
	}
	// Try the nulls one after the other. Skip a null that would remove an owned field. The variable
	// next is the index of the null to try. It grows only when a null is skipped, because
	// ApplyOneNull does not list nulls that are already applied.
	for next := 0; ; {
		// First remove the map or list in a copy. A null would still be in the field set of the copy, so
		// removesOwnedFields would not find an owner of the map or list itself.
		without, changed := engine.ApplyOneNull(n, plain, applied, setsInVersion, next, true)
		if !changed {
			return object, nil
		}
		owned, err := s.removesOwnedFields(object, typedOf(operandOf(object).With(without)), setsByVersion)
		if err != nil {
			return nil, err
		}
		if owned {
			next++
			continue
		}
		// No manager loses a field by this null, so apply it.
		plain, _ = engine.ApplyOneNull(n, plain, applied, setsInVersion, next, false)
		object = typedOf(operandOf(object).With(plain))
	}
}

// removesOwnedFields reports whether reducing an object takes fields from managers in other
// versions. It compares the object with a reduced copy of it.
func (s *Updater) removesOwnedFields(object, reduced *typed.TypedValue, setsByVersion map[fieldpath.APIVersion][]*fieldpath.Set) (bool, error) {
	for _, version := range slices.Sorted(maps.Keys(setsByVersion)) {
		removed, err := s.removedInVersion(object, reduced, version)
		if err != nil {
			if s.Converter.IsMissingVersionError(err) {
				continue
			}
			return false, fmt.Errorf("failed to convert the object to version %v to find the owners of fields that are applied as null: %w", version, err)
		}
		if slices.ContainsFunc(setsByVersion[version], func(set *fieldpath.Set) bool { return !set.Disjoint(removed) }) {
			return true, nil
		}
	}
	return false, nil
}

// removedInVersion converts an object and a reduced copy of it to another version, and returns the
// fields that the copy lacks there. It compares field sets, because TypedValue.Compare would not
// report a removed field that had its default value: with declarative defaults, an absent field is
// equivalent to its default.
func (s *Updater) removedInVersion(object, reduced *typed.TypedValue, version fieldpath.APIVersion) (*fieldpath.Set, error) {
	before, err := s.fieldsInVersion(object, version)
	if err != nil {
		return nil, err
	}
	after, err := s.fieldsInVersion(reduced, version)
	if err != nil {
		return nil, err
	}
	return before.Difference(after), nil
}

// fieldsInVersion converts an object to another version and returns its field set. The set
// also has the maps and lists that contain each field.
func (s *Updater) fieldsInVersion(object *typed.TypedValue, version fieldpath.APIVersion) (*fieldpath.Set, error) {
	converted, err := s.Converter.Convert(object, version)
	if err != nil {
		return nil, err
	}
	set, err := converted.ToFieldSet()
	if err != nil {
		return nil, err
	}
	return set.EnsureNamedFieldsAreMembers(converted.Schema(), converted.TypeRef()), nil
}

// removeGivenUpInOneVersion removes the same fields as removeGivenUpFields if all managers and prev
// have one version. merged must be in this version. Maps and lists that lose all their content become
// null. With declarative defaults, they become empty, and the caller must call
// resolveEmptiedContainers. The argument prev is the applier's set before this apply. ok is false if
// the caller must use threeStepRemoval instead. The reason is that there are several versions, that
// there is no merged object, or that engine.FindGivenUp cannot find the result.
func removeGivenUpInOneVersion(merged *typed.TypedValue, managers fieldpath.ManagedFields, applier string, prev fieldpath.VersionedSet) (pruned *typed.TypedValue, ok bool) {
	for _, owned := range managers {
		if owned.APIVersion() != prev.APIVersion() {
			return nil, false
		}
	}
	if operandOf(merged).IsNone() {
		return nil, false
	}
	noPathless := operandOf(merged).Knows(engine.NoEmptyLists)
	var removed *fieldpath.Set
	if !surelyKeepsAllFields(merged, managers, applier, prev.Set()) {
		n, tree, _ := operandOf(merged).Plain()
		current := make([]*fieldpath.Set, 1, len(managers)) // FindGivenUp expects the applier's set first
		for manager, owned := range managers {
			if manager == applier {
				current[0] = owned.Set()
			} else {
				current = append(current, owned.Set())
			}
		}
		if removed, ok = engine.FindGivenUp(n, tree, noPathless, prev.Set(), current); !ok {
			return nil, false
		}
	}
	if removed == nil {
		if operandOf(merged).IsEmptyOrAtomic() {
			// The removal can change an empty or atomic root even if there is no path to remove.
			return typedOf(operandOf(merged).WithoutGivenUp(fieldpath.NewSet())), true
		}
		return merged, true
	}
	return typedOf(operandOf(merged).WithoutGivenUp(removed)), true
}

// fewManagers is the largest number of managers for which surelyKeepsAllFields only checks the keys in
// field sets. For more managers, and for lazy sets, it first counts the list items of the object,
// which can be cheaper.
const fewManagers = 2

// surelyKeepsAllFields reports whether cheap checks show that no field of the merged object is removed.
// It may return false negatives, for example because it does not decode the lazy sets of other managers.
// The argument prev is the applier's field set before this apply.
//
// The three steps of structured-merge-diff can remove the keys of an item if no manager owns them,
// even if the applier gave up nothing. So surelyKeepsAllFields also checks that every item keeps its
// keys.
func surelyKeepsAllFields(merged *typed.TypedValue, managers fieldpath.ManagedFields, applier string, prev *fieldpath.Set) bool {
	n := operandOf(merged).Node()
	if !engine.OwnsAllOf(n, operandOf(merged).Knows(engine.NoEmptyLists), prev, managers[applier].Set()) {
		return false
	}
	if n.Declarative {
		return true // every item keeps its keys, even if no manager owns the keys
	}
	if len(managers) > fewManagers || hasLazySet(managers) {
		// If prev names all items of the object, no item can lose its keys. See NamesAllItems.
		if tree, ok := operandOf(merged).BranchesIfMade(); ok && ownedset.NamesAllItems(n, tree, prev) {
			return true
		}
	}
	for _, owned := range managers {
		if !coversKeys(n, prev, owned) {
			return false
		}
	}
	return true
}

// threeStepRemoval removes given-up fields as structured-merge-diff does. It is needed if managers
// use several versions, because a field can have different paths in two versions, or exist in only
// one of them. It is also needed if the applier changes its version. If all managers and prev have one
// version, it is used in two cases. First, the Converter returns an equal copy of an object for the
// object's own version. Second, removeGivenUpInOneVersion cannot find the result, which is rare.
//
// The removal has three steps. The first step removes all fields of the applier's previous set. The
// second step restores the fields that any manager owns now. The third step restores the fields
// that were not in the applier's previous set.
type threeStepRemoval struct {
	*Updater
	managers fieldpath.ManagedFields
	applier  string
	prev     fieldpath.VersionedSet
}

// run returns the merged object without the given-up fields. The merged object is in the version of
// the applier's previous set, and the result is in the applier's current version.
func (r threeStepRemoval) run(merged *typed.TypedValue) (*typed.TypedValue, error) {
	sc, tr := merged.Schema(), merged.TypeRef()
	pruned := removeFields(merged, r.prev.Set().EnsureNamedFieldsAreMembers(sc, tr))
	pruned, err := r.restoreOwned(merged, pruned)
	if err != nil {
		return nil, fmt.Errorf("failed add back owned items: %w", err)
	}
	pruned, err = r.restoreNotGivenUp(merged, pruned)
	if err != nil {
		return nil, fmt.Errorf("failed add back dangling items: %w", err)
	}
	return r.Converter.Convert(pruned, r.managers[r.applier].APIVersion())
}

// restoreOwned restores the fields that managers own, one version after the other. It takes their
// values from the merged object. The version of the applier's previous set comes first, because a
// conversion to another version may need fields that were removed.
//
// For each version, restoreOwned starts with the result of the previous version. So the final
// result is in the version that came last, and the caller must convert it. With declarative defaults,
// restoreOwned visits all versions several times.
func (r threeStepRemoval) restoreOwned(merged, pruned *typed.TypedValue) (*typed.TypedValue, error) {
	owned := map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, manager := range r.managers {
		if set, ok := owned[manager.APIVersion()]; ok {
			owned[manager.APIVersion()] = set.Union(manager.Set())
		} else {
			owned[manager.APIVersion()] = manager.Set()
		}
	}
	rounds := 1
	if operandOf(merged).Node().Declarative {
		// Several rounds can be necessary, because restoring a field in one version can
		// restore a list item that has more owned fields in another version.
		rounds = len(owned)
	}
	for range rounds {
		for _, version := range sortedVersions(r.prev.APIVersion(), owned) {
			var err error
			merged, pruned, err = r.restoreOwnedInVersion(merged, pruned, version, owned[version])
			if err != nil {
				return nil, err
			}
		}
	}
	return pruned, nil
}

// restoreOwnedInVersion restores the fields that managers own in the given version. It returns the
// merged object and the restored object, both converted to that version. If the version no longer
// exists, it returns its arguments.
func (r threeStepRemoval) restoreOwnedInVersion(merged, pruned *typed.TypedValue, version fieldpath.APIVersion, owned *fieldpath.Set) (whole, restored *typed.TypedValue, err error) {
	whole, err = r.Converter.Convert(merged, version)
	if err != nil {
		if r.Converter.IsMissingVersionError(err) {
			return merged, pruned, nil
		}
		return nil, nil, fmt.Errorf("failed to convert merged object at version %v: %w", version, err)
	}
	part, err := r.Converter.Convert(pruned, version)
	if err != nil {
		if r.Converter.IsMissingVersionError(err) {
			return merged, pruned, nil
		}
		return nil, nil, fmt.Errorf("failed to convert pruned object at version %v: %w", version, err)
	}
	wholeSet, err := whole.ToFieldSet()
	if err != nil {
		return nil, nil, fmt.Errorf("failed to create field set from merged object at version %v: %v", version, err)
	}
	partSet, err := part.ToFieldSet()
	if err != nil {
		return nil, nil, fmt.Errorf("failed to create field set from pruned object at version %v: %v", version, err)
	}
	// To restore fields of whole in part, remove all other fields from whole.
	sc, tr := whole.Schema(), whole.TypeRef()
	kept := partSet.EnsureNamedFieldsAreMembers(sc, tr).Union(owned.EnsureNamedFieldsAreMembers(sc, tr))
	return whole, removeFields(whole, wholeSet.EnsureNamedFieldsAreMembers(sc, tr).Difference(kept)), nil
}

// restoreNotGivenUp restores the fields that are not in the applier's previous set, because an apply
// may remove only fields that its applier gave up. The merged object and the result are in the
// version of the applier's previous set. If that version no longer exists, the result is the merged
// object itself, so nothing is removed.
func (r threeStepRemoval) restoreNotGivenUp(merged, pruned *typed.TypedValue) (*typed.TypedValue, error) {
	pruned, err := r.Converter.Convert(pruned, r.prev.APIVersion())
	if err != nil {
		if r.Converter.IsMissingVersionError(err) {
			return merged, nil
		}
		return nil, fmt.Errorf("failed to convert pruned object to last applied version: %w", err)
	}
	prunedSet, err := pruned.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("failed to create field set from pruned object in last applied version: %v", err)
	}
	mergedSet, err := merged.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("failed to create field set from merged object in last applied version: %v", err)
	}
	sc, tr := merged.Schema(), merged.TypeRef()
	prunedSet, mergedSet = prunedSet.EnsureNamedFieldsAreMembers(sc, tr), mergedSet.EnsureNamedFieldsAreMembers(sc, tr)
	prev := r.prev.Set().EnsureNamedFieldsAreMembers(sc, tr)
	// To restore fields of merged in pruned, remove all other fields from merged.
	return removeFields(merged, mergedSet.Difference(prunedSet).Intersection(prev)), nil
}

// removeFields removes the fields in set from object. With declarative defaults, items that stay
// keep their keys.
func removeFields(object *typed.TypedValue, set *fieldpath.Set) *typed.TypedValue {
	if operandOf(object).Node().Declarative {
		return typedOf(operandOf(object).WithoutGivenUp(set))
	}
	return object.RemoveItems(set)
}
