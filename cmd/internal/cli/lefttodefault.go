// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// leftToDefault is a field that the live object has and the config leaves to
// its default.
type leftToDefault struct {
	at   fieldpath.Path
	path string
	// live is what the live object has, def the default; same says whether
	// they are equal.
	live, def any
	same      bool
	// owners own the field in the live object.
	owners []fieldmanager.Entry
}

// leftToDefaults returns the fields that the config of o leaves to their
// defaults, as far as the live object has them. A field that the manager
// itself owns is not among them: the apply takes it back.
func (o *outcome) leftToDefaults(manager string, fromGo bool) []leftToDefault {
	if o.live == nil {
		return nil
	}
	s := &defaultSearch{
		schema:  o.typ.Schema,
		owned:   newOwnership(o.liveEntries()),
		manager: manager,
		zeroes:  fromGo,
	}
	s.value(o.typ.TypeRef, withoutManagedFields(o.sent()), withoutManagedFields(o.before), false, nil)
	slices.SortStableFunc(s.found, func(a, b leftToDefault) int { return strings.Compare(a.path, b.path) })
	return s.found
}

type defaultSearch struct {
	schema  *schema.Schema
	owned   *ownership // nil if owners do not matter
	lists   engine.ListIndexes
	manager string
	// zeroes says that a default that is a zero value means nothing: Go's
	// way to publish a required field.
	zeroes bool
	// filled says that live is what filling in defaults made of config: items
	// are where they were.
	filled bool
	found  []leftToDefault
}

// maxSearch bounds how deep the search follows the live object.
const maxSearch = 1000

// value searches below a place that both the config and the live object have.
// assumed says that config is itself a default.
func (s *defaultSearch) value(ref schema.TypeRef, config, live any, assumed bool, path fieldpath.Path) {
	atom, ok := s.schema.Resolve(ref)
	if !ok || len(path) > maxSearch {
		return
	}
	switch l := live.(type) {
	case map[string]any:
		if c, ok := config.(map[string]any); ok && atom.Map != nil && !(assumed && len(l) == 0) {
			s.fields(atom.Map, c, l, assumed, path)
			return
		}
	case []any:
		if c, ok := config.([]any); ok && atom.List != nil && !assumed {
			s.items(atom.List, c, l, path)
			return
		}
	}
	if assumed {
		s.note(config, live, path)
	}
}

func (s *defaultSearch) fields(m *schema.Map, config, live map[string]any, assumed bool, path fieldpath.Path) {
	for _, name := range sortedKeys(live) {
		ref := m.ElementType
		f, declared := m.FindField(name)
		if declared {
			ref = f.Type
		}
		below := append(path[:len(path):len(path)], fieldpath.FieldNameElement(name))
		c, written := config[name]
		if written && (c != nil || ref.Nullable) {
			s.value(ref, c, live[name], assumed, below)
			continue
		}
		def := f.Default
		if !declared && written {
			def = m.ElementDefault // an absent value of a map has no default
		}
		if declared || written {
			def = s.nearest(def, ref)
		}
		if def != nil {
			s.value(ref, def, live[name], true, below)
		}
	}
}

// nearest returns the default of a place, or else that of the type it refers to.
func (s *defaultSearch) nearest(def any, ref schema.TypeRef) any {
	if def == nil && ref.NamedType != nil {
		if td, ok := s.schema.FindNamedType(*ref.NamedType); ok {
			def = td.Default
		}
	}
	return def
}

func isZero(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case bool:
		return !v
	case int:
		return v == 0
	case int64:
		return v == 0
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func (s *defaultSearch) note(def, live any, path fieldpath.Path) {
	if s.zeroes && isZero(def) {
		return
	}
	var owners []fieldmanager.Entry
	if s.owned != nil {
		owners = s.owned.of(path)
	}
	if slices.ContainsFunc(owners, func(e fieldmanager.Entry) bool {
		return e.Manager == s.manager && e.Operation == fieldmanager.OperationApply
	}) {
		return
	}
	s.found = append(s.found, leftToDefault{
		at:     path,
		path:   path.String(),
		live:   live,
		def:    def,
		same:   value.Equals(value.NewValueInterface(def), value.NewValueInterface(live)),
		owners: owners,
	})
}

func (s *defaultSearch) items(l *schema.List, config, live []any, path fieldpath.Path) {
	list := listType(s.schema, l)
	if s.lists == nil {
		s.lists = engine.ListIndexes{}
	}
	for i, c := range config {
		e, item, ok := fieldpath.IndexElement(i), any(nil), i < len(live)
		switch {
		case s.filled && ok:
			item = live[i]
			if named, known := identity(list, item); known {
				e = named
			}
		case list != nil:
			if e, ok = identity(list, c); ok {
				at := 0
				if at, ok = s.lists.Find(list, live, e); ok {
					item = live[at]
				}
			}
		case ok:
			item = live[i]
		}
		if !ok {
			continue
		}
		below := append(path[:len(path):len(path)], e)
		if c == nil && item != nil {
			s.value(l.ElementType, s.nearest(l.ElementDefault, l.ElementType), item, true, below)
		} else {
			s.value(l.ElementType, c, item, false, below)
		}
	}
}

// identity returns the element that names an item of an associative list of
// maps, of which list is the type, nil of another list.
func identity(list *graph.List, item any) (fieldpath.PathElement, bool) {
	if list == nil || len(list.Keys) == 0 {
		return fieldpath.PathElement{}, false
	}
	return engine.Identity(list, item)
}

// String describes the field in one line.
func (l leftToDefault) String() string {
	def := "default"
	if !l.same {
		def += " " + flow(l.def)
	}
	return fmt.Sprintf("%s: %s (%s; owned by %s)", l.path, flow(l.live), def, describeOwners(l.owners))
}
