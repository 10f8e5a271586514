// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"errors"
	"fmt"
	"go/types"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// checkMarkers holds markers to what they may be, and where.
func (s *Source) checkMarkers(all []Marker, on places, name string, t types.Type) {
	count := map[string]*Marker{}
	for i := range all {
		m := &all[i]
		k, ok := known[m.Spelled]
		if !ok {
			s.checkSpelling(m, name)
			continue
		}
		if m.trailing {
			s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s is behind the field %s", m, name), "markers are read above a field only", "move it above the field")
			continue
		}
		if m.detached && on == onField {
			s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s is parted from the field %s by a blank line", m, name),
				"generators differ on whether they read it", "remove the blank line").warning()
		}
		if k.on&on == 0 && on == onType && m.Name == "immutable" {
			s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on the type %s", m, name), "it is only allowed on fields: every use of the type would be immutable", "put it on the fields that are immutable")
			continue
		}
		if k.on&on == 0 {
			if k.on != onPackage {
				s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s is on %s", m, name), "it is only allowed on "+k.on.String(), "").warning()
			}
			continue
		}
		if other := count[m.Name]; other != nil && !k.many {
			s.twice(other, m, name)
			continue
		}
		count[m.Name] = m
		if m.Name != "default" {
			if err := m.wrong(k); err != nil {
				rule := MarkerValue
				if m.Name == "immutable" {
					rule = Immutable
				}
				f := s.findings.add(m.pos, rule, fmt.Sprintf("%s of %s", m, name), err.Error(), "")
				f.Warning = m.Spelled != m.Name
				continue
			}
		}
		s.checkOn(m, k, all, name, t)
	}
	if a, b := count["optional"], count["required"]; a != nil && b != nil {
		s.findings.add(b.pos, MarkerValue, fmt.Sprintf("%s is %s and %s", name, a, b), "the two are mutually exclusive", "remove one").Warning = a.kubebuilder() || b.kubebuilder()
	}
}

// wrong returns what is wrong with the value of a marker. Regular expressions are
// Go's, which the API server compiles, too.
func (m *Marker) wrong(k kind) error {
	v, err := m.Decode()
	if err != nil || k.form != regular {
		return err
	}
	text, _ := v.(string)
	_, err = regexp.Compile(text)
	if bad := (*syntax.Error)(nil); errors.As(err, &bad) {
		return fmt.Errorf("want a regular expression of Go's, got %q: %s", bad.Expr, bad.Code)
	}
	return err
}

// twice reports a marker that is there again, unless it says the same in other
// words.
func (s *Source) twice(a, b *Marker, name string) {
	x, _ := a.Decode()
	y, _ := b.Decode()
	same := a.Spelled != b.Spelled && JSON(x) == JSON(y)
	switch {
	case b.Name == "default" && !same:
		s.findings.add(b.pos, DefaultTwice, fmt.Sprintf("%s has two defaults, %s and %s", name, a, b), "", "remove one")
	case b.Name == "immutable" && !same:
		s.findings.add(b.pos, Immutable, fmt.Sprintf("%s is marked %s and %s", name, a, b), "the two are mutually exclusive: the first covers the keys", "remove one")
	case a.Spelled == b.Spelled && a.Value != b.Value && known[a.Spelled].form != anything:
		s.findings.add(b.pos, MarkerValue, fmt.Sprintf("%s is marked %s and %s", name, a, b), "", "remove one").warning()
	}
}

// checkOn holds a marker to the kind of type it is on.
func (s *Source) checkOn(m *Marker, k kind, all []Marker, name string, t types.Type) {
	if len(k.of) == 0 || Has(all, "kubebuilder:validation:Type") || Has(all, "kubebuilder:validation:Schemaless") {
		return
	}
	if strings.HasPrefix(m.Spelled, ItemsPrefix) {
		elem, ok := Elem(t)
		if !ok {
			s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s is on %s of type %s", m, name, types.TypeString(t, shortPackage)), "it is only allowed on lists", "").warning()
			return
		}
		t = elem
	}
	got := s.jsonType(t)
	if got == "" || slices.Contains(k.of, got) || got == "integer" && slices.Contains(k.of, "number") {
		return
	}
	s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s is on %s, which is of type %s in JSON", m, name, got), "it is only allowed on "+alternatives(k.of), "").warning()
}

// jsonType returns the type of a value in JSON, nothing if it may be several.
func (s *Source) jsonType(t types.Type) string {
	switch s.Shape(t) {
	case String, Bytes:
		return "string"
	case Boolean:
		return "boolean"
	case Integer:
		return "integer"
	case Number:
		return "number"
	case List:
		return "array"
	case Map, Struct:
		return "object"
	case Custom:
		if k, ok := s.Known(t); ok && !k.IntOrString {
			return k.Type
		}
	}
	return ""
}

func (p places) String() string {
	var words []string
	for i, w := range []string{"fields", "types", "packages"} {
		if p&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return alternatives(words)
}
