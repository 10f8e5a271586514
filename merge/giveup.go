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

// giveUp takes out of merged what the applier owned last time, does not apply
// now, and nobody else owns. It returns merged itself if there is nothing to
// take out.
func (s *Updater) giveUp(merged, config *typed.TypedValue, managers fieldpath.ManagedFields, applier string, last fieldpath.VersionedSet) (*typed.TypedValue, error) {
	if last == nil || last.Set().Empty() {
		return merged, nil
	}
	v := s.versions(merged)
	c := v.at(last.APIVersion())
	if c.missing {
		return merged, nil
	}
	if c.err != nil {
		return nil, fmt.Errorf("failed to convert merged object to last applied version: %v", c.err)
	}
	if c.object == merged {
		if left, ok := giveUpOneVersion(merged, managers, applier, last); ok {
			return s.emptied(merged, left, config, managers, applier)
		}
	}
	t := threeSteps{s, managers, applier, last}
	left, err := t.run(c.object)
	if err != nil {
		return nil, err
	}
	return s.emptied(merged, left, config, managers, applier)
}

// emptied decides, with declarative defaults, what becomes of the containers
// that giving up emptied; without, they are null.
func (s *Updater) emptied(merged, left, config *typed.TypedValue, managers fieldpath.ManagedFields, applier string) (*typed.TypedValue, error) {
	n := in(merged).Node()
	if left == merged || !n.Declarative {
		return left, nil
	}
	_, before, ok := in(merged).Plain()
	if !ok {
		return left, nil
	}
	version := managers[applier].APIVersion()
	others, elsewhere := othersOf(managers, applier)
	var held []any
	for _, v := range slices.Sorted(maps.Keys(elsewhere)) {
		theirs, err := s.heldIn(v, version, merged, left, elsewhere[v])
		if err != nil {
			return nil, err
		}
		held = append(held, theirs)
	}
	_, after, _ := in(left).Plain()
	_, applied, _ := in(config).Plain()
	out, _ := engine.Emptied(n, before, after, applied, held, others)
	return of(in(merged).With(out)), nil
}

// heldIn returns what is left of merged for those who own sets in another version, as it
// is in version: what they own of it stays, though it be empty. It is nil if that version
// is not there.
func (s *Updater) heldIn(other, version fieldpath.APIVersion, merged, left *typed.TypedValue, sets []*fieldpath.Set) (any, error) {
	was, err := s.Converter.Convert(merged, other)
	if err == nil {
		var is *typed.TypedValue
		if is, err = s.Converter.Convert(left, other); err == nil {
			_, before, _ := in(was).Plain()
			_, after, _ := in(is).Plain()
			theirs, _ := engine.Emptied(in(was).Node(), before, after, nil, nil, sets)
			if is, err = s.Converter.Convert(of(in(was).With(theirs)), version); err == nil {
				_, out, _ := in(is).Plain()
				return out, nil
			}
		}
	}
	if s.Converter.IsMissingVersionError(err) {
		return nil, nil
	}
	return nil, fmt.Errorf("failed to convert what is left at version %v: %v", other, err)
}

// othersOf returns the sets of all managers but one, those of its version and those of
// others.
func othersOf(managers fieldpath.ManagedFields, applier string) (here []*fieldpath.Set, elsewhere map[fieldpath.APIVersion][]*fieldpath.Set) {
	elsewhere = map[fieldpath.APIVersion][]*fieldpath.Set{}
	for manager, owned := range managers {
		switch v := owned.APIVersion(); {
		case manager == applier:
		case v == managers[applier].APIVersion():
			here = append(here, owned.Set())
		default:
			elsewhere[v] = append(elsewhere[v], owned.Set())
		}
	}
	return here, elsewhere
}

// nulled makes null, with declarative defaults, of the maps and lists of object that
// config has as null, and of which nobody else owns anything.
func (s *Updater) nulled(object, config *typed.TypedValue, managers fieldpath.ManagedFields, applier string) (*typed.TypedValue, error) {
	n := in(object).Node()
	if !n.Declarative {
		return object, nil
	}
	_, v, ok := in(object).Plain()
	_, applied, has := in(config).Plain()
	if !ok || !has {
		return object, nil
	}
	if _, some := engine.Nulled(n, v, applied, nil); !some {
		return object, nil
	}
	others, elsewhere := othersOf(managers, applier)
	if len(elsewhere) == 0 {
		if out, changed := engine.Nulled(n, v, applied, others); changed {
			return of(in(object).With(out)), nil
		}
		return object, nil
	}
	for kept := 0; ; {
		without, some := engine.NulledOnly(n, v, applied, others, kept, true)
		if !some {
			return object, nil
		}
		held, err := s.lose(object, of(in(object).With(without)), elsewhere)
		if err != nil {
			return nil, err
		}
		if held {
			kept++
			continue
		}
		v, _ = engine.NulledOnly(n, v, applied, others, kept, false)
		object = of(in(object).With(v))
	}
}

// lose says whether managers of other versions own any of what object has and left has
// not.
func (s *Updater) lose(object, left *typed.TypedValue, elsewhere map[fieldpath.APIVersion][]*fieldpath.Set) (bool, error) {
	for _, version := range slices.Sorted(maps.Keys(elsewhere)) {
		was, err := s.fieldsAt(object, version)
		if err == nil {
			var is *fieldpath.Set
			if is, err = s.fieldsAt(left, version); err == nil {
				gone := was.Difference(is)
				if slices.ContainsFunc(elsewhere[version], func(set *fieldpath.Set) bool { return !set.Disjoint(gone) }) {
					return true, nil
				}
				continue
			}
		}
		if !s.Converter.IsMissingVersionError(err) {
			return false, fmt.Errorf("failed to convert what is applied as null at version %v: %v", version, err)
		}
	}
	return false, nil
}

// fieldsAt returns the fields of an object in another version, with all that lead there.
func (s *Updater) fieldsAt(object *typed.TypedValue, version fieldpath.APIVersion) (*fieldpath.Set, error) {
	there, err := s.Converter.Convert(object, version)
	if err != nil {
		return nil, err
	}
	set, err := there.ToFieldSet()
	if err != nil {
		return nil, err
	}
	return set.EnsureNamedFieldsAreMembers(there.Schema(), there.TypeRef()), nil
}

// giveUpOneVersion is giveUp where all managers speak one version. ok is false if
// they do not, or if the outcome takes the long way.
func giveUpOneVersion(merged *typed.TypedValue, managers fieldpath.ManagedFields, applier string, last fieldpath.VersionedSet) (left *typed.TypedValue, ok bool) {
	for _, owned := range managers {
		if owned.APIVersion() != last.APIVersion() {
			return nil, false
		}
	}
	if in(merged).IsNone() {
		return nil, false
	}
	full := in(merged).Knows(engine.Full)
	var gone *fieldpath.Set
	if !nothingGone(merged, managers, applier, last.Set()) {
		n, tree, _ := in(merged).Plain()
		keep := make([]*fieldpath.Set, 1, len(managers))
		for manager, owned := range managers {
			if manager == applier {
				keep[0] = owned.Set()
			} else {
				keep = append(keep, owned.Set())
			}
		}
		if gone, ok = engine.GivenUp(n, tree, full, last.Set(), keep); !ok {
			return nil, false
		}
	}
	if gone == nil {
		if in(merged).Pathless() {
			// Taking nothing away from an object without fields leaves null.
			return of(in(merged).GiveUp(fieldpath.NewSet())), true
		}
		return merged, true
	}
	return of(in(merged).GiveUp(gone)), true
}

// fewManagers is up to how many managers whose sets were read asking each costs less than
// looking at the object.
const fewManagers = 2

// nothingGone says whether it is known, without the sets of the others, that the
// applier gave nothing up.
func nothingGone(merged *typed.TypedValue, managers fieldpath.ManagedFields, applier string, last *fieldpath.Set) bool {
	n := in(merged).Node()
	if !engine.Kept(n, in(merged).Knows(engine.Full), last, managers[applier].Set()) {
		return false
	}
	if n.Declarative {
		return true // items keep their keys whoever owns them
	}
	if len(managers) > fewManagers || anyUnread(managers) {
		if tree, ok := in(merged).BranchesIfMade(); ok && ownedset.AllNamed(n, tree, last) {
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

// threeSteps is giveUp in three steps, which is what several versions take: a path of
// one version may be another, or none, in the next.
type threeSteps struct {
	*Updater
	managers fieldpath.ManagedFields
	applier  string
	last     fieldpath.VersionedSet
}

// run takes out of merged, which is in the version of last, and returns the result
// in the version of the applier.
func (t threeSteps) run(merged *typed.TypedValue) (*typed.TypedValue, error) {
	sc, tr := merged.Schema(), merged.TypeRef()
	left := takeOut(merged, t.last.Set().EnsureNamedFieldsAreMembers(sc, tr))
	left, err := t.putBackOwned(merged, left)
	if err != nil {
		return nil, fmt.Errorf("failed add back owned items: %v", err)
	}
	left, err = t.putBackOthers(merged, left)
	if err != nil {
		return nil, fmt.Errorf("failed add back dangling items: %v", err)
	}
	return t.Converter.Convert(left, t.managers[t.applier].APIVersion())
}

// putBackOwned puts back what somebody owns in some version. The version of
// last comes first, since a conversion may need fields that are gone by now.
func (t threeSteps) putBackOwned(merged, left *typed.TypedValue) (*typed.TypedValue, error) {
	owned := map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, m := range t.managers {
		if set, ok := owned[m.APIVersion()]; ok {
			owned[m.APIVersion()] = set.Union(m.Set())
		} else {
			owned[m.APIVersion()] = m.Set()
		}
	}
	rounds := 1
	if in(merged).Node().Declarative {
		// An item that is owned in one version is what somebody has something in, in
		// another.
		rounds = len(owned)
	}
	for range rounds {
		for _, version := range versionsFrom(t.last.APIVersion(), owned) {
			var err error
			merged, left, err = t.putBackAt(merged, left, version, owned[version])
			if err != nil {
				return nil, err
			}
		}
	}
	return left, nil
}

// putBackAt puts back what is owned in one version. Where the object cannot be
// had in that version, nothing changes.
func (t threeSteps) putBackAt(merged, left *typed.TypedValue, version fieldpath.APIVersion, owned *fieldpath.Set) (*typed.TypedValue, *typed.TypedValue, error) {
	whole, err := t.Converter.Convert(merged, version)
	if err != nil {
		if t.Converter.IsMissingVersionError(err) {
			return merged, left, nil
		}
		return nil, nil, fmt.Errorf("failed to convert merged object at version %v: %v", version, err)
	}
	rest, err := t.Converter.Convert(left, version)
	if err != nil {
		if t.Converter.IsMissingVersionError(err) {
			return merged, left, nil
		}
		return nil, nil, fmt.Errorf("failed to convert pruned object at version %v: %v", version, err)
	}
	wholeSet, err := whole.ToFieldSet()
	if err != nil {
		return nil, nil, fmt.Errorf("failed to create field set from merged object at version %v: %v", version, err)
	}
	restSet, err := rest.ToFieldSet()
	if err != nil {
		return nil, nil, fmt.Errorf("failed to create field set from pruned object at version %v: %v", version, err)
	}
	sc, tr := whole.Schema(), whole.TypeRef()
	stays := restSet.EnsureNamedFieldsAreMembers(sc, tr).Union(owned.EnsureNamedFieldsAreMembers(sc, tr))
	return whole, takeOut(whole, wholeSet.EnsureNamedFieldsAreMembers(sc, tr).Difference(stays)), nil
}

// putBackOthers puts back what the applier did not own last time: only what it
// gave up itself may go.
func (t threeSteps) putBackOthers(merged, left *typed.TypedValue) (*typed.TypedValue, error) {
	left, err := t.Converter.Convert(left, t.last.APIVersion())
	if err != nil {
		if t.Converter.IsMissingVersionError(err) {
			return merged, nil
		}
		return nil, fmt.Errorf("failed to convert pruned object to last applied version: %v", err)
	}
	rest, err := left.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("failed to create field set from pruned object in last applied version: %v", err)
	}
	whole, err := merged.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("failed to create field set from merged object in last applied version: %v", err)
	}
	sc, tr := merged.Schema(), merged.TypeRef()
	rest, whole = rest.EnsureNamedFieldsAreMembers(sc, tr), whole.EnsureNamedFieldsAreMembers(sc, tr)
	last := t.last.Set().EnsureNamedFieldsAreMembers(sc, tr)
	return takeOut(merged, whole.Difference(rest).Intersection(last)), nil
}

// takeOut takes set from object in one of the three steps.
func takeOut(object *typed.TypedValue, set *fieldpath.Set) *typed.TypedValue {
	if in(object).Node().Declarative {
		return of(in(object).GiveUp(set))
	}
	return object.RemoveItems(set)
}
