// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// topmostMissing returns the shortest prefix of path at which the object has null or no value. If
// there is no such prefix, it returns the whole path.
func topmostMissing(object *place.Place, path fieldpath.Path) fieldpath.Path {
	at := *object
	for i, element := range path {
		next, ok := at.Step(element)
		if !ok || next.Plain == nil {
			return path[:i+1]
		}
		at = next
	}
	return path
}

// upToDuplicate shortens a path so that it ends at the first list item that has duplicates in the
// object, because longer paths would be ambiguous. If there are no duplicates, it returns the whole
// path.
func upToDuplicate(object *place.Place, path fieldpath.Path) fieldpath.Path {
	if item, _ := object.Duplicate(path); item != nil {
		return item
	}
	return path
}

// ListType returns the compiled form of l, a list type in s. The compiled form includes the
// defaults of keys. ListType returns nil if the list is not associative.
func ListType(s *schema.Schema, l *schema.List) *graph.List {
	if l == nil || !l.ElementRelationship.IsAssociative() {
		return nil
	}
	return compiled.Node(s, schema.TypeRef{Inlined: schema.Atom{List: l}}).List
}

// Identity returns the path element that identifies a list item by its keys. The argument list is a
// result of ListType, and is nil if the list is not associative. Identity returns false if the list
// has no keys, or if the item lacks a key.
func Identity(list *graph.List, it any) (fieldpath.PathElement, bool) {
	if list == nil || len(list.Keys) == 0 {
		return fieldpath.PathElement{}, false
	}
	return item.Element(list, it)
}

// Named returns path with the keys of list items instead of their indexes. An item without keys
// keeps its index. path is a path in the argument object, which has type t.
func Named(t typed.ParseableType, object any, path fieldpath.Path) fieldpath.Path {
	named := make(fieldpath.Path, 0, len(path))
	ref := t.TypeRef
	for _, e := range path {
		atom, _ := t.Schema.Resolve(ref)
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
			if name, ok := Identity(ListType(t.Schema, atom.List), object); ok {
				e = name
			}
		}
		named = append(named, e)
	}
	return named
}

// ValueAt returns the value at path in v. Unlike a place.Place, it does not know the types, so it
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
