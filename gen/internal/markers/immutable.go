// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Transition returns the transition rule that a marker +immutable asks for,
// NoTransition if it asks for none that there is.
func (m *Marker) Transition() schema.Transition {
	word, err := m.Decode()
	if err != nil {
		return schema.NoTransition
	}
	for _, t := range graph.Transitions() {
		if rule := t.Rule(); !rule.NoMarker && rule.Marker == word {
			return schema.Transition(t)
		}
	}
	return schema.NoTransition
}

// typeImmutable is the marker of a type whose values, wherever they are, have a transition
// rule: those of fields, the items of lists of type map, the values of maps.
const typeImmutable = "type:immutable"

// immutable says whether the marker asks for a transition rule in a word, which may be
// left out.
func (m *Marker) immutable() bool {
	return m.Name == "immutable" || m.Name == EachPrefix+"immutable" || m.Name == typeImmutable
}

// Transition returns the transition rule of a field: that of +immutable, or what its
// tags +k8s:update come to, or else that of its type.
func (s *Source) Transition(f *Field) schema.Transition {
	if m, ok := Find(f.Markers, "immutable"); ok {
		return m.Transition()
	}
	if Has(f.Markers, "k8s:update") {
		rule, _ := s.updateTransition(f.Markers, f.Type)
		return rule
	}
	return s.typeTransition(f.Type)
}

// EachTransition returns the transition rule of the items of a list, or of the values of
// a map: that of a marker on the field, or else that of their type.
func (s *Source) EachTransition(f *Field) schema.Transition {
	if m, ok := Find(f.Markers, EachPrefix+"immutable"); ok {
		return m.Transition()
	}
	elem, ok := Elem(f.Type)
	if !ok || s.Shape(f.Type) == List && !s.keyed(f) {
		return schema.NoTransition
	}
	return s.typeTransition(elem)
}

func (s *Source) typeTransition(t types.Type) schema.Transition {
	if m, ok := Find(s.NamedMarkers(t), typeImmutable); ok {
		return m.Transition()
	}
	return schema.NoTransition
}

// keyed says whether a field is a list of type map.
func (s *Source) keyed(f *Field) bool {
	m, ok := Find(s.allMarkers(f), "listType")
	return ok && unquoted(m.Value) == "map"
}

// checkTypeImmutable holds +type:immutable to what the type is.
func (s *Source) checkTypeImmutable(t *Type) {
	m, ok := Find(t.Markers, typeImmutable)
	if !ok || m.Transition() == schema.NoTransition {
		return
	}
	name := "the type " + t.Object.Name()
	if st, ok := t.Object.Type().Underlying().(*types.Struct); ok {
		for _, f := range s.Fields(st, t.Object) {
			if o := NameOf(f.Type); f.Name == "" && o != nil && PathName(o) == meta+"TypeMeta" {
				s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, name), "it is an object, which is in no other value", "put +immutable on its fields")
				return
			}
		}
	}
	s.checkTransition(m, m.Transition(), name, t.Object.Type(), t.Markers)
}

// checkUses holds a field to what +type:immutable of its type, or of what is in it, says.
func (s *Source) checkUses(f *Field) {
	add := func(o *types.TypeName, why, how string) {
		s.findings.add(f.Var.Pos(), Immutable, fmt.Sprintf("%s is of type %s, which is marked +%s", f, o.Name(), typeImmutable), why, how)
	}
	if f.Name == "" {
		if s.typeTransition(f.Type) != schema.NoTransition {
			add(NameOf(Deref(f.Type)), "the fields of an embedded struct have no common place", "give the field a name, or mark the fields of the type instead")
		}
		return
	}
	t := f.Type
	for depth := 0; depth < maxPointers; depth++ {
		elem, ok := Elem(t)
		if !ok {
			return
		}
		if o := NameOf(Deref(elem)); o != nil && s.typeTransition(elem) != schema.NoTransition && !Has(f.Markers, EachPrefix+"immutable") {
			switch {
			case depth > 0:
				s.findings.add(f.Var.Pos(), NotExpressed, fmt.Sprintf("+%s of %s becomes nothing within %s", typeImmutable, o.Name(), f), "only items and values of what is a field have a rule", "put the type into a struct").warning()
			case s.Shape(f.Type) == List && !s.keyed(f) && s.Transition(f) != schema.Immutable:
				add(o, "only items of lists of type map are the same before and after an update", "add +listType=map and +listMapKey, or mark the list +immutable")
			}
		}
		t = elem
	}
}

// transitionWords are what may stand behind +immutable=.
func transitionWords() (all []string) {
	for _, t := range graph.Transitions() {
		if rule := t.Rule(); !rule.NoMarker && rule.Marker != "" {
			all = append(all, rule.Marker)
		}
	}
	return all
}

// checkImmutable holds +immutable to where it may be: not on what has no name in
// JSON, not on the metadata of objects, and rules about entries on maps and on lists
// that have keys only. So it does with +items:immutable and +values:immutable.
func (s *Source) checkImmutable(f *Field) {
	s.checkUses(f)
	if f.Name == "" {
		for i := range f.Markers {
			switch m := &f.Markers[i]; m.Name {
			case "immutable", "k8s:update", EachPrefix + "immutable":
				s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, f), "the fields of an embedded struct have no common place", "put it on the fields of "+f.Go)
			}
		}
		return
	}
	s.checkUpdates(f)
	if m, ok := Find(f.Markers, "immutable"); ok && !m.trailing && m.Transition() != schema.NoTransition {
		if m.Spelled == "k8s:immutable" {
			s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, f),
				"it is read as +immutable: the value can be neither set, nor changed, nor removed once the object exists; controller-gen lets it be set once",
				"write +immutable, or +immutable=setOnce").warning()
		}
		s.checkTransition(m, m.Transition(), f.String(), f.Type, s.allMarkers(f))
	}
	m, ok := Find(f.Markers, EachPrefix+"immutable")
	if !ok || m.trailing || m.Transition() == schema.NoTransition {
		return // what is wrong with its value is said elsewhere
	}
	shape, wanted := s.Shape(f.Type), "a list or map"
	switch {
	case strings.HasPrefix(m.Spelled, "items:"):
		wanted = "a list"
	case strings.HasPrefix(m.Spelled, "values:"):
		wanted = "a map"
	}
	if shape != List && shape != Map || shape == List && wanted == "a map" || shape == Map && wanted == "a list" {
		s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, f), fmt.Sprintf("it is only allowed on %s, and this is of type %s", wanted, types.TypeString(f.Type, shortPackage)), "")
		return
	}
	if shape == List && !s.keyed(f) {
		s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, f), "only items of lists of type map are the same before and after an update", "add +listType=map and +listMapKey, or mark the list +immutable")
		return
	}
	elem, _ := Elem(f.Type)
	what := "the items of "
	if shape == Map {
		what = "the values of "
	}
	s.checkTransition(m, m.Transition(), what+f.String(), elem, s.NamedMarkers(elem))
}

// checkTransition holds a marker that asks for a transition rule to what it is on, a
// value of type t with those markers.
func (s *Source) checkTransition(m *Marker, transition schema.Transition, name string, t types.Type, all []Marker) {
	add := func(why, how string) {
		s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, name), why, how)
	}
	if o := NameOf(Deref(t)); o != nil && PathName(o) == meta+"ObjectMeta" {
		add("the metadata of objects cannot be immutable", "remove it")
		return
	}
	rule := graph.Transition(transition).Rule()
	if rule.Whole {
		return
	}
	drop := "remove it"
	if _, word, ok := strings.Cut(m.text, "="); ok && m.Spelled != "k8s:update" {
		drop = "remove =" + word
	}
	lists := "lists of type map"
	if rule.Sets {
		lists = "sets and lists of type map"
	}
	switch s.Shape(t) {
	case Map:
		if a, ok := Find(all, "mapType"); ok && unquoted(a.Value) == "atomic" {
			add("an atomic map has no keys of its own", drop+", or +mapType=atomic")
		}
	case List:
		a, ok := Find(all, "listType")
		if !ok || unquoted(a.Value) != "map" && (unquoted(a.Value) != "set" || !rule.Sets) {
			add("only "+lists+" have keys", "add +listType=map and +listMapKey, or "+drop)
		}
	default:
		add(fmt.Sprintf("only maps and %s have keys, and it is of type %s", lists, types.TypeString(t, shortPackage)), drop)
	}
}
