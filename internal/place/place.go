// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package place

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// Place is a value in an object together with its type.
type Place struct {
	Schema *schema.Schema
	Ref    schema.TypeRef
	Typed  bool // whether ref is known
	Plain  any
	// def is the default of the field that the place is, nil if it has none.
	def any
	// Indexes find items faster, nil for one lookup.
	Indexes item.ListIndexes
}

// valueAt finds the value that path names in tv; list items are named by
// their keys, of which those left out take their defaults.
func valueAt(tv *typed.TypedValue, path fieldpath.Path) (any, bool) {
	p, ok := placeAt(tv, path)
	return p.Plain, ok
}

// placeAt is valueAt with the type.
func placeAt(tv *typed.TypedValue, path fieldpath.Path) (Place, bool) {
	if tv == nil {
		return Place{}, false
	}
	return Root(tv).at(path)
}

func Root(tv *typed.TypedValue) Place {
	return Place{Schema: tv.Schema(), Ref: tv.TypeRef(), Typed: true, Plain: tv.AsValue().Unstructured()}
}

// TypedOf is an object of type t that is not validated.
func TypedOf(t typed.ParseableType, object map[string]any) *typed.TypedValue {
	return typed.AsTypedUnvalidated(value.NewValueInterface(object), t.Schema, t.TypeRef)
}

// ObjectOf is the place of an object of type t, for many lookups.
func ObjectOf(t typed.ParseableType, object map[string]any) *Place {
	return &Place{Schema: t.Schema, Ref: t.TypeRef, Typed: true, Plain: object, Indexes: item.ListIndexes{}}
}

// at is the place that a path from p leads to.
func (p Place) at(path fieldpath.Path) (Place, bool) {
	for _, element := range path {
		next, ok := p.Step(element)
		if !ok {
			return Place{}, false
		}
		p = next
	}
	return p, true
}

func (p Place) Atom() (schema.Atom, bool) {
	if !p.Typed {
		return schema.Atom{}, false
	}
	return p.Schema.Resolve(p.Ref)
}

// List is the type of a list at p, nil if that is not known.
func (p Place) List() *graph.List {
	if !p.Typed {
		return nil
	}
	return compiled.Node(p.Schema, p.Ref).List
}

// Each calls f for every place that path names below p, which is at the path before: with
// a path that has the keys and values of items as they are there. A path that leads no
// further than to a map without the field, or to a scalar, is not found, but called with.
func (p Place) Each(before, path fieldpath.Path, f func(path fieldpath.Path, at Place, found bool)) {
	for i, element := range path {
		list, isList := p.Plain.([]any)
		if typ := p.List(); isList && typ != nil && typ.IsAssociative() && element.Index == nil {
			next := p.anyItem()
			for _, next.Plain = range p.Indexes.All(typ, list, element) {
				exact, _ := item.Identity(typ, next.Plain)
				next.Each(slices.Concat(before, path[:i], fieldpath.Path{exact}), path[i+1:], f)
			}
			return
		}
		next, ok := p.Step(element)
		if !ok {
			f(slices.Concat(before, path), Place{}, false)
			return
		}
		p = next
	}
	f(slices.Concat(before, path), p, true)
}

// Granular says whether p has a map or list of which each part is owned by itself.
func (p Place) Granular() bool {
	if !p.Typed {
		return false
	}
	n := compiled.Node(p.Schema, p.Ref)
	switch p.Plain.(type) {
	case map[string]any:
		return n.Map != nil && !n.Map.Atomic
	case []any:
		return n.List != nil && !n.List.IsAtomic()
	}
	return false
}

// Inexact says whether path has a number as a float that several integers are equal to: what
// is stored has all numbers as floats.
func Inexact(path fieldpath.Path) bool {
	const exactly = 1 << 53
	beyond := func(v value.Value) bool { return v.IsFloat() && (v.AsFloat() >= exactly || v.AsFloat() <= -exactly) }
	return slices.ContainsFunc(path, func(element fieldpath.PathElement) bool {
		return element.Value != nil && beyond(*element.Value) ||
			element.Key != nil && slices.ContainsFunc(*element.Key, func(k value.Field) bool { return beyond(k.Value) })
	})
}

// Field is the place of a field, without its value.
func (p Place) Field(name string) Place {
	next := Place{Schema: p.Schema, Indexes: p.Indexes}
	atom, known := p.Atom()
	if !known || atom.Map == nil {
		return next
	}
	next.Ref, next.Typed = atom.Map.ElementType, true
	if f, ok := atom.Map.FindField(name); ok {
		next.Ref, next.def = f.Type, f.Default
	}
	return next
}

func (p Place) Step(element fieldpath.PathElement) (Place, bool) {
	switch plain := p.Plain.(type) {
	case map[string]any:
		if element.FieldName == nil {
			return Place{}, false
		}
		v, ok := plain[*element.FieldName]
		if !ok {
			return Place{}, false
		}
		next := p.Field(*element.FieldName)
		next.Plain = v
		return next, true
	case []any:
		_, item, ok := p.Item(plain, element)
		return item, ok
	}
	return Place{}, false
}

// anyItem is the place of an item, without its value.
func (p Place) anyItem() Place {
	next := Place{Schema: p.Schema, Indexes: p.Indexes}
	if atom, known := p.Atom(); known && atom.List != nil {
		next.Ref, next.Typed = atom.List.ElementType, true
	}
	return next
}

// Item is the place of the item of list, the value at p, that element names, and
// its index.
func (p Place) Item(list []any, element fieldpath.PathElement) (int, Place, bool) {
	next := p.anyItem()
	if element.Index != nil {
		if i := *element.Index; i >= 0 && i < len(list) {
			next.Plain = list[i]
			return i, next, true
		}
		return 0, Place{}, false
	}
	typ := p.List()
	if typ == nil || !typ.IsAssociative() {
		for i, item := range list {
			if element.Value != nil && value.Equals(*element.Value, value.NewValueInterface(item)) ||
				element.Key != nil && hasFields(item, *element.Key) {
				next.Plain = item
				return i, next, true
			}
		}
		return 0, Place{}, false
	}
	i, found := p.Indexes.Find(typ, list, element)
	if !found {
		return 0, Place{}, false
	}
	next.Plain = list[i]
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

// NeedsKey says whether an item that key names would be another one without its
// field name.
func NeedsKey(list *graph.List, key value.FieldList, name string) bool {
	for _, f := range key {
		if f.Name == name {
			k := list.Key(name)
			return k == nil || !item.IsKeyDefault(k, f.Value.Unstructured())
		}
	}
	return false
}

// IsDefault tells whether the place has the default of its field.
func (p Place) IsDefault() bool {
	def := p.Declared()
	return def != nil && document.Equal(def, p.Plain)
}

// IsFieldDefault is IsDefault, but what the type has for a default does not count.
func (p Place) IsFieldDefault() bool { return p.def != nil && document.Equal(p.def, p.Plain) }

// Declared is the default of the field, or else of its type; nil if there is none.
func (p Place) Declared() any {
	if p.def == nil && p.Typed && p.Ref.NamedType != nil {
		if td, ok := p.Schema.FindNamedType(*p.Ref.NamedType); ok {
			return td.Default
		}
	}
	return p.def
}

// Finders are for many lookups in few values: lists that are asked again and again
// are searched through once, and what leads to the place before is not looked up again.
// They are not safe for concurrent use.
type Finders map[*typed.TypedValue]*finder

// finder has the places on the way to the one it found last: the first is the root.
type finder struct {
	path fieldpath.Path
	way  []Place
}

// Place is the place that path names in tv, as at finds it; there is none in nil. Path may be written to afterwards.
func (f Finders) Place(tv *typed.TypedValue, path fieldpath.Path) (Place, bool) {
	if tv == nil {
		return Place{}, false
	}
	in := f[tv]
	if in == nil {
		root := Root(tv)
		root.Indexes = item.ListIndexes{}
		root.Plain = document.WithStringKeys(root.Plain)
		in = &finder{way: []Place{root}}
		f[tv] = in
	}
	return in.place(path)
}

func (f *finder) place(path fieldpath.Path) (Place, bool) {
	if len(path) == 0 {
		return f.way[0], true
	}
	n, last := 0, len(path)-1
	for n < last && n < len(f.way)-1 && path[n].Equals(f.path[n]) {
		n++
	}
	f.path, f.way = append(f.path[:n], path[n:last]...), f.way[:n+1]
	for _, element := range path[n:last] {
		next, ok := f.way[len(f.way)-1].Step(element)
		if !ok {
			return Place{}, false
		}
		f.way = append(f.way, next)
	}
	return f.way[last].Step(path[last])
}

// Value is the value at that place.
func (f Finders) Value(tv *typed.TypedValue, path fieldpath.Path) (any, bool) {
	p, ok := f.Place(tv, path)
	return p.Plain, ok
}

// DefaultOf finds the default that the schema declares for the field at path.
func (f Finders) DefaultOf(tv *typed.TypedValue, path fieldpath.Path) (any, bool) {
	if len(path) == 0 || path[len(path)-1].FieldName == nil {
		return nil, false
	}
	p, ok := f.Place(tv, path[:len(path)-1])
	if !ok {
		return nil, false
	}
	def := p.Field(*path[len(path)-1].FieldName).def
	return def, def != nil
}
