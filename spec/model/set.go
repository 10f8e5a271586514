// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"maps"
	"strings"
)

// Element is one step of a path, written as in FieldsV1: f:NAME is a field, k:{…} an item with
// these keys, v:… an item with this value.
type Element string

// Path is a series of elements, each followed by a newline. The empty path is the object
// itself, which nobody owns.
type Path string

func (p Path) with(e Element) Path {
	return p + Path(strings.ReplaceAll(string(e), "\n", newline)) + "\n"
}

func (p Path) field(name string) Path { return p.with(Element("f:" + name)) }

// newline replaces a newline within an element of a path.
const newline = string(rune(mark + '\n'))

// Elements returns the elements of the path.
func (p Path) Elements() []Element {
	var all []Element
	for e := range strings.Lines(string(p)) {
		all = append(all, Element(strings.ReplaceAll(strings.TrimSuffix(e, "\n"), newline, "\n")))
	}
	return all
}

// Set is a field set. Rule F1.
type Set map[Path]bool

func (s Set) add(p Path) {
	if p != "" {
		s[p] = true
	}
}

// below returns the remaining part of each path of s that begins with p.
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

// typeAt returns the type below t at one path element.
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

// withNamed adds every declared field that is a prefix of a path in s. When fields are removed, a
// manager that owns a path below a declared field also counts as owner of the field. Rule G3.
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

// reconciled converts a stored set to the current schema: a path below a field that is now
// atomic becomes the path of that field. Rule F5.
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

// Child returns the type below an element, or nil.
func (t *Type) Child(e Element) *Type {
	typ, _ := typeAt(t, e)
	return typ
}

// Children returns the values at an element: none, one, or duplicates.
func (t *Type) Children(v any, e Element) []any {
	if name, ok := strings.CutPrefix(string(e), "f:"); ok {
		if f := field(v, name); !isAbsent(f) {
			return []any{f}
		}
		return nil
	}
	return t.itemsWith(v, e)
}
