// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Check returns Errors with all mistakes that CheckKeys, CheckDefaults and CheckTransitions
// find, and with these mistakes:
//
//   - A default that does not fit its type, even if it does not affect a merge. Without declarative
//     defaults, CheckDefaults accepts such a default, but the Default methods of package typed write
//     it into objects.
//   - A reference to a missing type.
//   - A reference with an elementRelationship to a type that is neither a list nor a map.
//   - A type that allows no value, because it has no scalar, list or map.
//   - A scalar that is not numeric, string, boolean or untyped.
//   - A list whose elementRelationship is not atomic or associative.
//   - A map whose elementRelationship is not empty, separable or atomic.
//   - A set, which is an associative list without keys, whose items cannot be scalars.
//   - A MissingKeys policy other than OptionalKeys and StrictKeys.
//
// The mistakes are in the order of the types and fields of the schema. Check returns nil if it finds
// no mistakes. Call it in a program that defines its own schemas.
// Without it, most of these mistakes cause errors only when a value is validated or merged.
func (s *Schema) Check() error {
	var errs Errors
	if m := s.MissingKeys; !m.known() {
		errs = append(errs, Error{Problem: "is unknown; expected strict or no value", subject: fmt.Sprintf("missingKeys %q", m)})
	}
	order := map[[2]string]int{} // the order of the places in the schema, by type and path
	for _, td := range s.types() {
		order[[2]string{td.Name, "."}] = len(order)
		report := func(path, subject, problem string) {
			errs = append(errs, Error{Type: td.Name, Path: cmp.Or(path, "."), Problem: problem, subject: subject})
		}
		check := func(path string, a Atom) {
			s.checkAtom(a, func(subject, problem string) { report(path, subject, problem) })
			if s.allowsOnlyEmpty(a) {
				report(path, "the associative list", "has no keys, and its items are not scalars; add keys, or make the list atomic")
				errs[len(errs)-1].OnlyEmpty = true
			}
		}
		if td.Atom.isEmpty() {
			report("", "the type", noValue)
		}
		check("", td.Atom)
		p := places{seen: map[any]bool{}}
		p.ref = func(path string, tr TypeRef) {
			order[[2]string{td.Name, path}] = len(order)
			if tr.NamedType != nil {
				if _, exists := s.FindNamedType(*tr.NamedType); !exists {
					report(path, fmt.Sprintf("the type %q", *tr.NamedType), "does not exist")
					return
				}
			}
			a, ok := s.Resolve(tr)
			switch {
			case !ok: // the type has no list or map whose relationship could be replaced
				report(path, fmt.Sprintf("elementRelationship %q", *tr.ElementRelationship), "needs a list or a map; remove it")
			case tr.NamedType == nil:
				check(path, a)
			case tr.ElementRelationship != nil:
				s.checkRelation(a, func(subject, problem string) { report(path, subject, problem) })
			}
		}
		p.atom("", td.Atom)
	}
	for _, err := range []error{s.CheckKeys(), s.CheckTransitions()} {
		var more Errors
		if errors.As(err, &more) {
			errs = append(errs, more...)
		}
	}
	errs = append(errs, s.defaultErrors(true)...)
	if len(errs) == 0 {
		return nil
	}
	slices.SortStableFunc(errs, func(a, b Error) int {
		return cmp.Compare(order[[2]string{a.Type, a.Path}], order[[2]string{b.Type, b.Path}])
	})
	return errs
}

const noValue = "allows no value; add a scalar, a list or a map"

// checkAtom calls report for each mistake in the type a. It does not check the types that a refers
// to.
func (s *Schema) checkAtom(a Atom, report func(subject, problem string)) {
	if a.Scalar != nil {
		if _, known := scalars[*a.Scalar]; !known {
			report(fmt.Sprintf("scalar %q", *a.Scalar), "is unknown; expected numeric, string, boolean or untyped")
		}
	}
	s.checkRelation(a, report)
	if a.List != nil && a.List.ElementType.hasNoType() {
		report("the item", noValue)
	}
	if a.Map != nil {
		for i := range a.Map.Fields {
			if f := &a.Map.Fields[i]; f.Type.hasNoType() {
				report(fmt.Sprintf("field %q", f.Name), noValue)
			}
		}
	}
}

// allowsOnlyEmpty reports whether a is a set whose items cannot be scalars, so that only the empty set is
// valid.
func (s *Schema) allowsOnlyEmpty(a Atom) bool {
	if a.List == nil || !a.List.ElementRelationship.IsAssociative() || len(a.List.Keys) > 0 {
		return false
	}
	item, _ := s.Resolve(a.List.ElementType)
	return item.Scalar == nil && !item.isEmpty()
}

// checkRelation calls report if a has an unknown relationship.
func (s *Schema) checkRelation(a Atom, report func(subject, problem string)) {
	if a.List != nil {
		if r := a.List.ElementRelationship; !r.IsAtomic() && !r.IsAssociative() {
			report(fmt.Sprintf("elementRelationship %q", r), "is not valid for a list; expected atomic or associative")
		}
	}
	if a.Map != nil {
		r := a.Map.ElementRelationship
		if _, known := relations[r]; r != "" && !known || r.IsAssociative() {
			report(fmt.Sprintf("elementRelationship %q", r), "is not valid for a map; expected separable or atomic")
		}
	}
}

// hasNoType reports whether tr has neither a name nor an inlined type.
func (tr *TypeRef) hasNoType() bool { return tr.NamedType == nil && tr.Inlined.isEmpty() }
