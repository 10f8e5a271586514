// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gen

// Model is a schema. The generator can read and change it.
type Model struct {
	Types []*Type
}

// Type is a named type.
type Type struct {
	Name string
	Atom Atom
}

// Atom lists the kinds of values that a type allows. There may be several.
type Atom struct {
	Scalar string
	List   *List
	Map    *Map
}

// List is the type of a list. Rel is its element relationship. For an associative list of
// maps, Keys are the names of the key fields.
type List struct {
	Element Ref
	Rel     string
	Keys    []string
}

// Map is the type of a map. Fields are the declared fields. Element, if not nil, is the type
// of all other entries.
type Map struct {
	Fields  []Field
	Element *Ref
	Rel     string
}

// Field is a declared field.
type Field struct {
	Name       string
	Type       Ref
	Default    any
	HasDefault bool
	// Rich is true if the field is or contains a list that is compared as a whole, and whose items are
	// lists or maps (see markRich).
	Rich bool
}

// Ref refers to a type by name, or contains the type.
type Ref struct {
	Named    string
	Inline   *Atom
	Rel      string
	Nullable bool
}

func (m *Model) find(name string) *Type {
	for _, t := range m.Types {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// resolve returns the atom that a reference contains or refers to by name. If the reference has
// its own element relationship, the atom has this relationship.
func (m *Model) resolve(r Ref) (Atom, bool) {
	var a Atom
	switch {
	case r.Named != "":
		t := m.find(r.Named)
		if t == nil {
			return Atom{}, false
		}
		a = t.Atom
	case r.Inline != nil:
		a = *r.Inline
	}
	if r.Rel == "" {
		return a, true
	}
	switch {
	case a.Map != nil:
		c := *a.Map
		c.Rel = r.Rel
		a.Map = &c
	case a.List != nil:
		c := *a.List
		c.Rel = r.Rel
		a.List = &c
	default:
		return Atom{}, false
	}
	return a, true
}

func (m *Map) field(name string) (Field, bool) {
	for _, f := range m.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Tree returns the schema as YAML data.
func (m *Model) Tree() any {
	types := []any{}
	for _, t := range m.Types {
		n := map[string]any{"name": t.Name}
		t.Atom.render(n)
		types = append(types, n)
	}
	return map[string]any{"types": types}
}

func (a *Atom) render(n map[string]any) {
	if a.Scalar != "" {
		n["scalar"] = a.Scalar
	}
	if a.List != nil {
		l := map[string]any{"elementType": a.List.Element.render()}
		if a.List.Rel != "" {
			l["elementRelationship"] = a.List.Rel
		}
		if len(a.List.Keys) > 0 {
			keys := []any{}
			for _, k := range a.List.Keys {
				keys = append(keys, k)
			}
			l["keys"] = keys
		}
		n["list"] = l
	}
	if a.Map != nil {
		n["map"] = a.Map.render()
	}
}

func (m *Map) render() map[string]any {
	n := map[string]any{}
	if len(m.Fields) > 0 {
		fields := []any{}
		for _, f := range m.Fields {
			n := map[string]any{"name": f.Name, "type": f.Type.render()}
			if f.HasDefault {
				n["default"] = f.Default
			}
			fields = append(fields, n)
		}
		n["fields"] = fields
	}
	if m.Element != nil {
		n["elementType"] = m.Element.render()
	}
	if m.Rel != "" {
		n["elementRelationship"] = m.Rel
	}
	return n
}

func (r *Ref) render() map[string]any {
	n := map[string]any{}
	if r.Named != "" {
		n["namedType"] = r.Named
	}
	if r.Inline != nil {
		r.Inline.render(n)
	}
	if r.Rel != "" {
		n["elementRelationship"] = r.Rel
	}
	if r.Nullable {
		n["nullable"] = true
	}
	return n
}
