// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// place is a value in an object together with its type.
type place struct {
	schema *schema.Schema
	ref    schema.TypeRef
	typed  bool // whether ref is known
	plain  any
	// def is the default of the field that the place is, nil if it has none.
	def any
	// lists find items faster, nil for one lookup.
	lists item.ListIndexes
}

// valueAt finds the value that path names in tv; list items are named by
// their keys, of which those left out take their defaults.
func valueAt(tv *typed.TypedValue, path fieldpath.Path) (any, bool) {
	p, ok := placeAt(tv, path)
	return p.plain, ok
}

// placeAt is valueAt with the type.
func placeAt(tv *typed.TypedValue, path fieldpath.Path) (place, bool) {
	if tv == nil {
		return place{}, false
	}
	return rootOf(tv).at(path)
}

func rootOf(tv *typed.TypedValue) place {
	return place{schema: tv.Schema(), ref: tv.TypeRef(), typed: true, plain: tv.AsValue().Unstructured()}
}

// objectOf is the place of an object of type t, for many lookups.
func objectOf(t typed.ParseableType, object map[string]any) *place {
	return &place{schema: t.Schema, ref: t.TypeRef, typed: true, plain: object, lists: item.ListIndexes{}}
}

// at is the place that a path from p leads to.
func (p place) at(path fieldpath.Path) (place, bool) {
	for _, element := range path {
		next, ok := p.step(element)
		if !ok {
			return place{}, false
		}
		p = next
	}
	return p, true
}

func (p place) atom() (schema.Atom, bool) {
	if !p.typed {
		return schema.Atom{}, false
	}
	return p.schema.Resolve(p.ref)
}

// list is the type of a list at p, nil if that is not known.
func (p place) list() *graph.List {
	if !p.typed {
		return nil
	}
	return compiled.Node(p.schema, p.ref).List
}

// each calls f for every place that path names below p, which is at the path before: with
// a path that has the keys and values of items as they are there. A path that leads no
// further than to a map without the field, or to a scalar, is not found, but called with.
func (p place) each(before, path fieldpath.Path, f func(path fieldpath.Path, at place, found bool)) {
	for i, element := range path {
		list, isList := p.plain.([]any)
		if typ := p.list(); isList && typ != nil && typ.Relation == graph.Associative && element.Index == nil {
			next := p.anyItem()
			for _, next.plain = range p.lists.All(typ, list, element) {
				exact, _ := item.Identity(typ, next.plain)
				next.each(slices.Concat(before, path[:i], fieldpath.Path{exact}), path[i+1:], f)
			}
			return
		}
		next, ok := p.step(element)
		if !ok {
			f(slices.Concat(before, path), place{}, false)
			return
		}
		p = next
	}
	f(slices.Concat(before, path), p, true)
}

// granular says whether p has a map or list of which each part is owned by itself.
func (p place) granular() bool {
	if !p.typed {
		return false
	}
	n := compiled.Node(p.schema, p.ref)
	switch p.plain.(type) {
	case map[string]any:
		return n.Map != nil && !n.Map.Atomic
	case []any:
		return n.List != nil && n.List.Relation != graph.Atomic
	}
	return false
}

// inexact says whether path has a number as a float that several integers are equal to: what
// is stored has all numbers as floats.
func inexact(path fieldpath.Path) bool {
	const exactly = 1 << 53
	beyond := func(v value.Value) bool { return v.IsFloat() && (v.AsFloat() >= exactly || v.AsFloat() <= -exactly) }
	return slices.ContainsFunc(path, func(element fieldpath.PathElement) bool {
		return element.Value != nil && beyond(*element.Value) ||
			element.Key != nil && slices.ContainsFunc(*element.Key, func(k value.Field) bool { return beyond(k.Value) })
	})
}

// field is the place of a field, without its value.
func (p place) field(name string) place {
	next := place{schema: p.schema, lists: p.lists}
	atom, known := p.atom()
	if !known || atom.Map == nil {
		return next
	}
	next.ref, next.typed = atom.Map.ElementType, true
	if f, ok := atom.Map.FindField(name); ok {
		next.ref, next.def = f.Type, f.Default
	}
	return next
}

func (p place) step(element fieldpath.PathElement) (place, bool) {
	switch plain := p.plain.(type) {
	case map[string]any:
		if element.FieldName == nil {
			return place{}, false
		}
		v, ok := plain[*element.FieldName]
		if !ok {
			return place{}, false
		}
		next := p.field(*element.FieldName)
		next.plain = v
		return next, true
	case []any:
		_, item, ok := p.item(plain, element)
		return item, ok
	}
	return place{}, false
}

// anyItem is the place of an item, without its value.
func (p place) anyItem() place {
	next := place{schema: p.schema, lists: p.lists}
	if atom, known := p.atom(); known && atom.List != nil {
		next.ref, next.typed = atom.List.ElementType, true
	}
	return next
}

// item is the place of the item of list, the value at p, that element names, and
// its index.
func (p place) item(list []any, element fieldpath.PathElement) (int, place, bool) {
	next := p.anyItem()
	if element.Index != nil {
		if i := *element.Index; i >= 0 && i < len(list) {
			next.plain = list[i]
			return i, next, true
		}
		return 0, place{}, false
	}
	typ := p.list()
	if typ == nil || typ.Relation != graph.Associative {
		for i, item := range list {
			if element.Value != nil && value.Equals(*element.Value, value.NewValueInterface(item)) ||
				element.Key != nil && hasFields(item, *element.Key) {
				next.plain = item
				return i, next, true
			}
		}
		return 0, place{}, false
	}
	i, found := p.lists.Find(typ, list, element)
	if !found {
		return 0, place{}, false
	}
	next.plain = list[i]
	return i, next, true
}

// hasFields tells whether an item has all fields of key.
func hasFields(item any, key value.FieldList) bool {
	m, ok := item.(map[string]any)
	if !ok {
		return false
	}
	for _, f := range key {
		if v, ok := m[f.Name]; !ok || !value.Equals(f.Value, value.NewValueInterface(v)) {
			return false
		}
	}
	return true
}

// keyNamed is the key of items of list with that name, nil if there is none.
func keyNamed(list *graph.List, name string) *graph.Key {
	if list != nil {
		for i := range list.Keys {
			if list.Keys[i].Name == name {
				return &list.Keys[i]
			}
		}
	}
	return nil
}

// needsKey says whether an item that key names would be another one without its
// field name.
func needsKey(list *graph.List, key value.FieldList, name string) bool {
	for _, f := range key {
		if f.Name == name {
			k := keyNamed(list, name)
			return k == nil || !item.IsKeyDefault(k, f.Value.Unstructured())
		}
	}
	return false
}
