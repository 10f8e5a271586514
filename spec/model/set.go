// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"maps"
	"strings"
)

// Element is one step of a path, spelled as in FieldsV1: f:NAME selects a field, k:{…} the item
// with these keys, v:… the item with this value, and i:N the item at this index.
type Element string

// Path is a sequence of elements, each of which ends with a newline. The empty path stands for
// the object itself, which nobody owns.
type Path string

func (p Path) with(e Element) Path {
	return p + Path(strings.ReplaceAll(string(e), "\n", newline)) + "\n"
}

func (p Path) field(name string) Path { return p.with(Element("f:" + name)) }

// newline replaces each newline inside an element, because the character "\n" ends an element.
const newline = string(rune(mark + '\n'))

// Elements returns the elements of the path.
func (p Path) Elements() []Element {
	var all []Element
	for e := range strings.Lines(string(p)) {
		all = append(all, Element(strings.ReplaceAll(strings.TrimSuffix(e, "\n"), newline, "\n")))
	}
	return all
}

// Set is a field set: a set of paths (rule F1).
type Set map[Path]bool

func (s Set) add(p Path) {
	if p != "" {
		s[p] = true
	}
}

// below returns the paths of s that are below a given path, relative to that path.
func (s Set) below(p Path) Set {
	out := Set{}
	for q := range s {
		if rest, ok := strings.CutPrefix(string(q), string(p)); ok {
			out.add(Path(rest))
		}
	}
	return out
}

func union(a, b Set) Set {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

func intersection(a, b Set) Set {
	out := Set{}
	for p := range a {
		if b[p] {
			out[p] = true
		}
	}
	return out
}

func difference(a, b Set) Set {
	out := Set{}
	for p := range a {
		if !b[p] {
			out[p] = true
		}
	}
	return out
}

// typeAt returns the type of the value that one path element selects in a value of type t.
func typeAt(t *Type, e Element) (typ *Type, declared bool) {
	name, isField := strings.CutPrefix(string(e), "f:")
	switch {
	case t == nil:
		return nil, false
	case t.Kind == Deduced && isField:
		return t, false
	case t.Kind == Map && isField:
		return t.entryType(name)
	case t.Kind == List && !isField:
		return t.Items, false
	}
	return nil, false
}

// withNamed returns the paths in s, and all declared fields that contain one of these paths,
// such as "spec" for "spec.replicas". When fields are removed, a manager that owns something
// inside a declared field counts as an owner of the field (rule G3).
func withNamed(s Set, t *Type) Set {
	out := Set{}
	for p := range s {
		at, typ := Path(""), t
		var declared bool
		for _, e := range p.Elements() {
			at = at.with(e)
			typ, declared = typeAt(typ, e)
			if declared || at == p {
				out.add(at)
			}
		}
	}
	return out
}

// reconciled converts a stored set to the current schema. If a field is now atomic, the path of
// the field replaces all paths below it (rule F5).
func reconciled(s Set, t *Type) Set {
	out := Set{}
	for p := range s {
		at, typ := Path(""), t
		for _, e := range p.Elements() {
			if at != "" && typ != nil && typ.Atomic {
				break
			}
			at = at.with(e)
			typ, _ = typeAt(typ, e)
		}
		out.add(at)
	}
	return out
}

// Child returns the type of the values that an element selects in a value of type t. It returns
// nil if there is no such type.
func (t *Type) Child(e Element) *Type {
	typ, _ := typeAt(t, e)
	return typ
}

// Children returns the values that an element selects in a value: none, one, or several
// duplicates.
func (t *Type) Children(v any, e Element) []any {
	if name, ok := strings.CutPrefix(string(e), "f:"); ok {
		if f := field(v, name); !isAbsent(f) {
			return []any{f}
		}
		return nil
	}
	return t.itemsWith(v, e)
}
