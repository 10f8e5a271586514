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

// Place holds a value in an object and the type of the value.
type Place struct {
	Schema *schema.Schema
	Ref    schema.TypeRef
	Typed  bool // true if the type is known; Ref then refers to it
	Plain  any
	// def is the default of the field, or nil.
	def any
	// Indexes makes lookups of list items fast. It may be nil for a single lookup.
	Indexes item.ListIndexes
}

// Root returns the place of the whole object.
func Root(tv *typed.TypedValue) Place {
	return Place{Schema: tv.Schema(), Ref: tv.TypeRef(), Typed: true, Plain: tv.AsValue().Unstructured()}
}

// TypedOf returns object as a value of type t, without validation.
func TypedOf(t typed.ParseableType, object map[string]any) *typed.TypedValue {
	return typed.AsTypedUnvalidated(value.NewValueInterface(object), t.Schema, t.TypeRef)
}

// ObjectOf returns the place of an object of type t. It is prepared for many lookups.
func ObjectOf(t typed.ParseableType, object map[string]any) *Place {
	return &Place{Schema: t.Schema, Ref: t.TypeRef, Typed: t.Schema != nil, Plain: object, Indexes: item.ListIndexes{}}
}

// At returns the place at path below p. It returns false if there is no value at path. If a path
// element of a list item lacks a key that has a default, At uses the default.
func (p Place) At(path fieldpath.Path) (Place, bool) {
	for _, element := range path {
		next, ok := p.Step(element)
		if !ok {
			return Place{}, false
		}
		p = next
	}
	return p, true
}

// Atom returns the definition of the type of p. It returns false if the type is unknown.
func (p Place) Atom() (schema.Atom, bool) {
	if !p.Typed {
		return schema.Atom{}, false
	}
	return p.Schema.Resolve(p.Ref)
}

// List returns the list type of p, or nil if the type is unknown or is not a list.
func (p Place) List() *graph.List {
	if !p.Typed {
		return nil
	}
	return compiled.Node(p.Schema, p.Ref).List
}

// Each calls f for every place below p that path identifies. There can be several, because a path
// element can match several items. f gets the full path of the place, with the actual keys and
// values of items. parent is the path of p.
//
// If there is no such place, Each usually calls f once with found set to false. But if the path
// leads into an associative list without a matching item, Each does not call f.
func (p Place) Each(parent, path fieldpath.Path, f func(path fieldpath.Path, at Place, found bool)) {
	for i, element := range path {
		list, isList := p.Plain.([]any)
		if typ := p.List(); isList && typ != nil && typ.IsAssociative() && element.Index == nil {
			next := p.anyItem()
			for _, next.Plain = range p.Indexes.FindItems(typ, list, element) {
				exact, _ := item.Element(typ, next.Plain)
				next.Each(slices.Concat(parent, path[:i], fieldpath.Path{exact}), path[i+1:], f)
			}
			return
		}
		next, ok := p.Step(element)
		if !ok {
			f(slices.Concat(parent, path), Place{}, false)
			return
		}
		p = next
	}
	f(slices.Concat(parent, path), p, true)
}

// Granular reports whether p is a map or list whose entries are owned one by one.
func (p Place) Granular() bool {
	if !p.Typed {
		return false
	}
	switch p.Plain.(type) {
	case map[string]any:
		m := compiled.Node(p.Schema, p.Ref).Map
		return m != nil && !m.Atomic
	case []any:
		l := compiled.Node(p.Schema, p.Ref).List
		return l != nil && !l.IsAtomic()
	}
	return false
}

// Inexact reports whether path has a float that is so large that it equals several integers.
// All numbers in stored paths are floats, so such a path may identify the wrong item.
func Inexact(path fieldpath.Path) bool {
	const exactly = 1 << 53
	beyond := func(v value.Value) bool { return v.IsFloat() && (v.AsFloat() >= exactly || v.AsFloat() <= -exactly) }
	return slices.ContainsFunc(path, func(element fieldpath.PathElement) bool {
		return element.Value != nil && beyond(*element.Value) ||
			element.Key != nil && slices.ContainsFunc(*element.Key, func(k value.Field) bool { return beyond(k.Value) })
	})
}

// Field returns the place of the field with the given name. It has the type of the field, but
// no value.
func (p Place) Field(name string) Place {
	next := Place{Schema: p.Schema, Indexes: p.Indexes}
	atom, known := p.Atom()
	if !known || atom.Map == nil {
		return next
	}
	next.Ref, next.Typed = atom.Map.ElementType, true
	if len(atom.Map.Fields) > 0 {
		if f, ok := atom.Map.FindField(name); ok {
			next.Ref, next.def = f.Type, f.Default
		}
	}
	return next
}

// Step returns the place of one field or item of p, which element identifies. It returns false
// if p has no such field or item.
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

// Items returns the items of an associative list that path identifies. There are several if the list
// contains duplicates. Items returns nil if path does not lead to such an item.
func (p Place) Items(path fieldpath.Path) []any {
	last := len(path) - 1
	if last < 0 {
		return nil
	}
	list, _ := p.At(path[:last])
	return list.itemsOf(path[last])
}

// itemsOf returns the items of the list at p that element identifies. It returns nil if p is not an
// associative list.
func (p Place) itemsOf(element fieldpath.PathElement) []any {
	items, isList := p.Plain.([]any)
	if !isList || element.Key == nil && element.Value == nil {
		return nil
	}
	typ := p.List()
	if typ == nil || !typ.IsAssociative() {
		return nil
	}
	return p.Indexes.FindItems(typ, items, element)
}

// Duplicate returns the shortest prefix of path that identifies several items of a list, and these
// items. If there is no such prefix, it returns nil.
func (p Place) Duplicate(path fieldpath.Path) (fieldpath.Path, []any) {
	for n, element := range path[:lastItem(path)+1] {
		if items := p.itemsOf(element); len(items) > 1 {
			return path[:n+1], items
		}
		next, ok := p.Step(element)
		if !ok {
			break
		}
		p = next
	}
	return nil, nil
}

// lastItem returns the index of the last element of path that identifies an item by its keys or its
// value, or -1 if there is none.
func lastItem(path fieldpath.Path) int {
	last := len(path) - 1
	for last >= 0 && path[last].Key == nil && path[last].Value == nil {
		last--
	}
	return last
}

// anyItem returns a place with the item type of the list at p, but without a value.
func (p Place) anyItem() Place {
	next := Place{Schema: p.Schema, Indexes: p.Indexes}
	if atom, known := p.Atom(); known && atom.List != nil {
		next.Ref, next.Typed = atom.List.ElementType, true
	}
	return next
}

// Item returns the index and the place of the item that element identifies. list must be the
// value of p.
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
	i, found := p.Indexes.FindPosition(typ, list, element)
	if !found {
		return 0, Place{}, false
	}
	next.Plain = list[i]
	return i, next, true
}

// hasFields reports whether an item has all the fields in key.
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

// NeedsKey reports whether an item would lose its identity without the field with the given name.
// The argument key has the keys of the item.
func NeedsKey(list *graph.List, key value.FieldList, name string) bool {
	for _, f := range key {
		if f.Name == name {
			k := list.Key(name)
			return k == nil || !item.IsKeyDefault(k, f.Value.Unstructured())
		}
	}
	return false
}

// IsDefault reports whether the value of p is the default of its field or of its type.
func (p Place) IsDefault() bool {
	def := p.Declared()
	return def != nil && document.Equal(def, p.Plain)
}

// IsFieldDefault reports whether the value of p is the default of its field. It ignores the
// default of the type.
func (p Place) IsFieldDefault() bool { return p.def != nil && document.Equal(p.def, p.Plain) }

// Declared returns the default of the field, or else the default of its type. It returns nil if
// there is neither.
func (p Place) Declared() any {
	if p.def == nil && p.Typed && p.Ref.NamedType != nil {
		if td, ok := p.Schema.FindNamedType(*p.Ref.NamedType); ok {
			return td.Default
		}
	}
	return p.def
}

// Finders makes many lookups in a few objects fast. It indexes lists that are searched often,
// and caches the places along the last path in each object. It is not safe for concurrent use.
type Finders map[*typed.TypedValue]*finder

// finder holds the places along the last path, beginning with the root.
type finder struct {
	path  fieldpath.Path
	steps []Place
}

// Place returns the place at path in tv. It returns false if tv has no value at path, or if
// tv is nil. The caller may modify path afterwards.
func (f Finders) Place(tv *typed.TypedValue, path fieldpath.Path) (Place, bool) {
	if tv == nil {
		return Place{}, false
	}
	if len(path) == 0 {
		return f.finderFor(tv).steps[0], true
	}
	around := f.finderFor(tv).around(path)
	if around == nil {
		return Place{}, false
	}
	return around.Step(path[len(path)-1])
}

// Value returns the value at path in tv. Unlike Place, it does not look up the type of a
// field.
func (f Finders) Value(tv *typed.TypedValue, path fieldpath.Path) (any, bool) {
	if tv != nil && len(path) > 0 && path[len(path)-1].FieldName != nil {
		around := f.finderFor(tv).around(path)
		if around == nil {
			return nil, false
		}
		m, _ := around.Plain.(map[string]any)
		v, ok := m[*path[len(path)-1].FieldName]
		return v, ok
	}
	p, ok := f.Place(tv, path)
	return p.Plain, ok
}

// Duplicate returns the shortest prefix of path that identifies several items of a list in tv, and
// these items. If there is no such prefix, or if tv is nil, it returns nil.
func (f Finders) Duplicate(tv *typed.TypedValue, path fieldpath.Path) (fieldpath.Path, []any) {
	if tv == nil || lastItem(path) < 0 {
		return nil, nil
	}
	return f.finderFor(tv).steps[0].Duplicate(path)
}

// finderFor returns the finder for tv.
func (f Finders) finderFor(tv *typed.TypedValue) *finder {
	in := f[tv]
	if in == nil {
		root := Root(tv)
		root.Indexes = item.ListIndexes{}
		root.Plain = document.WithStringKeys(root.Plain)
		in = &finder{steps: []Place{root}}
		f[tv] = in
	}
	return in
}

// around returns the place of the map or list that contains the value at path, or nil if there
// is none. It caches all places along the path.
func (f *finder) around(path fieldpath.Path) *Place {
	n, last := 0, len(path)-1
	for n < last && n < len(f.steps)-1 && (path[n] == f.path[n] || path[n].Equals(f.path[n])) {
		n++
	}
	if n < last {
		f.path, f.steps = append(f.path[:n], path[n:last]...), f.steps[:n+1]
		for _, element := range path[n:last] {
			next, ok := f.steps[len(f.steps)-1].Step(element)
			if !ok {
				return nil
			}
			f.steps = append(f.steps, next)
		}
	}
	return &f.steps[last]
}

// DefaultOf returns the default of the field at path in tv, as declared in the schema. It
// ignores the default of the field's type. The field need not exist, but the map that would
// contain it must.
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
