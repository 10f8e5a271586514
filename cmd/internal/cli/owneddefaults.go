// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// noteOwnedDefaults warns of fields of a config that say no more than if they were
// left out, or may not have been meant: those that have their default, zero values and
// nulls. Whoever applies the config owns them, and conflicts with others about them.
// Keys of list items have to be there, and metadata is left alone.
func (o *outcome) noteOwnedDefaults() {
	w := &writtenSearch{defaultSearch: defaultSearch{schema: o.typ.Schema}}
	atom, ok := o.typ.Schema.Resolve(o.typ.TypeRef)
	if !ok || atom.Map == nil {
		return
	}
	plain := shallow(o.object.Content)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(plain, name)
	}
	w.fields(atom.Map, plain, nil, nil)
	for _, f := range w.found {
		o.warn(f.path, f.message)
	}
}

// writtenSearch finds what a config says without need.
type writtenSearch struct {
	defaultSearch
	found []struct{ path, message string }
}

func (w *writtenSearch) note(path fieldpath.Path, format string, args ...any) {
	w.found = append(w.found, struct{ path, message string }{path.String(), fmt.Sprintf(format, args...)})
}

// fields looks at the fields of a map that is merged field by field; keys are those
// that name the item that it is.
func (w *writtenSearch) fields(m *schema.Map, config map[string]any, keys []string, path fieldpath.Path) {
	for _, name := range sortedKeys(config) {
		if slices.Contains(keys, name) {
			continue
		}
		below := append(path[:len(path):len(path)], fieldpath.FieldNameElement(name))
		if f, declared := m.FindField(name); declared {
			w.field(f.Type, w.nearest(f.Default, f.Type), config[name], below)
		} else if !isZero(config[name]) { // a label may be empty, and has no default
			w.field(m.ElementType, nil, config[name], below)
		}
	}
}

func (w *writtenSearch) field(ref schema.TypeRef, def, v any, path fieldpath.Path) {
	atom, _ := w.schema.Resolve(ref)
	if v == nil && ref.Nullable {
		return
	}
	switch {
	case def != nil && value.Equals(value.NewValueInterface(def), value.NewValueInterface(v)):
		w.note(path, "is %s, its default: you will own it; it would be the same, and nobody's, if it were left out", flow(v))
		return
	case v == nil:
		w.note(path, "is null: you will own it; leave it out if it is only not set")
		return
	case isZero(v):
		w.note(path, "is %s: you will own it; leave it out if it is only not set", flow(v))
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if atom.Map != nil && atom.Map.ElementRelationship != schema.Atomic {
			w.fields(atom.Map, v, nil, path)
		}
	case []any:
		if atom.List != nil && atom.List.ElementRelationship == schema.Associative {
			w.items(atom.List, v, path)
		}
	}
}

func (w *writtenSearch) items(l *schema.List, items []any, path fieldpath.Path) {
	atom, ok := w.schema.Resolve(l.ElementType)
	if !ok || atom.Map == nil || atom.Map.ElementRelationship == schema.Atomic {
		return
	}
	list := listType(w.schema, l)
	for _, item := range items {
		m, isMap := item.(map[string]any)
		if e, named := identity(list, item); isMap && named {
			w.fields(atom.Map, m, l.Keys, append(path[:len(path):len(path)], e))
		}
	}
}
