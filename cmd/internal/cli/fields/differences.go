// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// Differences returns the leaves in which two objects differ, and the lists whose items only
// changed places. Unlike Changes, it accepts objects that are not valid, and reports defaults,
// nulls and values that a server counts. It does not compare managed fields.
func Differences(t typed.ParseableType, before, after map[string]any) []Change {
	d := &differing{find: NewFinder(t)}
	d.value(nil, side{unstructured.WithoutManagedFields(before), before != nil}, side{unstructured.WithoutManagedFields(after), after != nil})
	return d.found
}

// differing collects differences.
type differing struct {
	find  *Finder
	found []Change
}

// side is a value of one of two objects, which may not have it.
type side struct {
	value any
	there bool
}

func (d *differing) value(path fieldpath.Path, a, b side) {
	oldMap, oldIsMap := a.value.(map[string]any)
	newMap, newIsMap := b.value.(map[string]any)
	oldList, oldIsList := a.value.([]any)
	newList, newIsList := b.value.([]any)
	switch { // what becomes empty is a leaf, so that {} is seen
	case a.there && b.there && value.EqualUnstructured(a.value, b.value):
	case (oldIsMap || !a.there) && (newIsMap || !b.there) && len(oldMap)+len(newMap) > 0 && (len(path) == 0 || !newIsMap || len(newMap) > 0):
		names := maps.Clone(oldMap)
		if names == nil {
			names = map[string]any{}
		}
		maps.Copy(names, newMap)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			was, had := oldMap[name]
			is, has := newMap[name]
			d.value(below(path, fieldpath.FieldNameElement(name)), side{was, had}, side{is, has})
		}
	case (oldIsList || !a.there) && (newIsList || !b.there) && len(oldList)+len(newList) > 0 && (!newIsList || len(newList) > 0):
		d.items(path, oldList, newList)
	default:
		d.found = append(d.found, Change{Path: path, Old: a.value, New: b.value, HasOld: a.there, HasNew: b.there})
	}
}

// items pairs items by their identities, or by their places in lists without identities.
func (d *differing) items(path fieldpath.Path, old, new []any) {
	oldNames, identified := d.names(path, old)
	newNames, too := d.names(path, new)
	if !identified || !too {
		for i := range max(len(old), len(new)) {
			d.value(below(path, fieldpath.IndexElement(i)), at(old, i), at(new, i))
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
			d.value(below(path, name), side{}, side{new[i], true})
			continue
		}
		delete(places, name.String())
		moved, last = moved || was < last, was
		d.value(below(path, name), side{old[was], true}, side{new[i], true})
	}
	for i, name := range oldNames {
		if _, gone := places[name.String()]; gone {
			d.value(below(path, name), side{old[i], true}, side{})
		}
	}
	if moved && len(d.found) == found {
		d.found = append(d.found, Change{Path: path, Old: old, New: new, HasOld: true, HasNew: true})
	}
}

// names returns the identities of items, if all have one and no two have the same.
func (d *differing) names(path fieldpath.Path, items []any) ([]fieldpath.PathElement, bool) {
	list := d.find.listAt(path)
	if list == nil {
		return nil, false
	}
	names := make([]fieldpath.PathElement, len(items))
	seen := make(map[string]bool, len(items))
	for i, it := range items {
		name, ok := item.Identity(list, it)
		if !ok || seen[name.String()] {
			return nil, false
		}
		names[i], seen[name.String()] = name, true
	}
	return names, true
}

func at(items []any, i int) side {
	if i >= len(items) {
		return side{}
	}
	return side{items[i], true}
}

func below(path fieldpath.Path, e fieldpath.PathElement) fieldpath.Path {
	return append(path[:len(path):len(path)], e)
}
