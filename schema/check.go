// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Errors is a list of mistakes in a schema.
type Errors []Error

// Error is a mistake in a schema. Examples are a key that cannot identify items, a default that
// does not fit its type, and a transition rule that has no effect on its type. Schema.Check
// lists all mistakes.
type Error struct {
	// Type is the name of the type that contains the mistake. Path is the path within the type;
	// "." is the type itself. Both are empty if the mistake is in a setting of the whole schema.
	Type, Path string
	// Key is the key of an associative list. Only CheckKeys sets it.
	Key string
	// Transition is the transition rule with the mistake. Only CheckTransitions sets it.
	Transition Transition
	// Default is true if the mistake is in a default.
	Default bool
	// OnlyEmpty is true if the mistake is that only the empty list is valid. Values and merges without
	// a list of this type are not affected.
	OnlyEmpty bool
	// Problem describes the mistake and how to fix it.
	Problem string
	// subject is the subject of a sentence, such as "default" or `key "port"`. Problem is the rest
	// of the sentence.
	subject string
}

// Error returns the type, the path, and a sentence about the problem.
func (e Error) Error() string {
	if e.Type == "" && e.Path == "" {
		return e.subject + " " + e.Problem
	}
	return fmt.Sprintf("type %q, %s: %s %s", e.Type, e.Path, e.subject, e.Problem)
}

// Error returns all errors, one on each line.
func (es Errors) Error() string {
	var b strings.Builder
	for i, err := range es {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(err.Error())
	}
	return b.String()
}

// CheckKeys returns Errors if a key of an associative list cannot identify items. It reports these
// mistakes:
//
//   - The items cannot be maps, so they have no keys. Every item of such a list is invalid.
//   - The key is not a field of the items, is nullable, or has a default that is not a scalar. If
//     an item does not have the key, the value of the key is then unclear.
//   - The key is a map or a list. The same map can be written in several ways, because a null, an
//     absent field and the field's default are equivalent. A key that allows values of any type is
//     accepted.
//   - The items are maps without declared fields, and the schema has a default for map values. That
//     default replaces a null, but not an absent key.
//
// If the items are maps without declared fields, CheckKeys reports only the last of these mistakes.
// It ignores lists whose item type is missing. It returns nil if it finds no mistakes.
func (s *Schema) CheckKeys() error {
	var errs Errors
	for _, td := range s.types() {
		p := places{seen: map[any]bool{}, list: func(path string, l *List) {
			if !l.ElementRelationship.IsAssociative() {
				return
			}
			item, _ := s.Resolve(l.ElementType)
			for _, key := range l.Keys {
				if problem := s.keyProblem(item, key); problem != "" {
					errs = append(errs, Error{Type: td.Name, Path: cmp.Or(path, "."), Key: key, Problem: problem, subject: fmt.Sprintf("key %q", key)})
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

// keyProblem returns the reason why a field cannot be a key of items of the type item. It returns ""
// if the field can be a key, or if the type allows no value.
func (s *Schema) keyProblem(item Atom, key string) string {
	m := item.Map
	switch {
	case item.isEmpty():
		return ""
	case m == nil && item.Scalar != nil:
		return "needs items that are maps; the items are scalars, so remove the keys to get a set"
	case m == nil:
		return "needs items that are maps; the items are lists, so make the outer list atomic"
	case len(m.Fields) == 0:
		if s.nearestDefault(m.ElementDefault, m.ElementType) != nil {
			return "is not declared, and the values of the items have a default; declare the key as a field with its own default"
		}
		return ""
	}
	f, declared := m.FindField(key)
	container := ""
	switch s.nearestDefault(f.Default, f.Type).(type) {
	case []any:
		container = "list"
	case map[string]any, map[any]any:
		container = "map"
	}
	t, _ := s.Resolve(f.Type)
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
	case t.Scalar != nil && *t.Scalar == Untyped && t.Map != nil && t.List != nil:
		return "" // the key allows values of any type
	case t.Map != nil:
		return "is a map; expected a scalar"
	case t.List != nil:
		return "is a list; expected a scalar"
	}
	return ""
}

// nearestDefault returns the default of a field, or nil if there is none. If def, the field's own
// default, is set, nearestDefault returns def. With declarative defaults, a field without its own
// default has the default of its named type.
func (s *Schema) nearestDefault(def any, tr TypeRef) any {
	if def == nil && s.DeclarativeDefaults && tr.NamedType != nil {
		if td, ok := s.FindNamedType(*tr.NamedType); ok {
			def = td.Default
		}
	}
	return def
}

// CheckTransitions returns Errors if a type or a reference has a transition rule that has no
// effect on the type. ImmutableKeys works on associative lists with keys, and on maps that are
// not atomic and allow undeclared fields. AdditionOnly and DeletionOnly also work on sets. The
// other rules work on all types. CheckTransitions returns nil if all rules have an effect. It
// ignores references to missing types.
func (s *Schema) CheckTransitions() error {
	var errs Errors
	check := func(typeName, path string, t Transition, a Atom) {
		if problem := transitionProblem(t, a); problem != "" {
			errs = append(errs, Error{Type: typeName, Path: cmp.Or(path, "."), Transition: t, Problem: problem, subject: "transition " + t.String()})
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

// transitionProblem returns the reason why the transition rule t has no effect on the type a. It
// returns "" if the rule has an effect.
func transitionProblem(t Transition, a Atom) string {
	values := a.Map != nil && a.Map.ElementType != (TypeRef{}) && !a.Map.ElementRelationship.IsAtomic()
	items := a.List != nil && a.List.ElementRelationship.IsAssociative()
	rule := t.rule()
	switch {
	case t == NoTransition || rule.Whole:
		return ""
	case rule.Name == "":
		return "is unknown; " + expectedTransition
	case values, items && (len(a.List.Keys) > 0 || rule.Sets):
		return ""
	case rule.Sets:
		return "needs a map that has an elementType and is not atomic, or an associative list"
	}
	return "needs a map that has an elementType and is not atomic, or an associative list with keys"
}

// places walks a type and its inlined types. It does not follow references by name.
type places struct {
	// The functions ref and list are called for each type reference and each list. The function
	// place is called for each field, list item and map value, with its default. Each of these
	// functions may be nil.
	ref   func(path string, tr TypeRef)
	list  func(path string, l *List)
	place func(path string, def any, tr TypeRef)
	seen  map[any]bool // the inlined types visited so far, because Go literals can be cyclic
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
