// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// A Finder finds values at paths in objects of one type. It knows the keys of list items from the
// type. Because a Finder caches an index of long lists, do not change the objects while you use
// it. It is not safe for concurrent use.
type Finder struct {
	typ   typed.ParseableType
	lists item.ListIndexes
	types map[string]*graph.List // the type of each list, by the field names on the path to it
}

// NewFinder returns a Finder for objects of type t.
func NewFinder(t typed.ParseableType) *Finder {
	return &Finder{t, item.ListIndexes{}, map[string]*graph.List{}}
}

// topmostMissing returns the shortest prefix of path at which the object has null or no value. If
// there is no such prefix, it returns the whole path.
func (f *Finder) topmostMissing(object any, path fieldpath.Path) fieldpath.Path {
	for i := range path {
		next, _ := f.childAt(object, path[:i+1])
		if next == nil {
			return path[:i+1]
		}
		object = next
	}
	return path
}

// ValueAt returns the value at path in v. It also reports whether v contains the path.
func (f *Finder) ValueAt(v any, path fieldpath.Path) (any, bool) {
	for i := range path {
		next, ok := f.childAt(v, path[:i+1])
		if !ok {
			return nil, false
		}
		v = next
	}
	return v, true
}

// childAt returns the value at path. Its parent is the value at the path without the last element.
func (f *Finder) childAt(parent any, path fieldpath.Path) (any, bool) {
	last := path[len(path)-1]
	items, isList := parent.([]any)
	if list := f.list(path); isList && list != nil {
		i, ok := f.lists.Find(list, items, last)
		if !ok {
			return nil, false
		}
		return items[i], true
	}
	return childAt(parent, last)
}

// ItemsAt returns all list items in v that path identifies. There are several if the list
// contains duplicates. ItemsAt returns nil if path does not end with the keys or the value of
// an item.
func (f *Finder) ItemsAt(v any, path fieldpath.Path) (found []any) {
	last := path[len(path)-1]
	if last.Key == nil && last.Value == nil {
		return nil
	}
	v, _ = f.ValueAt(v, path[:len(path)-1])
	items, _ := v.([]any)
	if list := f.list(path); list != nil {
		return f.lists.All(list, items, last)
	}
	for _, item := range items {
		if _, ok := childAt([]any{item}, last); ok {
			found = append(found, item)
		}
	}
	return found
}

// upToDuplicate shortens a path so that it ends at the first list item that has duplicates in v,
// because longer paths would be ambiguous. If there are no duplicates, it returns the whole path.
func (f *Finder) upToDuplicate(v any, path fieldpath.Path) fieldpath.Path {
	for i := range path {
		if len(f.ItemsAt(v, path[:i+1])) > 1 {
			return path[:i+1]
		}
	}
	return path
}

// list returns the type of the list that contains the item at path. It returns nil if the type
// is unknown, or if path does not end with an item of an associative list.
func (f *Finder) list(path fieldpath.Path) *graph.List {
	if last := path[len(path)-1]; last.Key == nil && last.Value == nil {
		return nil
	}
	path = path[:len(path)-1]
	var names strings.Builder
	steps := make([]any, 0, len(path))
	for _, e := range path {
		names.WriteByte('\n')
		if e.FieldName != nil {
			names.WriteString(*e.FieldName)
			steps = append(steps, *e.FieldName)
		} else {
			steps = append(steps, 0) // any index, because all items have the same type
		}
	}
	found, ok := f.types[names.String()]
	if !ok {
		atom, _ := suggest.TypeAt(f.typ.Schema, f.typ.TypeRef, steps)
		found = ListType(f.typ.Schema, atom.List)
		f.types[names.String()] = found
	}
	return found
}

// ListType returns the compiled form of l, a list type in s. The compiled form includes the
// defaults of keys. ListType returns nil if the list is not associative.
func ListType(s *schema.Schema, l *schema.List) *graph.List {
	if l == nil || !l.ElementRelationship.IsAssociative() {
		return nil
	}
	return compiled.Node(s, schema.TypeRef{Inlined: schema.Atom{List: l}}).List
}

// Identity returns the path element that identifies a list item by its keys. The type of the list
// is nil if the list is not associative. Identity returns false if the list has no keys, or if the
// item lacks a key.
func Identity(list *graph.List, it any) (fieldpath.PathElement, bool) {
	if list == nil || len(list.Keys) == 0 {
		return fieldpath.PathElement{}, false
	}
	return item.Element(list, it)
}

// Named returns path with the keys of list items instead of their indexes. An item that has no
// keys keeps its index.
func (f *Finder) Named(object any, path fieldpath.Path) fieldpath.Path {
	named := make(fieldpath.Path, 0, len(path))
	ref := f.typ.TypeRef
	for _, e := range path {
		atom, _ := f.typ.Schema.Resolve(ref)
		switch v := object.(type) {
		case map[string]any:
			if e.FieldName == nil {
				return append(named, path[len(named):]...)
			}
			object = v[*e.FieldName]
			if ref = (schema.TypeRef{}); atom.Map != nil {
				ref = atom.Map.ElementType
				if field, ok := atom.Map.FindField(*e.FieldName); ok {
					ref = field.Type
				}
			}
		case []any:
			if e.Index == nil || *e.Index >= len(v) || atom.List == nil {
				return append(named, path[len(named):]...)
			}
			object = v[*e.Index]
			ref = atom.List.ElementType
			if name, ok := Identity(ListType(f.typ.Schema, atom.List), object); ok {
				e = name
			}
		}
		named = append(named, e)
	}
	return named
}

// ValueAt returns the value at path in v. Unlike Finder.ValueAt, it does not know the types, so it
// cannot tell whether a missing key of a list item has a default. If no item has all keys in path,
// it accepts an item that has only some of them.
func ValueAt(v any, path fieldpath.Path) (any, bool) {
	for i := range path {
		next, ok := childAt(v, path[i])
		if !ok {
			return nil, false
		}
		v = next
	}
	return v, true
}

// childAt returns the child of v that a path element identifies. It does not know the types, so it
// cannot know whether a key that an item lacks has a default. Therefore, if no item has all keys in
// the path element, it accepts an item that has only some of them.
func childAt(v any, e fieldpath.PathElement) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		if e.FieldName == nil {
			return nil, false
		}
		c, ok := v[*e.FieldName]
		return c, ok
	case []any:
		switch {
		case e.Index != nil:
			if *e.Index < 0 || *e.Index >= len(v) {
				return nil, false
			}
			return v[*e.Index], true
		case e.Value != nil:
			for _, c := range v {
				if value.Equals(value.NewValueInterface(c), *e.Value) {
					return c, true
				}
			}
		case e.Key != nil:
			return itemWithKeys(v, *e.Key)
		}
	}
	return nil, false
}

func itemWithKeys(items []any, keys value.FieldList) (found any, ok bool) {
	for _, c := range items {
		item, isMap := c.(map[string]any)
		if !isMap {
			continue
		}
		all, fits := true, true
		for _, k := range keys {
			switch v := item[k.Name]; {
			case v == nil && !k.Value.IsNull():
				all = false
			case !value.Equals(value.NewValueInterface(v), k.Value):
				fits = false
			}
		}
		if fits && all {
			return c, true
		}
		if fits && !ok {
			found, ok = c, true
		}
	}
	return found, ok
}

// HasDuplicates reports whether an object has duplicate list items. The object must be valid
// otherwise.
func HasDuplicates(t typed.ParseableType, object map[string]any) bool {
	_, err := t.FromUnstructured(object)
	return err != nil
}
