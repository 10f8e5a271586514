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

// Transition returns the transition rule that the value of an +immutable marker selects, or
// NoTransition if the value is invalid.
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

// typeImmutable is the marker that sets a transition rule for every value of a type. The value
// can be a field, an item of a list of type map, or a map value.
const typeImmutable = "type:immutable"

// immutable reports whether m is one of the markers whose value selects a transition rule.
func (m *Marker) immutable() bool {
	return m.Name == "immutable" || m.Name == EachPrefix+"immutable" || m.Name == typeImmutable
}

// Transition returns the transition rule of a field. It comes from +immutable, or else from
// +k8s:update, or else from the type of the field.
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

// EachTransition returns the transition rule of the items of a list or the values of a map. It
// comes from a marker on the field, or else from the type of the items or values.
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

// keyed reports whether a field is a list of type map.
func (s *Source) keyed(f *Field) bool {
	m, ok := Find(s.allMarkers(f), "listType")
	return ok && unquoted(m.Value) == "map"
}

// checkTypeImmutable checks that the marker +type:immutable of a type selects a rule that is
// allowed for the type.
func (s *Source) checkTypeImmutable(t *Type) {
	m, ok := Find(t.Markers, typeImmutable)
	if !ok || m.Transition() == schema.NoTransition {
		return
	}
	name := "the type " + t.Object.Name()
	if st, ok := t.Object.Type().Underlying().(*types.Struct); ok {
		for _, f := range s.Fields(st, t.Object) {
			if o := NameOf(f.Type); f.Name == "" && o != nil && PathName(o) == meta+"TypeMeta" {
				s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, name), "the type is an API object, which is never the value of a field", "put +immutable on its fields")
				return
			}
		}
	}
	s.checkTransition(m, m.Transition(), name, t.Object.Type(), t.Markers)
}

// checkUses checks a field that uses a type with +type:immutable, either as its own type or as the
// type of its items or map values. It reports the field if the rule of the type has no effect.
func (s *Source) checkUses(f *Field) {
	add := func(o *types.TypeName, why, how string) {
		s.findings.add(f.Var.Pos(), Immutable, fmt.Sprintf("%s is of type %s, which is marked +%s", f, o.Name(), typeImmutable), why, how)
	}
	if f.Name == "" {
		if s.typeTransition(f.Type) != schema.NoTransition {
			add(NameOf(Deref(f.Type)), inlined, "give the field a JSON name, or mark the fields of the type instead")
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
				s.findings.add(f.Var.Pos(), NotExpressed, fmt.Sprintf("+%s of %s has no effect inside %s", typeImmutable, o.Name(), f), "only fields and their items or values can have a transition rule", "wrap the type in a struct").warning()
			case s.Shape(f.Type) == List && !s.keyed(f) && s.Transition(f) != schema.Immutable:
				add(o, onlyKeyed, "add +listType=map and +listMapKey, or mark the list +immutable")
			}
		}
		t = elem
	}
}

// transitionWords returns the words that may follow "+immutable=".
func transitionWords() (all []string) {
	for _, t := range graph.Transitions() {
		if rule := t.Rule(); !rule.NoMarker && rule.Marker != "" {
			all = append(all, rule.Marker)
		}
	}
	return all
}

// Reasons why a value cannot have a transition rule.
const (
	inlined   = "the fields of an embedded struct are inlined, so there is no value that the rule could apply to"
	onlyKeyed = "only items of lists of type map have an identity that survives an update"
)

// checkImmutable checks that +immutable, +items:immutable and +values:immutable fit the field.
// These markers are not allowed on inlined structs and on the metadata of objects. Rules about
// adding and removing keys need a map or a list of type map.
func (s *Source) checkImmutable(f *Field) {
	s.checkUses(f)
	if f.Name == "" {
		for i := range f.Markers {
			switch m := &f.Markers[i]; m.Name {
			case "immutable", "k8s:update", EachPrefix + "immutable":
				s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, f), inlined, "put it on the fields of "+f.Go)
			}
		}
		return
	}
	s.checkUpdates(f)
	if m, ok := Find(f.Markers, "immutable"); ok && m.Transition() != schema.NoTransition {
		if m.Spelled == "k8s:immutable" {
			s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, f),
				"it means +immutable here, which forbids setting, changing or removing the value after the object is created, but controller-gen allows setting it once",
				"write +immutable or +immutable=setOnce").warning()
		}
		s.checkTransition(m, m.Transition(), f.String(), f.Type, s.allMarkers(f))
		if m.Transition() == schema.SetOnce {
			s.checkSetOnce(m, f)
		}
	}
	m, ok := Find(f.Markers, EachPrefix+"immutable")
	if !ok || m.Transition() == schema.NoTransition {
		return // checkMarkers reports an invalid value
	}
	shape, wanted := s.Shape(f.Type), "a list or map"
	switch {
	case strings.HasPrefix(m.Spelled, "items:"):
		wanted = "a list"
	case strings.HasPrefix(m.Spelled, "values:"):
		wanted = "a map"
	}
	if shape != List && shape != Map || shape == List && wanted == "a map" || shape == Map && wanted == "a list" {
		s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, f), fmt.Sprintf("it is only allowed on %s, and the field has type %s", wanted, types.TypeString(f.Type, shortPackage)), "")
		return
	}
	if shape == List && !s.keyed(f) {
		s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, f), onlyKeyed, "add +listType=map and +listMapKey, or mark the list +immutable")
		return
	}
	elem, _ := Elem(f.Type)
	what := "the items of "
	if shape == Map {
		what = "the values of "
	}
	s.checkTransition(m, m.Transition(), what+f.String(), elem, s.NamedMarkers(elem))
}

// checkSetOnce checks f, a field that a client may set once. It warns if f has a value from the
// beginning: its default, or the zero value that Go clients always send. Nobody can then set f
// after the object is created. m is the marker of the rule.
func (s *Source) checkSetOnce(m *Marker, f *Field) {
	add := func(why, how string) *Finding {
		return s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, f), why, how).warning()
	}
	if d, err := s.marked(f); err != nil {
		return // checkDefault reports the invalid default
	} else if d != nil && d.Value != nil {
		add(fmt.Sprintf("its default %s counts as the value, so the field cannot be set after the object is created", JSON(d.Value)), "remove the default, or write +immutable")
		return
	}
	if isPointer(f.Type) || f.optional() {
		return
	}
	switch s.Shape(f.Type) {
	case Struct:
		add("a Go client always sends at least {}, which counts as the value, so the field cannot be set after the object is created",
			"make it omitzero or a pointer").fix(f.withOmitzero())
	case String, Boolean, Integer, Number:
		zero, _ := s.implied(f)
		add("a Go client always sends at least "+zeroText(zero)+", which counts as the value, so the field cannot be set after the object is created",
			"add omitempty to its json tag, or make it a pointer").fix(f.withTagOption("omitempty"))
	}
}

// checkTransition checks that a transition rule fits a value of type t. m is the marker that
// sets the rule, and all has the markers of the value.
func (s *Source) checkTransition(m *Marker, transition schema.Transition, name string, t types.Type, all []Marker) {
	add := func(why, how string) {
		s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, name), why, how)
	}
	if o := NameOf(Deref(t)); o != nil && PathName(o) == meta+"ObjectMeta" {
		add("the metadata of objects cannot be immutable", "remove the marker")
		return
	}
	rule := graph.Transition(transition).Rule()
	if rule.Whole {
		s.checkRespelled(m, name, t)
		return
	}
	drop := "remove the marker"
	if _, word, ok := strings.Cut(m.text, "="); ok && m.Spelled != "k8s:update" {
		drop = "remove =" + word
	}
	lists, containers := "a list of type map", "a map or a list of type map"
	if rule.Sets {
		lists, containers = "a set or a list of type map", "a map, a set or a list of type map"
	}
	switch s.Shape(t) {
	case Map:
		if a, ok := Find(all, "mapType"); ok && unquoted(a.Value) == "atomic" {
			add("an atomic map is replaced as a whole, so its keys cannot be restricted", drop+" or +mapType=atomic")
		}
	case List:
		a, ok := Find(all, "listType")
		if !ok || unquoted(a.Value) != "map" && (unquoted(a.Value) != "set" || !rule.Sets) {
			add("the rule needs "+lists, "add +listType=map and +listMapKey, or "+drop)
		}
	default:
		add(fmt.Sprintf("the rule needs %s, and the type is %s", containers, types.TypeString(t, shortPackage)), drop)
	}
}

// respelled maps a Go type to an example of a value that the type reads in one spelling and sends
// in another. The field function has the name of the CEL function that compares such values.
var respelled = map[string]struct{ function, sent, stored string }{
	"k8s.io/apimachinery/pkg/api/resource.Quantity": {"quantity", "1", "1000m"},
	meta + "Duration": {"duration", "1m0s", "60s"},
}

// checkRespelled warns about an immutable value of type t if a Go client may send it with another
// spelling than the stored one. The rule then rejects all updates of this client. It also finds
// such values inside a list, a map or a struct.
func (s *Source) checkRespelled(m *Marker, name string, t types.Type) {
	path, o := s.findRespelled(t, map[types.Type]bool{})
	if o == nil {
		return
	}
	where, r := "", respelled[PathName(o)]
	if path != "" {
		where = " at " + path
	}
	s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s, which has values of type %s%s", m, name, types.TypeString(o.Type(), shortPackage), where),
		fmt.Sprintf("it also forbids another spelling of the same value, and a Go client that reads %q sends %q in every update", r.stored, r.sent),
		fmt.Sprintf("to allow both spellings, replace the marker with a CEL rule that calls %s()", r.function)).warning()
}

// findRespelled returns the first type in respelled that a value of type t contains, and the path
// to this type. It returns nil if there is no such type. seen holds the types that it has already
// visited.
func (s *Source) findRespelled(t types.Type, seen map[types.Type]bool) (path string, found *types.TypeName) {
	t = Deref(t)
	if o := NameOf(t); o != nil {
		if _, ok := respelled[PathName(o)]; ok {
			return "", o
		}
	}
	if seen[t] {
		return "", nil
	}
	seen[t] = true
	switch s.Shape(t) {
	case List, Map:
		elem, _ := Elem(t)
		return s.findRespelled(elem, seen)
	case Struct:
		for _, f := range s.Flat(t.Underlying().(*types.Struct), NameOf(t)) {
			if below, found := s.findRespelled(f.Type, seen); found != nil {
				return "." + f.Name + below, found
			}
		}
	}
	return "", nil
}
