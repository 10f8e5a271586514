// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
)

// noteNulls says what became of each null of an object when its defaults were filled
// in: whether it went, took a default, or stays because it is a value.
func (r *run) noteNulls(o *outcome) {
	w := &nullSearch{defaultSearch: defaultSearch{schema: o.typ.Schema, filled: true}}
	w.visit(o.typ.TypeRef, o.object.Content, o.content, nil)
	for i, line := range w.lines {
		if i == maxNulls {
			r.note(o, "and %d nulls more", len(w.lines)-i)
			break
		}
		r.note(o, "%s", line)
	}
}

// maxNulls bounds how many nulls of one object are told.
const maxNulls = 100

// nullSearch walks an object beside what filling in defaults made of it.
type nullSearch struct {
	defaultSearch
	lines []string
}

func (w *nullSearch) visit(ref schema.TypeRef, before, after any, path fieldpath.Path) {
	atom, ok := w.schema.Resolve(ref)
	if !ok || len(path) > maxSearch {
		return
	}
	switch b := before.(type) {
	case map[string]any:
		a, _ := after.(map[string]any)
		if atom.Map == nil {
			return
		}
		for _, name := range sortedKeys(b) {
			below := atom.Map.ElementType
			if f, declared := atom.Map.FindField(name); declared {
				below = f.Type
			}
			v, there := a[name]
			w.child(below, b[name], v, there, append(path[:len(path):len(path)], fieldpath.FieldNameElement(name)))
		}
	case []any:
		a, _ := after.([]any)
		list := listType(w.schema, atom.List)
		for i, item := range b {
			if i >= len(a) || atom.List == nil {
				return
			}
			e := fieldpath.IndexElement(i)
			if named, known := identity(list, a[i]); known {
				e = named
			}
			w.child(atom.List.ElementType, item, a[i], true, append(path[:len(path):len(path)], e))
		}
	}
}

func (w *nullSearch) child(ref schema.TypeRef, before, after any, there bool, path fieldpath.Path) {
	if before != nil {
		w.visit(ref, before, after, path)
		return
	}
	says := "null stays: it is a value here (nullable)"
	switch {
	case !there:
		says = "null goes: it is no value here, and there is no default"
	case after != nil:
		says = "null takes the default " + flow(after)
	case !ref.Nullable:
		says = "null stays: there is no default"
	}
	w.lines = append(w.lines, fmt.Sprintf("%s: %s", path, says))
}
