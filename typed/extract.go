// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// ExtractItemsOption is an option of ExtractItems.
type ExtractItemsOption func(*extractItemsOptions)

type extractItemsOptions struct {
	appendKeyFields bool
}

// WithAppendKeyFields makes ExtractItems also keep the keys of list items. If the result contains
// any part of an item, it also contains the item's key fields, so that it can be merged back.
func WithAppendKeyFields() ExtractItemsOption {
	return func(opts *extractItemsOptions) { opts.appendKeyFields = true }
}

// ExtractItems returns a value that contains only the given paths of tv. If the set items contains the
// path of a list item and no path below it, the result contains the whole item. If the set contains any
// path of an atomic map or list, the result contains the whole map or list. The result is null if tv
// has none of the paths, unless tv itself is atomic or empty.
//
// There is a special case, as in structured-merge-diff. If the set contains the path of a map or list
// that is merged item by item, the paths at the same level of the set also apply inside that map or
// list. For example, if .a is such a map, the path .a also selects the field .a.a.
//
// ExtractItems panics if it would have to read more than 10,000 levels of an unvalidated value.
func (tv TypedValue) ExtractItems(items *fieldpath.Set, opts ...ExtractItemsOption) *TypedValue {
	var options extractItemsOptions
	for _, opt := range opts {
		opt(&options)
	}
	if options.appendKeyFields {
		items = items.Union(tv.keyFields(items))
	}
	return typedOf(tv.operand().Only(items))
}

// keyFields returns the paths of the key fields of list items. It considers each item whose path is in
// items, or is a parent of a path in items. If ToFieldSet can determine the paths of the value,
// keyFields ignores paths that the value does not have.
func (tv TypedValue) keyFields(items *fieldpath.Set) *fieldpath.Set {
	if own, err := tv.ToFieldSet(); err == nil {
		items = items.Intersection(own)
	}
	if keys, _ := keysIn(items); keys != nil {
		return keys
	}
	return fieldpath.NewSet()
}

// keysIn returns the paths of the key fields of list items, or nil if there are none. It considers
// each item whose path is in set, or is a parent of a path in set. The result some is true if set
// has any paths.
func keysIn(set *fieldpath.Set) (keys *fieldpath.Set, some bool) {
	members, children := set.Members.Sorted(), set.Children.Sorted()
	var nodes []fieldpath.SetNode
	for i := range children {
		pe := children[i].PathElement
		below, found := keysIn(children[i].Set)
		if !found {
			continue
		}
		some = true
		if hasKeys(pe) {
			if below == nil {
				below = fieldpath.NewSet()
			}
			insertKeys(below, pe)
		}
		if below != nil {
			nodes = append(nodes, fieldpath.SetNode{PathElement: pe, Set: below})
		}
	}
	if len(nodes) > 0 {
		keys = fieldpath.FromSorted(nil, nodes)
	}
	for i := range members {
		if hasKeys(members[i]) {
			if keys == nil {
				keys = fieldpath.NewSet()
			}
			insertKeys(keys.Children.Descend(members[i]), members[i])
		}
	}
	return keys, some || len(members) > 0
}

func hasKeys(pe fieldpath.PathElement) bool { return pe.Key != nil && len(*pe.Key) > 0 }

func insertKeys(set *fieldpath.Set, pe fieldpath.PathElement) {
	for _, field := range *pe.Key {
		set.Members.Insert(fieldpath.FieldNameElement(field.Name))
	}
}
