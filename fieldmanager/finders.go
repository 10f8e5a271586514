// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/typed"
)

// finders are for many lookups in few values: lists that are asked again and again
// are searched through once. They are not safe for concurrent use.
type finders map[*typed.TypedValue]place

func (f finders) place(tv *typed.TypedValue, path fieldpath.Path) (place, bool) {
	if tv == nil {
		return place{}, false
	}
	root, ok := f[tv]
	if !ok {
		root = rootOf(tv)
		root.lists = item.ListIndexes{}
		root.plain = withStringKeys(root.plain)
		f[tv] = root
	}
	return root.at(path)
}

// value is valueAt.
func (f finders) value(tv *typed.TypedValue, path fieldpath.Path) (any, bool) {
	p, ok := f.place(tv, path)
	return p.plain, ok
}

// defaultOf finds the default that the schema declares for the field at path.
func (f finders) defaultOf(tv *typed.TypedValue, path fieldpath.Path) (any, bool) {
	if len(path) == 0 || path[len(path)-1].FieldName == nil {
		return nil, false
	}
	p, ok := f.place(tv, path[:len(path)-1])
	if !ok {
		return nil, false
	}
	def := p.field(*path[len(path)-1].FieldName).def
	return def, def != nil
}
