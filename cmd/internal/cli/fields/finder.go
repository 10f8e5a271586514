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

// Finder finds values by path in objects of a type, which knows how items are named. It
// searches through long lists once, so they have to stay as they are.
type Finder struct {
	typ   typed.ParseableType
	lists item.ListIndexes
	types map[string]*graph.List // of lists by the names of the fields on the way to them
}

// NewFinder finds values in objects of type t.
func NewFinder(t typed.ParseableType) *Finder {
	return &Finder{t, item.ListIndexes{}, map[string]*graph.List{}}
}

// topmostMissing returns the shortest beginning of path that object does not
// have or that is null in it, or path itself.
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

// ValueAt returns what path leads to in v, and whether there is anything.
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

// childAt finds what path leads to in v, to which all of it but the last element does.
func (f *Finder) childAt(v any, path fieldpath.Path) (any, bool) {
	last := path[len(path)-1]
	items, isList := v.([]any)
	if list := f.list(path); isList && list != nil {
		i, ok := f.lists.Find(list, items, last)
		if !ok {
			return nil, false
		}
		return items[i], true
	}
	return childAt(v, last)
}

// ItemsAt returns all items of a list that path names, nil of a path to something else.
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

// upToDuplicate returns path, or its beginning that names an item which v has several
// times: what is below is in one or the other of them.
func (f *Finder) upToDuplicate(v any, path fieldpath.Path) fieldpath.Path {
	for i := range path {
		if len(f.ItemsAt(v, path[:i+1])) > 1 {
			return path[:i+1]
		}
	}
	return path
}

// list returns the type of the list of which path names an item; nil if it names
// something else, or there is no such type.
func (f *Finder) list(path fieldpath.Path) *graph.List {
	if last := path[len(path)-1]; last.Key == nil && last.Value == nil {
		return nil
	}
	path = path[:len(path)-1]
	var way strings.Builder
	steps := make([]any, 0, len(path))
	for _, e := range path {
		way.WriteByte('\n')
		if e.FieldName != nil {
			way.WriteString(*e.FieldName)
			steps = append(steps, *e.FieldName)
		} else {
			steps = append(steps, 0) // any item: they are of one type
		}
	}
	found, ok := f.types[way.String()]
	if !ok {
		atom, _ := suggest.TypeAt(f.typ.Schema, f.typ.TypeRef, steps)
		found = ListType(f.typ.Schema, atom.List)
		f.types[way.String()] = found
	}
	return found
}

// ListType is a type of lists of a schema as the engine has it, which knows the
// defaults of keys; nil if they have none.
func ListType(s *schema.Schema, l *schema.List) *graph.List {
	if l == nil || !l.ElementRelationship.IsAssociative() {
		return nil
	}
	return compiled.Node(s, schema.TypeRef{Inlined: schema.Atom{List: l}}).List
}

// Identity returns the element that names an item of an associative list of
// maps, of which list is the type, nil of another list.
func Identity(list *graph.List, it any) (fieldpath.PathElement, bool) {
	if list == nil || len(list.Keys) == 0 {
		return fieldpath.PathElement{}, false
	}
	return item.Identity(list, it)
}

// Named is a path to a place in object, in which items of lists have their indexes, with
// the names of the items that have one.
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

// ValueAt is what a Finder finds, without the type: see childAt.
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

// childAt finds the child that e names. Without the type of a list, a key that an item
// lacks may be anything, so such an item will do if no other has all keys.
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

// HasDuplicates says whether a valid object has items of one identity.
func HasDuplicates(t typed.ParseableType, object map[string]any) bool {
	_, err := t.FromUnstructured(object)
	return err != nil
}
