// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"strings"
)

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
func (es TransitionErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// CheckTransitions returns TransitionErrors if a transition that is about the entries of
// a container stands at what has none: ImmutableKeys wants a map that is not atomic, with
// values that are not declared fields, or a list with keys; AdditionOnly and DeletionOnly
// take a set, too. It returns nil if there is none. References to types that are missing
// are passed over.
func (s *Schema) CheckTransitions() error {
	c := transitionChecker{schema: s}
	p := places{ref: c.ref, seen: map[any]bool{}}
	types := s.types()
	for i := range types {
		td := &types[i]
		c.typeName = td.Name
		c.transition("", td.Transition, td.Atom)
		p.atom("", td.Atom)
	}
	if len(c.errs) == 0 {
		return nil
	}
	return c.errs
}

type transitionChecker struct {
	schema   *Schema
	typeName string
	errs     TransitionErrors
}

func (c *transitionChecker) transition(path string, t Transition, a Atom) {
	entries := a.Map != nil && a.Map.ElementType != (TypeRef{}) && a.Map.ElementRelationship != Atomic ||
		a.List != nil && a.List.ElementRelationship == Associative && (len(a.List.Keys) > 0 || t != ImmutableKeys)
	problem := ""
	switch t {
	case NoTransition, Immutable, SetOnce:
		return
	case ImmutableKeys:
		problem = "wants a map with values, which is not atomic, or an associative list with keys"
	case AdditionOnly, DeletionOnly:
		problem = "wants a map with values, which is not atomic, or an associative list"
	default:
		entries, problem = false, "is not known; want immutable, immutableKeys, additionOnly, deletionOnly or setOnce"
	}
	if !entries {
		c.errs = append(c.errs, TransitionError{Type: c.typeName, Path: orRoot(path), Transition: t, Problem: problem})
	}
}

func (c *transitionChecker) ref(path string, tr TypeRef) {
	if tr.Transition == NoTransition {
		return
	}
	if a, ok := c.schema.Resolve(tr); ok {
		c.transition(path, tr.Transition, a)
	}
}
