// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import "github.com/dovetail-ssa/dovetail/schema"

// settle returns types sorted by name, with the defaults of named types put at
// each place that refers to them and has no default of its own. So the nearest
// default is always at the place itself, which is where a merge looks for the
// default of a key.
func settle(types map[string]schema.TypeDef) []schema.TypeDef {
	s := settler{defaults: map[string]any{}}
	list := make([]schema.TypeDef, 0, len(types))
	for _, name := range sortedKeys(types) {
		td := types[name]
		if td.Default != nil {
			s.defaults[name] = td.Default
		}
		list = append(list, td)
	}
	if len(s.defaults) > 0 {
		for i := range list {
			list[i].Atom, _ = s.atom(list[i].Atom)
		}
	}
	return list
}

// settler changes types by copying what has to change; the rest stays shared
// with other schemas.
type settler struct{ defaults map[string]any }

// place returns a reference and the default at its place, and whether either
// has changed.
func (s settler) place(tr schema.TypeRef, def any) (schema.TypeRef, any, bool) {
	if tr.NamedType == nil {
		var changed bool
		tr.Inlined, changed = s.atom(tr.Inlined)
		return tr, def, changed
	}
	named, ok := s.defaults[*tr.NamedType]
	if def != nil || !ok {
		return tr, def, false
	}
	return tr, named, true
}

func (s settler) atom(a schema.Atom) (schema.Atom, bool) {
	changed := false
	if a.List != nil {
		if tr, def, ok := s.place(a.List.ElementType, a.List.ElementDefault); ok {
			l := *a.List
			l.ElementType, l.ElementDefault = tr, def
			a.List, changed = &l, true
		}
	}
	if a.Map != nil {
		if m, ok := s.mapping(a.Map); ok {
			a.Map, changed = m, true
		}
	}
	return a, changed
}

func (s settler) mapping(m *schema.Map) (*schema.Map, bool) {
	var own *schema.Map
	edit := func() *schema.Map {
		if own == nil {
			own = copyMap(m)
		}
		return own
	}
	if tr, def, ok := s.place(m.ElementType, m.ElementDefault); ok {
		edit().ElementType, own.ElementDefault = tr, def
	}
	for i := range m.Fields {
		f := &m.Fields[i]
		if tr, def, ok := s.place(f.Type, f.Default); ok {
			edit().Fields[i] = schema.StructField{Name: f.Name, Type: tr, Default: def}
		}
	}
	return own, own != nil
}

// copyMap returns a copy of m with fields of its own.
func copyMap(m *schema.Map) *schema.Map {
	return &schema.Map{
		Fields:              append([]schema.StructField(nil), m.Fields...),
		Unions:              m.Unions,
		ElementType:         m.ElementType,
		ElementRelationship: m.ElementRelationship,
		ElementDefault:      m.ElementDefault,
		Required:            m.Required,
		UnknownFields:       m.UnknownFields,
	}
}
