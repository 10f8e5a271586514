// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
)

// Entry holds the fields that an owner owns. The paths in Set are paths of the object in the
// version that Version names.
type Entry struct {
	Version string
	Applied bool
	Set     Set
}

// Managers maps the name of each owner of an object to its entry.
type Managers map[string]Entry

// Model describes all versions of one kind, and implements the writes to its objects.
type Model struct {
	Types map[string]*Type
	// Convert converts an object from one version to another. It must return ErrGone if one of
	// the versions is no longer served. Convert may be nil if there is only one version.
	Convert func(v any, from, to string) (any, error)
	// Untracked is the set of fields that nobody can own. Nobody can own anything below these
	// fields either (rule L11).
	Untracked Set
}

// ErrGone is the error that Model.Convert returns if one of the two versions is no longer
// served.
var ErrGone = errors.New("no such version")

func (m *Model) convert(v any, from, to string) (any, error) {
	if from == to {
		return v, nil
	}
	if m.Convert == nil {
		return nil, ErrGone
	}
	return m.Convert(v, from, to)
}

// to converts a value from one version to another. Both versions must be served. It fails if the
// result is not a valid object of the new version (rule R2).
func (m *Model) to(version string, v any, from string) (any, error) {
	out, err := m.convert(v, from, version)
	if err != nil || from == version {
		return out, err // rule N3
	}
	return out, Refuse(out, m.Types[version], true)
}

// Conflict is a field that another manager owns and that an apply would change.
type Conflict struct {
	Manager string
	Path    Path
}

// Update performs a write that is not an apply. It stores the object as sent, and returns it
// with the new owners (rule O2). It fails if a conversion fails (rule N3).
func (m *Model) Update(live, object any, version string, owners Managers, manager string) (any, Managers, error) {
	owners, err := m.read(live, version, owners)
	if err != nil {
		return nil, nil, err
	}
	owners, _, change, err := m.changes(live, object, version, owners, manager)
	if err != nil {
		return nil, nil, err
	}
	set := owners[manager].Set // the old entry may have a different version
	set = union(union(difference(set, change.Removed), change.Modified), change.Added)
	delete(owners, manager)
	if len(set) > 0 {
		owners[manager] = Entry{version, false, set}
	}
	return object, owners, nil
}

// Apply merges a config into an object, and returns the result with its new owners (rule O1). If
// there are conflicts and force is false, it returns only the conflicts. It fails if the result
// is not a valid object (rule R2) or if a conversion fails (rule N3).
func (m *Model) Apply(live, config any, version string, owners Managers, manager string, force bool) (any, Managers, []Conflict, error) {
	owners, err := m.read(live, version, owners)
	if err != nil {
		return nil, nil, nil, err
	}
	last := owners[manager]
	object := Merge(live, config, m.Types[version])
	owners[manager] = Entry{version, true, m.tracked(FieldSet(config, m.Types[version]))}
	if len(last.Set) > 0 {
		if object, err = m.giveUp(object, version, last, owners); err != nil {
			return nil, nil, nil, err
		}
		if err = Refuse(object, m.Types[version], true); err != nil {
			return nil, nil, nil, err
		}
	}
	owners, conflicts, _, err := m.changes(live, object, version, owners, manager)
	if err != nil || len(conflicts) > 0 && !force {
		return nil, nil, conflicts, err
	}
	return object, owners, nil, nil
}

// read converts stored field sets to the current schema. It drops owners whose version is no
// longer served (rule N2).
func (m *Model) read(live any, version string, owners Managers) (Managers, error) {
	out := Managers{}
	for name, e := range owners {
		if _, err := m.convert(live, version, e.Version); err == nil {
			out[name] = Entry{e.Version, e.Applied, reconciled(e.Set, m.Types[e.Version])}
		} else if err != ErrGone {
			return nil, err // rule N3
		}
	}
	return out, nil
}

// changes compares the live object with the object that a manager writes. It returns the owners
// after the write: all managers except the writer lose the fields that the write changes. It
// returns a conflict for each field that the write adds or modifies and that another manager
// owns (rules O3, O4). It also returns the comparison of the two objects in the given version.
func (m *Model) changes(live, object any, version string, owners Managers, manager string) (Managers, []Conflict, Comparison, error) {
	after := Managers{}
	var conflicts []Conflict
	for name, e := range owners {
		if name != manager {
			before, _ := m.convert(live, version, e.Version) // rule N1
			now, err := m.convert(object, version, e.Version)
			if err != nil {
				return nil, nil, Comparison{}, err // rule N3
			}
			c := m.compare(before, now, e.Version)
			lost := intersection(e.Set, union(c.Modified, c.Added))
			for p := range lost {
				conflicts = append(conflicts, Conflict{name, p})
			}
			e.Set = difference(difference(e.Set, lost), c.Removed)
		}
		if len(e.Set) > 0 {
			after[name] = e
		}
	}
	slices.SortFunc(conflicts, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.Path, b.Path))
	})
	return after, conflicts, m.compare(live, object, version), nil
}

// compare compares two objects. The result does not contain untracked fields.
func (m *Model) compare(old, new any, version string) Comparison {
	c := Compare(old, new, m.Types[version])
	return Comparison{m.tracked(c.Removed), m.tracked(c.Modified), m.tracked(c.Added)}
}

// tracked returns a copy of s without the untracked fields and the paths below them (rule L11).
func (m *Model) tracked(s Set) Set {
	out := maps.Clone(s)
	for u := range m.Untracked {
		maps.DeleteFunc(out, func(p Path, _ bool) bool { return strings.HasPrefix(string(p), string(u)) })
	}
	return out
}

// giveUp removes the fields that the applier has given up from a merged object (rules G1 to G4).
// These are the fields that the applier owned before, no longer applies, and does not share with
// another manager. The argument "last" is the applier's entry before this apply. The object and
// the result have the given version.
func (m *Model) giveUp(object any, version string, last Entry, owners Managers) (any, error) {
	t := m.Types[last.Version]
	merged, err := m.convert(object, version, last.Version)
	if err != nil {
		return nil, err // rule N3
	}
	had := withNamed(last.Set, t)
	pruned := Remove(merged, had, t) // rule G1
	// Restore the fields that some manager still owns, at any API version (rule G2).
	at, whole := last.Version, merged
	for _, v := range m.versionsOf(owners, last.Version) {
		w, err := m.convert(whole, at, v)
		if err != nil { // rule N3; without this check, the function changes would return the error
			return nil, err
		}
		p, err := m.to(v, pruned, at)
		if err != nil {
			return nil, err
		}
		owned := Set{}
		for _, e := range owners {
			if e.Version == v {
				owned = union(owned, e.Set)
			}
		}
		t := m.Types[v]
		keep := union(withNamed(FieldSet(p, t), t), withNamed(owned, t))
		at, whole, pruned = v, w, Remove(w, difference(withNamed(FieldSet(w, t), t), keep), t)
	}
	// Restore the fields that the applier did not own before this apply (rule G4).
	back, err := m.to(last.Version, pruned, at)
	if err != nil {
		return nil, err
	}
	gone := difference(withNamed(FieldSet(merged, t), t), withNamed(FieldSet(back, t), t))
	pruned = Remove(merged, intersection(gone, had), t)
	return m.to(version, pruned, last.Version)
}

// versionsOf returns the versions of all owners, sorted by name. If the second argument is one of
// these versions, it comes first.
func (m *Model) versionsOf(owners Managers, first string) []string {
	all := map[string]bool{}
	for _, e := range owners {
		all[e.Version] = true
	}
	versions := slices.Sorted(maps.Keys(all))
	slices.SortStableFunc(versions, func(a, b string) int {
		switch first {
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	})
	return versions
}
