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

// removeGivenUpFields returns merged without the fields that the applier gave up. A field is given
// up if the applier owned it before and does not apply it now, and no other manager owns it.
// engine.FindGivenUp has the exact rule. The argument managers must already have the applier's new
// set. The argument last is the applier's previous set, from an apply or an update, or nil. The
// config only determines which emptied containers stay (see resolveEmptiedContainers).
//
// If last is empty, or its version no longer exists, the result is merged itself. If the applier
// gave up nothing, the result is usually merged itself, too. There are two exceptions. First,
// threeStepRemoval returns an equal copy. Second, an atomic root becomes null, and so does an empty
// root without declarative defaults, as in structured-merge-diff.
func (s *Updater) removeGivenUpFields(merged, config *typed.TypedValue, managers fieldpath.ManagedFields, applier string, last fieldpath.VersionedSet) (*typed.TypedValue, error) {
	if last == nil || last.Set().Empty() {
		return merged, nil
	}
	v := s.newConversionCache(merged)
	c := v.at(last.APIVersion())
	if c.missing {
		return merged, nil
	}
	if c.err != nil {
		return nil, fmt.Errorf("failed to convert merged object to last applied version: %w", c.err)
	}
	if c.object == merged {
		if rest, ok := removeGivenUpInOneVersion(merged, managers, applier, last); ok {
			return s.resolveEmptiedContainers(merged, rest, config, managers, applier)
		}
	}
	r := threeStepRemoval{s, managers, applier, last}
	rest, err := r.run(c.object)
	if err != nil {
		return nil, err
	}
	return s.resolveEmptiedContainers(merged, rest, config, managers, applier)
}

// resolveEmptiedContainers decides whether a map or list that lost all its content becomes null,
// stays empty or is removed. The argument merged is the object before given-up fields were removed,
// and the argument rest is the object afterwards. Without declarative defaults, the result is the
// argument rest, in which all these maps and lists are null.
func (s *Updater) resolveEmptiedContainers(merged, rest, config *typed.TypedValue, managers fieldpath.ManagedFields, applier string) (*typed.TypedValue, error) {
	n := operandOf(merged).Node()
	if rest == merged || !n.Declarative {
		return rest, nil
	}
	_, before, ok := operandOf(merged).Plain()
	if !ok {
		return rest, nil
	}
	version := managers[applier].APIVersion()
	sameVersion, otherVersions := otherSets(managers, applier)
	var kept []any
	for _, v := range slices.Sorted(maps.Keys(otherVersions)) {
		object, err := s.keptInVersion(v, version, merged, rest, otherVersions[v])
		if err != nil {
			return nil, err
		}
		kept = append(kept, object)
	}
	_, after, _ := operandOf(rest).Plain()
	_, applied, _ := operandOf(config).Plain()
	out := engine.ResolveEmptied(n, before, after, applied, kept, sameVersion)
	return typedOf(operandOf(merged).With(out)), nil
}

// keptInVersion returns the object in which an emptied map or list stays only if a manager in the
// version other owns it. The argument merged is the object before given-up fields were removed, and
// the argument rest is the object afterwards. The argument sets has the field sets of the managers
// in the version other. The result is converted back to version. It is nil if the version other no
// longer exists.
func (s *Updater) keptInVersion(other, version fieldpath.APIVersion, merged, rest *typed.TypedValue, sets []*fieldpath.Set) (any, error) {
	kept, err := s.convertKept(other, version, merged, rest, sets)
	if err == nil {
		_, out, _ := operandOf(kept).Plain()
		return out, nil
	}
	if s.Converter.IsMissingVersionError(err) {
		return nil, nil
	}
	return nil, fmt.Errorf("failed to convert the object to version %v after the applier gave up fields: %w", other, err)
}

// convertKept implements keptInVersion. It returns errors of the Converter unchanged.
func (s *Updater) convertKept(other, version fieldpath.APIVersion, merged, rest *typed.TypedValue, sets []*fieldpath.Set) (*typed.TypedValue, error) {
	whole, err := s.Converter.Convert(merged, other)
	if err != nil {
		return nil, err
	}
	part, err := s.Converter.Convert(rest, other)
	if err != nil {
		return nil, err
	}
	_, before, _ := operandOf(whole).Plain()
	_, after, _ := operandOf(part).Plain()
	kept := engine.ResolveEmptied(operandOf(whole).Node(), before, after, nil, nil, sets)
	return s.Converter.Convert(typedOf(operandOf(whole).With(kept)), version)
}

// otherSets returns the field sets of all managers except the applier. sameVersion has the
// sets in the applier's version. otherVersions has the sets in other versions, by version.
func otherSets(managers fieldpath.ManagedFields, applier string) (sameVersion []*fieldpath.Set, otherVersions map[fieldpath.APIVersion][]*fieldpath.Set) {
	otherVersions = map[fieldpath.APIVersion][]*fieldpath.Set{}
	for manager, owned := range managers {
		switch v := owned.APIVersion(); {
		case manager == applier:
		case v == managers[applier].APIVersion():
			sameVersion = append(sameVersion, owned.Set())
		default:
			otherVersions[v] = append(otherVersions[v], owned.Set())
		}
	}
	return sameVersion, otherVersions
}

// applyExplicitNulls sets a map or list to null if three conditions hold: config has an
// explicit null there, the type is nullable, and no other manager owns the map or list or a
// field inside it. Without declarative defaults, it changes nothing. If it changes nothing, it
// returns object itself.
func (s *Updater) applyExplicitNulls(object, config *typed.TypedValue, managers fieldpath.ManagedFields, applier string) (*typed.TypedValue, error) {
	n := operandOf(object).Node()
	if !n.Declarative {
		return object, nil
	}
	_, v, ok := operandOf(object).Plain()
	_, applied, has := operandOf(config).Plain()
	if !ok || !has {
		return object, nil
	}
	if _, some := engine.ApplyNulls(n, v, applied, nil); !some {
		return object, nil
	}
	sameVersion, otherVersions := otherSets(managers, applier)
	if len(otherVersions) == 0 {
		if out, changed := engine.ApplyNulls(n, v, applied, sameVersion); changed {
			return typedOf(operandOf(object).With(out)), nil
		}
		return object, nil
	}
	// Try the nulls one after the other. Skip a null that would remove an owned field. next is
	// the index of the null to try. It grows only when a null is skipped, because ApplyOneNull
	// does not list nulls that are already applied.
	for next := 0; ; {
		without, some := engine.ApplyOneNull(n, v, applied, sameVersion, next, true)
		if !some {
			return object, nil
		}
		owned, err := s.removesOwnedFields(object, typedOf(operandOf(object).With(without)), otherVersions)
		if err != nil {
			return nil, err
		}
		if owned {
			next++
			continue
		}
		v, _ = engine.ApplyOneNull(n, v, applied, sameVersion, next, false)
		object = typedOf(operandOf(object).With(v))
	}
}

// removesOwnedFields reports whether a manager in another version owns a field that object has and
// that the argument rest lacks.
func (s *Updater) removesOwnedFields(object, rest *typed.TypedValue, otherVersions map[fieldpath.APIVersion][]*fieldpath.Set) (bool, error) {
	for _, version := range slices.Sorted(maps.Keys(otherVersions)) {
		removed, err := s.removedInVersion(object, rest, version)
		if err != nil {
			if s.Converter.IsMissingVersionError(err) {
				continue
			}
			return false, fmt.Errorf("failed to convert the object to version %v to find the owners of fields that are applied as null: %w", version, err)
		}
		if slices.ContainsFunc(otherVersions[version], func(set *fieldpath.Set) bool { return !set.Disjoint(removed) }) {
			return true, nil
		}
	}
	return false, nil
}

// removedInVersion converts both objects to version, and returns the fields that object has and the
// argument rest lacks. It compares field sets. TypedValue.Compare would not report a removed field
// that had its default value: with declarative defaults, an absent field is equivalent to its
// default.
func (s *Updater) removedInVersion(object, rest *typed.TypedValue, version fieldpath.APIVersion) (*fieldpath.Set, error) {
	before, err := s.fieldsInVersion(object, version)
	if err != nil {
		return nil, err
	}
	after, err := s.fieldsInVersion(rest, version)
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

// removeGivenUpInOneVersion does the same as removeGivenUpFields for managers that all use one
// version. The argument last is the applier's set before this apply. ok is false if the caller must
// use threeStepRemoval instead: if the managers use several versions, if there is no merged object,
// or if engine.FindGivenUp is uncertain.
func removeGivenUpInOneVersion(merged *typed.TypedValue, managers fieldpath.ManagedFields, applier string, last fieldpath.VersionedSet) (rest *typed.TypedValue, ok bool) {
	for _, owned := range managers {
		if owned.APIVersion() != last.APIVersion() {
			return nil, false
		}
	}
	if operandOf(merged).IsNone() {
		return nil, false
	}
	noEmptyLists := operandOf(merged).Knows(engine.NoEmptyLists)
	var removed *fieldpath.Set
	if !keepsAllFields(merged, managers, applier, last.Set()) {
		n, tree, _ := operandOf(merged).Plain()
		keep := make([]*fieldpath.Set, 1, len(managers))
		for manager, owned := range managers {
			if manager == applier {
				keep[0] = owned.Set()
			} else {
				keep = append(keep, owned.Set())
			}
		}
		if removed, ok = engine.FindGivenUp(n, tree, noEmptyLists, last.Set(), keep); !ok {
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

// fewManagers is the largest number of managers for which keepsAllFields only checks the keys in
// their field sets. For more managers, and for lazy sets, it can be cheaper to walk the object, so
// keepsAllFields tries this first.
const fewManagers = 2

// keepsAllFields reports whether cheap checks show that the applier gives up no field. It may
// return false negatives, for example because it does not decode the lazy sets of other
// managers. last is the applier's field set before this apply.
func keepsAllFields(merged *typed.TypedValue, managers fieldpath.ManagedFields, applier string, last *fieldpath.Set) bool {
	n := operandOf(merged).Node()
	if !engine.OwnsAllOf(n, operandOf(merged).Knows(engine.NoEmptyLists), last, managers[applier].Set()) {
		return false
	}
	if n.Declarative {
		return true // every item keeps its keys, even if no manager owns the keys
	}
	if len(managers) > fewManagers || hasLazySet(managers) {
		if tree, ok := operandOf(merged).BranchesIfMade(); ok && ownedset.NamesAllItems(n, tree, last) {
			return true
		}
	}
	for _, owned := range managers {
		if !coversKeys(n, last, owned) {
			return false
		}
	}
	return true
}

// threeStepRemoval removes given-up fields as structured-merge-diff does. It is needed if
// managers use several versions: a path in one version may be a different path in another
// version, or may be missing there. With one version, it is the fallback for the rare objects for
// which removeGivenUpInOneVersion cannot find the result.
//
// The removal has three steps. First it removes all fields of the applier's last set. Then it
// restores the fields that any manager owns now. Finally it restores the fields that were not
// in the applier's last set.
type threeStepRemoval struct {
	*Updater
	managers fieldpath.ManagedFields
	applier  string
	last     fieldpath.VersionedSet
}

// run removes the given-up fields from merged, which is in the version of the applier's last set.
// It returns the result in the current version of the applier.
func (r threeStepRemoval) run(merged *typed.TypedValue) (*typed.TypedValue, error) {
	sc, tr := merged.Schema(), merged.TypeRef()
	rest := removeFields(merged, r.last.Set().EnsureNamedFieldsAreMembers(sc, tr))
	rest, err := r.restoreOwned(merged, rest)
	if err != nil {
		return nil, fmt.Errorf("failed add back owned items: %w", err)
	}
	rest, err = r.restoreNotGivenUp(merged, rest)
	if err != nil {
		return nil, fmt.Errorf("failed add back dangling items: %w", err)
	}
	return r.Converter.Convert(rest, r.managers[r.applier].APIVersion())
}

// restoreOwned restores the fields that managers own, one version after the other. The argument
// merged is the object before fields were removed, and the argument rest is the object afterwards.
// The version of the applier's last set comes first, because a conversion to another version may
// need fields that were removed.
//
// For each version, restoreOwned starts with the result of the previous version. So the final
// result is in the version that came last, and the caller must convert it.
func (r threeStepRemoval) restoreOwned(merged, rest *typed.TypedValue) (*typed.TypedValue, error) {
	owned := map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, m := range r.managers {
		if set, ok := owned[m.APIVersion()]; ok {
			owned[m.APIVersion()] = set.Union(m.Set())
		} else {
			owned[m.APIVersion()] = m.Set()
		}
	}
	rounds := 1
	if operandOf(merged).Node().Declarative {
		// Several rounds can be necessary, because restoring a field in one version can
		// restore a list item that has more owned fields in another version.
		rounds = len(owned)
	}
	for range rounds {
		for _, version := range sortedVersions(r.last.APIVersion(), owned) {
			var err error
			merged, rest, err = r.restoreOwnedInVersion(merged, rest, version, owned[version])
			if err != nil {
				return nil, err
			}
		}
	}
	return rest, nil
}

// restoreOwnedInVersion restores owned fields in the argument rest, with their values in merged.
// The set owned has the paths that managers own in the given version. restoreOwnedInVersion returns
// merged and the restored object, both converted to that version. If the version no longer exists,
// it returns its arguments.
func (r threeStepRemoval) restoreOwnedInVersion(merged, rest *typed.TypedValue, version fieldpath.APIVersion, owned *fieldpath.Set) (whole, restored *typed.TypedValue, err error) {
	whole, err = r.Converter.Convert(merged, version)
	if err != nil {
		if r.Converter.IsMissingVersionError(err) {
			return merged, rest, nil
		}
		return nil, nil, fmt.Errorf("failed to convert merged object at version %v: %w", version, err)
	}
	part, err := r.Converter.Convert(rest, version)
	if err != nil {
		if r.Converter.IsMissingVersionError(err) {
			return merged, rest, nil
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
	sc, tr := whole.Schema(), whole.TypeRef()
	kept := partSet.EnsureNamedFieldsAreMembers(sc, tr).Union(owned.EnsureNamedFieldsAreMembers(sc, tr))
	return whole, removeFields(whole, wholeSet.EnsureNamedFieldsAreMembers(sc, tr).Difference(kept)), nil
}

// restoreNotGivenUp restores the fields that are not in the applier's last set, because an apply
// may remove only fields that its applier gave up. The argument merged and the result are in the
// version of the applier's last set. If that version no longer exists, the result is merged itself,
// so nothing is removed.
func (r threeStepRemoval) restoreNotGivenUp(merged, rest *typed.TypedValue) (*typed.TypedValue, error) {
	rest, err := r.Converter.Convert(rest, r.last.APIVersion())
	if err != nil {
		if r.Converter.IsMissingVersionError(err) {
			return merged, nil
		}
		return nil, fmt.Errorf("failed to convert pruned object to last applied version: %w", err)
	}
	restSet, err := rest.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("failed to create field set from pruned object in last applied version: %v", err)
	}
	wholeSet, err := merged.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("failed to create field set from merged object in last applied version: %v", err)
	}
	sc, tr := merged.Schema(), merged.TypeRef()
	restSet, wholeSet = restSet.EnsureNamedFieldsAreMembers(sc, tr), wholeSet.EnsureNamedFieldsAreMembers(sc, tr)
	last := r.last.Set().EnsureNamedFieldsAreMembers(sc, tr)
	return removeFields(merged, wholeSet.Difference(restSet).Intersection(last)), nil
}

// removeFields removes set from object in a step of threeStepRemoval. With declarative
// defaults, items that stay keep their keys.
func removeFields(object *typed.TypedValue, set *fieldpath.Set) *typed.TypedValue {
	if operandOf(object).Node().Declarative {
		return typedOf(operandOf(object).WithoutGivenUp(set))
	}
	return object.RemoveItems(set)
}
