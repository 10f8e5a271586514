// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// Default is what a place takes if it has no value.
type Default struct {
	// Value is the default as ParseJSON returns it.
	Value any
	// Marker is where it is written, nil if it follows from the type.
	Marker *Marker
	// OfType is the named type that the marker is on, nil for a field's own.
	OfType *types.TypeName
	// Const is the constant that the marker refers to, nil if it is JSON.
	Const *types.Const
}

// ownDefault returns the default that the markers at a field or type say, nil if
// there is none. The error has no position.
func (s *Source) ownDefault(all []Marker, p *Package, f *Field) (*Default, error) {
	m, ok := Find(all, "default")
	if !ok {
		return nil, nil
	}
	if m.trailing {
		return nil, nil
	}
	d := &Default{Marker: m}
	if name, ok := reference(m); ok {
		c, err := s.constant(name, p)
		if err != nil {
			return nil, err
		}
		d.Const = c
		if d.Value, err = constantValue(c); err != nil {
			return nil, err
		}
		if f != nil && f.Quoted {
			d.Value = JSON(d.Value)
		}
		return d, nil
	}
	if !m.HasValue {
		return nil, fmt.Errorf("want +default=<JSON>, got %s", m)
	}
	v, err := m.Decode()
	if err != nil {
		got := m.Value
		if got == "" {
			got = "nothing"
		}
		return nil, fmt.Errorf("want one line of JSON, got %s: %w%s", got, err, jsonHint(m))
	}
	if v == nil {
		return nil, fmt.Errorf("want a value, got null, which means that there is none")
	}
	if m, ok := v.(map[string]any); ok && len(m) == 0 && d.Marker.kubebuilder() && f != nil && s.Shape(f.Type) == List {
		// Braces are both there.
		v = []any{}
	}
	d.Value = v
	return d, nil
}

func jsonHint(m *Marker) string {
	text := m.Value
	for _, l := range m.lines {
		text += l
		if _, err := ParseJSON(text); err == nil {
			return "; write all of it on one line"
		}
	}
	switch {
	case len(text) > 1 && strings.HasPrefix(text, "'") && strings.HasSuffix(text, "'"):
		return "; write text in double quotes: " + strconv.Quote(text[1:len(text)-1])
	case text != "" && !strings.ContainsAny(text, " \"{}[]"):
		return "; write text in double quotes: " + strconv.Quote(text)
	}
	return ""
}

// typeDefault returns the default that markers on named types give, from the
// outermost name to what it is made of.
func (s *Source) typeDefault(t types.Type) (*Default, error) {
	for range maxPointers {
		switch x := t.(type) {
		case *types.Alias:
			if d, err := s.declaredDefault(x.Obj()); d != nil || err != nil {
				return d, err
			}
			t = x.Rhs()
		case *types.Pointer:
			t = x.Elem()
		case *types.Named:
			p, ok := x.Underlying().(*types.Pointer)
			if d, err := s.declaredDefault(x.Obj()); d != nil || err != nil || !ok {
				return d, err
			}
			t = p.Elem()
		default:
			return nil, nil
		}
	}
	return nil, nil
}

func (s *Source) declaredDefault(o *types.TypeName) (*Default, error) {
	p := s.packageOf(o)
	if p == nil {
		return nil, nil
	}
	d, err := s.ownDefault(s.typeComments(o).markers, p, nil)
	if d != nil {
		d.OfType = o
	}
	return d, err
}

// Default returns what a field takes that has no value: the default of its own
// marker, or else that of its type's, or else what follows from the type: {} for a
// struct that is no pointer, unless it is omitzero and would stay zero, and the zero value of a scalar that Go clients always
// send. It is nil if there is none, or if the marker cannot be read, which Check
// reports.
func (s *Source) Default(f *Field) *Default {
	d, err := s.marked(f)
	if err != nil {
		return nil
	}
	if d == nil {
		if v, ok := s.implied(f); ok {
			d = &Default{Value: v}
		}
	}
	return d
}

// marked returns the default that a marker gives a field.
func (s *Source) marked(f *Field) (*Default, error) {
	d, err := s.ownDefault(f.Markers, s.packageOf(f.Var), f)
	if d != nil || err != nil {
		return d, err
	}
	return s.typeDefault(f.Type)
}

// TypeDefault returns the default of list items and map values of a type, nil if
// it has none.
func (s *Source) TypeDefault(t types.Type) *Default {
	d, err := s.typeDefault(t)
	if err != nil {
		return nil
	}
	return d
}

// implied returns the default that follows from the type of a field.
func (s *Source) implied(f *Field) (any, bool) {
	if f.Name == "" || isPointer(f.Type) {
		return nil, false
	}
	if s.Shape(f.Type) == Struct {
		return map[string]any{}, !f.OmitZero || s.comesToSomething(f.Type)
	}
	if f.Optional() {
		return nil, false
	}
	if f.Quoted {
		zero, ok := s.Zero(f.Type)
		return JSON(zero), ok
	}
	return s.Zero(f.Type)
}

// comesToSomething says whether a struct that is zero is something else once its
// defaults are filled in. One that is omitzero and stays zero is left out by Go, so
// that {} would be a difference between typed objects and plain data.
func (s *Source) comesToSomething(t types.Type) bool {
	for _, f := range s.Flat(t.Underlying().(*types.Struct), NameOf(t)) {
		d := s.Default(f)
		switch {
		case d == nil:
		case isPointer(f.Type):
			return true
		case s.Shape(f.Type) == Struct:
			if JSON(d.Value) != "{}" || s.comesToSomething(f.Type) {
				return true
			}
		default:
			if zero, ok := s.Zero(f.Type); !ok || JSON(zero) != JSON(d.Value) && !f.Quoted || f.Quoted && JSON(d.Value) != JSON(JSON(zero)) {
				return true
			}
		}
	}
	return false
}

// IsZero says whether JSON data is the zero value of its Go type when it is a
// scalar.
func IsZero(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0
	case float64:
		return v == 0
	}
	return false
}

// String returns the default as it is written.
func (d *Default) String() string {
	if d.Marker == nil || d.Const != nil {
		return JSON(d.Value)
	}
	return d.Marker.Value
}
