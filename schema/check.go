// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// KeyErrors is what is wrong with the keys of associative lists.
type KeyErrors []KeyError

// KeyError is one key of an associative list that cannot identify items.
type KeyError struct {
	// Type is the named type that has the list, and Path the way from there.
	Type, Path string
	// Key is the key.
	Key string
	// Problem says what is wrong, and how to mend it.
	Problem string
}

// Error returns where and what.
func (e KeyError) Error() string {
	return fmt.Sprintf("type %q, %s: key %q %s", e.Type, e.Path, e.Key, e.Problem)
}

// Error returns all errors on lines of their own.
func (es KeyErrors) Error() string { return lines(es) }

func lines[E error](errs []E) string {
	var b strings.Builder
	for i, err := range errs {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(err.Error())
	}
	return b.String()
}

// CheckKeys returns a KeyErrors if a key of an associative list of maps is not
// a field of its items, if it is nullable, or if its default is not a scalar:
// what such a key stands for when it is missing could not be told. It returns
// nil if all keys are fit. Lists whose items have no declared fields, and
// those whose type is missing, are passed over.
func (s *Schema) CheckKeys() error {
	var errs KeyErrors
	for _, td := range s.types() {
		p := places{seen: map[any]bool{}, list: func(path string, l *List) {
			if !l.ElementRelationship.IsAssociative() {
				return
			}
			item, _ := s.Resolve(l.ElementType)
			if item.Map == nil || len(item.Map.Fields) == 0 {
				return
			}
			for _, key := range l.Keys {
				if problem := keyProblem(item.Map, key); problem != "" {
					errs = append(errs, KeyError{Type: td.Name, Path: cmp.Or(path, "."), Key: key, Problem: problem})
				}
			}
		}}
		p.atom("", td.Atom)
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// keyProblem says what keeps a field from being a key of items of type m, nothing if it
// is fit.
func keyProblem(m *Map, key string) string {
	f, declared := m.FindField(key)
	container := ""
	switch f.Default.(type) {
	case []any:
		container = "list"
	case map[string]any, map[any]any:
		container = "map"
	}
	switch {
	case !declared:
		names := make([]string, len(m.Fields))
		for i := range m.Fields {
			names[i] = m.Fields[i].Name
		}
		slices.Sort(names)
		return "is not a field of the items; expected one of " + strings.Join(names, ", ")
	case f.Type.Nullable:
		return "is nullable; a key must not be null, remove nullable"
	case container != "":
		return "has a default that is a " + container + "; expected a scalar"
	}
	return ""
}

// TransitionErrors is what is wrong with the transitions of a schema.
type TransitionErrors []TransitionError

// TransitionError is one transition that says nothing where it stands.
type TransitionError struct {
	// Type is the named type that has it, or that has the place which has it, and Path
	// the way from there.
	Type, Path string
	// Transition is what stands there.
	Transition Transition
	// Problem says what is wrong, and how to mend it.
	Problem string
}

// Error returns where and what.
func (e TransitionError) Error() string {
	return fmt.Sprintf("type %q, %s: transition %s %s", e.Type, e.Path, e.Transition, e.Problem)
}

// Error returns all errors on lines of their own.
func (es TransitionErrors) Error() string { return lines(es) }

// CheckTransitions returns TransitionErrors if a transition that is about the entries of
// a container stands at what has none: ImmutableKeys wants a map that is not atomic, with
// values that are not declared fields, or a list with keys; AdditionOnly and DeletionOnly
// take a set, too. It returns nil if there is none. References to types that are missing
// are passed over.
func (s *Schema) CheckTransitions() error {
	var errs TransitionErrors
	check := func(typeName, path string, t Transition, a Atom) {
		if problem := transitionProblem(t, a); problem != "" {
			errs = append(errs, TransitionError{Type: typeName, Path: cmp.Or(path, "."), Transition: t, Problem: problem})
		}
	}
	p := places{seen: map[any]bool{}}
	for _, td := range s.types() {
		check(td.Name, "", td.Transition, td.Atom)
		p.ref = func(path string, tr TypeRef) {
			if a, ok := s.Resolve(tr); ok {
				check(td.Name, path, tr.Transition, a)
			}
		}
		p.atom("", td.Atom)
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// transitionProblem says what is wrong with t at a, nothing if nothing is.
func transitionProblem(t Transition, a Atom) string {
	values := a.Map != nil && a.Map.ElementType != (TypeRef{}) && !a.Map.ElementRelationship.IsAtomic()
	items := a.List != nil && a.List.ElementRelationship.IsAssociative()
	rule := t.rule()
	switch {
	case t == NoTransition || rule.Whole:
		return ""
	case rule.Name == "":
		return "is not known; " + wantTransition
	case values, items && (len(a.List.Keys) > 0 || rule.Sets):
		return ""
	case rule.Sets:
		return "wants a map with values, which is not atomic, or an associative list"
	}
	return "wants a map with values, which is not atomic, or an associative list with keys"
}

// places walks a type as it was written, up to the names of other types.
type places struct {
	// ref is called for each reference, list for each list, and place for each field, item
	// and value with its default. Each may be nil.
	ref   func(path string, tr TypeRef)
	list  func(path string, l *List)
	place func(path string, def any, tr TypeRef)
	seen  map[any]bool // inlined types, which literals can tie into cycles
}

func (p *places) atom(path string, a Atom) {
	if a.List != nil && !p.seen[a.List] {
		p.seen[a.List] = true
		if p.list != nil {
			p.list(path, a.List)
		}
		p.at(path+"[]", a.List.ElementDefault, a.List.ElementType)
	}
	if a.Map != nil && !p.seen[a.Map] {
		p.seen[a.Map] = true
		for i := range a.Map.Fields {
			f := &a.Map.Fields[i]
			p.at(path+"."+f.Name, f.Default, f.Type)
		}
		p.at(path+".*", a.Map.ElementDefault, a.Map.ElementType)
	}
}

func (p *places) at(path string, def any, tr TypeRef) {
	if p.place != nil {
		p.place(path, def, tr)
	}
	if p.ref != nil {
		p.ref(path, tr)
	}
	if tr.NamedType == nil {
		p.atom(path, tr.Inlined)
	}
}
