// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// Defaulted is a field of the live object that has a default and that the config leaves out.
type Defaulted struct {
	At   fieldpath.Path
	Path string
	// live is the live value of the field, and def is the default. Same reports whether both are
	// equal.
	live, def any
	Same      bool
	// owners lists the owners of the field in the live object.
	owners []managedfields.Entry
	// Origin describes the source of the default. It is set for built-in kinds.
	Origin string
}

// DefaultSearch finds fields of the live object that have a default and are missing from the
// config. It appends them to Found. It skips fields that the field manager Manager owns by Apply.
type DefaultSearch struct {
	Schema  *schema.Schema
	Owned   *Ownership // nil to ignore owners
	lists   item.ListIndexes
	Manager string
	// Zeroes makes the search ignore defaults that are zero values. OpenAPI documents that were
	// generated from Go types declare such defaults for required fields.
	Zeroes bool
	// Filled is set if the live object was made by filling defaults into the config. An item of a
	// list then has the same index in both objects.
	Filled bool
	Found  []Defaulted
}

// MaxSearch limits the depth of a DefaultSearch.
const MaxSearch = 1000

// Value searches a value and everything inside it. The arguments config and live are the value at
// path in the two objects, and ref is its type. If the config does not contain the value, assumed
// is true, and the argument config is the default of the value.
func (s *DefaultSearch) Value(ref schema.TypeRef, config, live any, assumed bool, path fieldpath.Path) {
	atom, ok := s.Schema.Resolve(ref)
	if !ok || len(path) > MaxSearch {
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

func (s *DefaultSearch) fields(m *schema.Map, config, live map[string]any, assumed bool, path fieldpath.Path) {
	for _, name := range unstructured.SortedKeys(live) {
		ref := m.ElementType
		f, declared := m.FindField(name)
		if declared {
			ref = f.Type
		}
		below := append(path[:len(path):len(path)], fieldpath.FieldNameElement(name))
		c, written := config[name]
		if written && (c != nil || ref.Nullable) {
			s.Value(ref, c, live[name], assumed, below)
			continue
		}
		def := f.Default
		if !declared && written {
			def = m.ElementDefault // replaces null, and does not apply to a missing value
		}
		if declared || written {
			def = s.Nearest(def, ref)
		}
		if def != nil {
			s.Value(ref, def, live[name], true, below)
		}
	}
}

// Nearest returns the default of a field: def if it is not nil, and otherwise the default that the
// field's type declares.
func (s *DefaultSearch) Nearest(def any, ref schema.TypeRef) any {
	if def == nil && ref.NamedType != nil {
		if td, ok := s.Schema.FindNamedType(*ref.NamedType); ok {
			def = td.Default
		}
	}
	return def
}

func (s *DefaultSearch) note(def, live any, path fieldpath.Path) {
	if s.Zeroes && document.IsZero(def) {
		return
	}
	var owners []managedfields.Entry
	if s.Owned != nil {
		owners = s.Owned.Of(path)
	}
	if slices.ContainsFunc(owners, func(e managedfields.Entry) bool {
		return e.Manager == s.Manager && e.Operation == managedfields.OperationApply
	}) {
		return
	}
	s.Found = append(s.Found, Defaulted{
		At:     path,
		Path:   path.String(),
		live:   live,
		def:    def,
		Same:   value.Equals(value.NewValueInterface(def), value.NewValueInterface(live)),
		owners: owners,
	})
}

func (s *DefaultSearch) items(l *schema.List, config, live []any, path fieldpath.Path) {
	list := ListType(s.Schema, l)
	if s.lists == nil {
		s.lists = item.ListIndexes{}
	}
	for i, c := range config {
		e, item, ok := fieldpath.IndexElement(i), any(nil), i < len(live)
		switch {
		case s.Filled && ok:
			item = live[i]
			if named, known := Identity(list, item); known {
				e = named
			}
		case list != nil:
			if e, ok = Identity(list, c); ok {
				at := 0
				if at, ok = s.lists.FindPosition(list, live, e); ok {
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
			s.Value(l.ElementType, s.Nearest(l.ElementDefault, l.ElementType), item, true, below)
		} else {
			s.Value(l.ElementType, c, item, false, below)
		}
	}
}

// String describes the field on one line.
func (l Defaulted) String() string {
	def := "default"
	if !l.Same {
		def += " " + words.Flow(l.def)
	}
	return fmt.Sprintf("%s: %s (%s; owned by %s)", l.Path, words.Flow(l.live), def, words.Owners(l.owners))
}
