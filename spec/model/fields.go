// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

// FieldSet returns the field set of a value, which is the set of fields that a manager owns
// after applying the value.
func FieldSet(v any, t *Type) Set {
	out := Set{}
	addFields(out, "", v, t)
	return out
}

func addFields(out Set, at Path, v any, t *Type) {
	switch t = t.typeFor(v); {
	case t.Kind == Scalar || t.Atomic: // rule F2
		out.add(at)
	case t.Kind == List: // rule F3
		for _, id := range t.identities(v) {
			if same := t.itemsWith(v, id); len(same) == 1 {
				addFields(out, at.with(id), same[0], t.Items)
			}
			out.add(at.with(id))
		}
	case t.Kind == Map: // rule F4
		for _, name := range names(v) {
			f := field(v, name)
			typ, declared := t.entryType(name)
			addFields(out, at.field(name), f, typ)
			m, isMap := f.(map[string]any)
			if f == nil || isMap && len(m) == 0 || !declared {
				out.add(at.field(name))
			}
		}
	}
}

// Comparison holds the fields that differ between an old and a new object: the fields that only
// the old object has, the fields whose values differ, and the fields that only the new object
// has.
type Comparison struct{ Removed, Modified, Added Set }

// Compare compares two values of type t.
func Compare(old, new any, t *Type) Comparison {
	c := Comparison{Set{}, Set{}, Set{}}
	c.compare("", old, new, t)
	return c
}

func (c Comparison) compare(at Path, old, new any, t *Type) {
	if t.Kind == Deduced {
		if !isAbsent(old) {
			c.compare(at, old, new, t.typeFor(old))
		}
		if !isAbsent(new) {
			c.compare(at, old, new, t.typeFor(new))
		}
		return
	}
	switch {
	case isAbsent(old): // rule C1
		c.Added.add(at)
	case isAbsent(new):
		c.Removed.add(at)
	case t.comparedAsWhole(old, new) && !equal(old, new): // rule C2
		c.Modified.add(at)
	}
	if t.comparedAsWhole(old, new) {
		return
	}
	if t.Kind == Map {
		for _, name := range names(old, new) {
			typ, _ := t.entryType(name)
			c.compare(at.field(name), field(old, name), field(new, name), typ)
		}
		return
	}
	seen := Set{}
	for _, id := range append(t.identities(old), t.identities(new)...) {
		if p := at.with(id); !seen[p] {
			seen.add(p)
			c.compareItems(p, t.itemsWith(old, id), t.itemsWith(new, id), t.Items)
		}
	}
}

// compareItems compares the old and new items with the same identity. Usually there is at most
// one old and one new item. If there are duplicates, they are compared together, as one value
// (rule C3).
func (c Comparison) compareItems(at Path, old, new []any, t *Type) {
	switch {
	case len(old) > 1 && len(new) > 1:
		if !equal(old, new) {
			c.Modified.add(at)
		}
	case len(old) > 1:
		if len(new) == 1 {
			c.compare(at, Absent, new[0], t)
		}
		c.Removed.add(at)
	case len(new) > 1:
		if len(old) == 1 {
			c.compare(at, old[0], Absent, t)
		}
		c.Added.add(at)
	default:
		c.compare(at, single(old), single(new), t)
	}
}

func single(list []any) any {
	if len(list) == 1 {
		return list[0]
	}
	return Absent
}
