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

// Entry has the fields that a manager owns. Their paths refer to the object in the given
// version.
type Entry struct {
	Version string
	Applied bool
	Set     Set
}

// Managers maps the owners of an object to their entries.
type Managers map[string]Entry

// Model knows all versions of one kind.
type Model struct {
	Types map[string]*Type
	// Convert converts an object from one version to another. It returns ErrGone if one of the
	// versions is no longer served. Convert may be nil if there is only one version.
	Convert func(v any, from, to string) (any, error)
	// Untracked has the fields that nobody can own. Nobody owns anything below them, either.
	// Rule L11.
	Untracked Set
}

// ErrGone is the error of a conversion if one of the two versions is no longer served.
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

// to converts v to the version of an owner, which is served. It fails if the result is not a
// valid object of this version. Rule R2.
func (m *Model) to(version string, v any, from string) (any, error) {
	out, err := m.convert(v, from, version)
	if err != nil || from == version {
		return out, err // rule N3
	}
	return out, Refuse(out, m.Types[version], true)
}

// Conflict is a field that an apply would change and that another manager owns.
type Conflict struct {
	Manager string
	Path    Path
}

// Update is any write that is not an apply. It stores the object as sent. Rule O2. It fails if
// a conversion fails. Rule N3.
func (m *Model) Update(live, object any, version string, owners Managers, manager string) (any, Managers, error) {
	owners, err := m.read(live, version, owners)
	if err != nil {
		return nil, nil, err
	}
	owners, _, change, err := m.changes(live, object, version, owners, manager)
	if err != nil {
		return nil, nil, err
	}
	set := owners[manager].Set // The entry may be of another version.
	set = union(union(difference(set, change.Removed), change.Modified), change.Added)
	delete(owners, manager)
	if len(set) > 0 {
		owners[manager] = Entry{version, false, set}
	}
	return object, owners, nil
}

// Apply merges a config into an object. If there are conflicts and force is false, it only
// returns the conflicts. Rule O1. It fails if the result is not a valid object, or if a
// conversion fails. Rules R2, N3.
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

// read converts stored field sets to the current schema. An owner whose version is no longer
// served owns nothing. Rule N2.
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

// changes compares two objects. It removes the changed fields from the sets of all managers
// except the writer. A field that the write added or modified, and that another manager owned,
// is a conflict. Rules O3, O4.
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

// compare compares two objects, and ignores untracked fields.
func (m *Model) compare(old, new any, version string) Comparison {
	c := Compare(old, new, m.Types[version])
	return Comparison{m.tracked(c.Removed), m.tracked(c.Modified), m.tracked(c.Added)}
}

// tracked returns s without the untracked fields. Rule L11.
func (m *Model) tracked(s Set) Set {
	out := maps.Clone(s)
	for u := range m.Untracked {
		maps.DeleteFunc(out, func(p Path, _ bool) bool { return strings.HasPrefix(string(p), string(u)) })
	}
	return out
}

// giveUp removes, from a merged object, the fields that the applier gives up. The applier
// gives up a field if it owned the field before, does not apply it now, and nobody else owns
// it. Rules G1 to G4. giveUp starts in the version of the applier's last set.
func (m *Model) giveUp(object any, version string, last Entry, owners Managers) (any, error) {
	t := m.Types[last.Version]
	merged, err := m.convert(object, version, last.Version)
	if err != nil {
		return nil, err // rule N3
	}
	had := withNamed(last.Set, t)
	pruned := Remove(merged, had, t) // rule G1
	// Restore the fields that an owner has in any version. Rule G2.
	at, whole := last.Version, merged
	for _, v := range m.versionsOf(owners, last.Version) {
		w, err := m.convert(whole, at, v)
		if err != nil { // rule N3; changes would find this error, too
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
	// Restore the fields that are not in the applier's last set. Rule G4.
	back, err := m.to(last.Version, pruned, at)
	if err != nil {
		return nil, err
	}
	gone := difference(withNamed(FieldSet(merged, t), t), withNamed(FieldSet(back, t), t))
	pruned = Remove(merged, intersection(gone, had), t)
	return m.to(version, pruned, last.Version)
}

// versionsOf returns the versions of all owners. The version first comes first. All other
// versions are sorted by name.
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
