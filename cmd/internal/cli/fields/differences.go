// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// Differences returns the leaves at which two objects differ. It also returns lists whose items
// are equal but in a different order. It ignores managed fields. Unlike Changes, it accepts
// invalid objects, and it compares all other fields, such as metadata.generation.
func Differences(t typed.ParseableType, before, after map[string]any) []Change {
	d := &differ{schema: t.Schema, lists: map[*schema.List]*graph.List{}}
	d.value(nil, t.TypeRef, side{unstructured.WithoutManagedFields(before), before != nil}, side{unstructured.WithoutManagedFields(after), after != nil})
	return d.found
}

// differ collects the differences between two objects.
type differ struct {
	schema *schema.Schema
	lists  map[*schema.List]*graph.List
	found  []Change
}

// A side is the value at a path in one of the two objects. The object may have no such value.
type side struct {
	value   any
	present bool
}

// value compares the values of two objects at the same path. The argument t is their type. Like
// append, value may overwrite the memory after the end of path.
func (d *differ) value(path fieldpath.Path, t schema.TypeRef, a, b side) {
	if !a.present && !b.present || a.present && b.present && sameMemory(a.value, b.value) {
		return
	}
	oldMap, oldIsMap := a.value.(map[string]any)
	newMap, newIsMap := b.value.(map[string]any)
	oldList, oldIsList := a.value.([]any)
	newList, newIsList := b.value.([]any)
	switch { // a list or map that becomes empty is a change of the whole value
	case (oldIsMap || !a.present) && (newIsMap || !b.present) && len(oldMap)+len(newMap) > 0 && (len(path) == 0 || !newIsMap || len(newMap) > 0):
		names := make(map[string]bool, len(oldMap)+len(newMap))
		for name := range oldMap {
			names[name] = true
		}
		for name := range newMap {
			names[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			was, had := oldMap[name]
			is, has := newMap[name]
			d.value(append(path, fieldpath.FieldNameElement(name)), d.fieldType(t, name), side{was, had}, side{is, has})
		}
	case (oldIsList || !a.present) && (newIsList || !b.present) && len(oldList)+len(newList) > 0 && (!newIsList || len(newList) > 0):
		d.items(path, t, oldList, newList)
	case !a.present || !b.present || !value.EqualUnstructured(a.value, b.value):
		d.found = append(d.found, Change{Path: path.Copy(), Old: a.value, New: b.value, HasOld: a.present, HasNew: b.present})
	}
}

// sameMemory reports whether two values are the same map or list in memory.
func sameMemory(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && box.SameMap(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
	}
	return false
}

// fieldType returns the type of the named field in a value of type t. If the type is unknown,
// it returns an empty reference.
func (d *differ) fieldType(t schema.TypeRef, name string) schema.TypeRef {
	atom, _ := d.schema.Resolve(t)
	if atom.Map == nil {
		return schema.TypeRef{}
	}
	if field, ok := atom.Map.FindField(name); ok {
		return field.Type
	}
	return atom.Map.ElementType
}

// itemType returns the type of a list and the type of its items. t refers to the type of the
// list. The list type is nil if the list is not associative.
func (d *differ) itemType(t schema.TypeRef) (*graph.List, schema.TypeRef) {
	atom, _ := d.schema.Resolve(t)
	if atom.List == nil {
		return nil, schema.TypeRef{}
	}
	list, ok := d.lists[atom.List]
	if !ok {
		list = ListType(d.schema, atom.List)
		d.lists[atom.List] = list
	}
	return list, atom.List.ElementType
}

// items compares two lists. It pairs items with the same keys or, in a set, with the same value.
// If this is impossible because of missing keys or duplicates, it pairs items by index.
func (d *differ) items(path fieldpath.Path, t schema.TypeRef, old, new []any) {
	list, itemRef := d.itemType(t)
	oldNames, oldOK := namesOf(list, old)
	newNames, newOK := namesOf(list, new)
	if !oldOK || !newOK {
		for i := range max(len(old), len(new)) {
			d.value(append(path, fieldpath.IndexElement(i)), itemRef, sideAt(old, i), sideAt(new, i))
		}
		return
	}
	found := len(d.found)
	places := make(map[string]int, len(old))
	for i, name := range oldNames {
		places[name.String()] = i
	}
	moved, last := false, -1
	for i, name := range newNames {
		was, had := places[name.String()]
		if !had {
			d.value(append(path, name), itemRef, side{}, side{new[i], true})
			continue
		}
		delete(places, name.String())
		moved, last = moved || was < last, was
		d.value(append(path, name), itemRef, side{old[was], true}, side{new[i], true})
	}
	for i, name := range oldNames {
		if _, gone := places[name.String()]; gone {
			d.value(append(path, name), itemRef, side{old[i], true}, side{})
		}
	}
	if moved && len(d.found) == found {
		d.found = append(d.found, Change{Path: path.Copy(), Old: old, New: new, HasOld: true, HasNew: true})
	}
}

// namesOf returns a path element for each item, which identifies the item by its keys or its value.
// It returns false if an item has no such element, or if two items have the same element.
func namesOf(list *graph.List, items []any) ([]fieldpath.PathElement, bool) {
	if list == nil {
		return nil, false
	}
	names := make([]fieldpath.PathElement, len(items))
	seen := make(map[string]bool, len(items))
	for i, it := range items {
		name, ok := item.Element(list, it)
		if !ok || seen[name.String()] {
			return nil, false
		}
		names[i], seen[name.String()] = name, true
	}
	return names, true
}

func sideAt(items []any, i int) side {
	if i >= len(items) {
		return side{}
	}
	return side{items[i], true}
}
