// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"

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
// JSON, not on the metadata of objects, and +immutable=keys on maps and on lists
// of type map only.
func (s *Source) checkImmutable(f *Field) {
	m, ok := Find(f.Markers, "immutable")
	if !ok || m.trailing {
		return
	}
	transition := m.Transition()
	if transition == schema.NoTransition {
		return // what is wrong with its value is said elsewhere
	}
	add := func(why, how string) *Finding {
		return s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on %s", m, f), why, how)
	}
	if m.Spelled == "k8s:immutable" {
		add("it is read as +immutable: the value can be neither set, nor changed, nor removed once the object exists; controller-gen lets it be set once",
			"write +immutable, or +immutable=setOnce").warning()
	}
	if f.Name == "" {
		add("the fields of an embedded struct have no common place", "put it on the fields of "+f.Go)
		return
	}
	if o := NameOf(Deref(f.Type)); o != nil && PathName(o) == meta+"ObjectMeta" {
		add("the metadata of objects cannot be immutable", "remove it")
		return
	}
	if graph.Transition(transition).Rule().Whole {
		return
	}
	all := s.allMarkers(f)
	switch s.Shape(f.Type) {
	case Map:
		if a, ok := Find(all, "mapType"); ok && unquoted(a.Value) == "atomic" {
			add("an atomic map has no keys of its own", "remove =keys, or +mapType=atomic")
		}
	case List:
		if a, ok := Find(all, "listType"); !ok || unquoted(a.Value) != "map" {
			add("only lists of type map have keys", "add +listType=map and +listMapKey, or remove =keys")
		}
	default:
		add(fmt.Sprintf("only maps and lists of type map have keys, and it is of type %s", types.TypeString(f.Type, shortPackage)), "remove =keys")
	}
}
