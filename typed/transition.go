// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/transition"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// TransitionOptions change which updates CheckTransition allows.
type TransitionOptions struct {
	// IgnoreItemOrder lets the items of a list with keys change places within what
	// is immutable, as those of a set always may. Without it the order counts, as
	// KEP-1101 has it, also that which an apply makes: it puts items in the order of
	// the applied configuration.
	IgnoreItemOrder bool
}

// TransitionErrorType says what an update does that it may not do. The values are
// the names that apimachinery has for errors of fields.
type TransitionErrorType string

const (
	// TransitionInvalid is a change of a value that is to stay as it is; to be set
	// and to be removed are changes too.
	TransitionInvalid = TransitionErrorType("Invalid")
	// TransitionForbidden is the addition of an entry to a container, or the removal
	// of one, that does not allow it.
	TransitionForbidden = TransitionErrorType("Forbidden")
)

// TransitionError is one thing that an update may not do.
type TransitionError struct {
	// Path is where, in the terms of the merge schema: an item of a list with keys is
	// known by them, that of a set by its value, that of another list by its index.
	Path fieldpath.Path
	// Field is the same place as Kubernetes names it in errors: spec.ports[0].name,
	// with the index of the item in the new value. An item that was removed is
	// reported at its list.
	Field string

	Type TransitionErrorType
	// Message says what is wrong, in the words of Kubernetes: "field is immutable",
	// "item may not be added" or "item may not be removed".
	Message string
	// Transition is what the schema says of the place, or of the container whose
	// entry was added or removed.
	Transition schema.Transition

	// Old and New are the values before and after, nil if there is none: the field was
	// set or removed, or the entry added or removed.
	Old, New value.Value
}

// Error returns the field, the message and both values.
func (e TransitionError) Error() string {
	var b strings.Builder
	if e.Field != "" {
		b.WriteString(e.Field)
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	b.WriteString(": ")
	switch {
	case e.Old != nil && e.New != nil:
		b.WriteString("changes " + brief(e.Old) + " to " + brief(e.New))
	case e.Type == TransitionForbidden && e.Old != nil:
		b.WriteString(brief(e.Old))
	case e.Type == TransitionForbidden:
		b.WriteString(brief(e.New))
	case e.Old != nil:
		b.WriteString("removes " + brief(e.Old))
	default:
		b.WriteString("sets " + brief(e.New))
	}
	return b.String()
}

// brief returns v as YAML on one line that is not too long.
func brief(v value.Value) string {
	if v == nil {
		return "nothing"
	}
	return engine.Brief(v)
}

// TransitionErrors is everything that an update may not do, sorted by path.
type TransitionErrors []TransitionError

// Error returns the one error, or all of them on lines of their own.
func (es TransitionErrors) Error() string {
	lines := make([]string, len(es))
	for i := range es {
		lines[i] = es[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors one by one, for errors.As.
func (es TransitionErrors) Unwrap() []error {
	errs := make([]error, len(es))
	for i := range es {
		errs[i] = es[i]
	}
	return errs
}

// CheckTransition returns what an update of the value to next does and may not do by
// the transition rules of its type, see schema.Transition, as TransitionErrors; nil if
// there is nothing. It is the check of KEP-1101:
//
//   - What is immutable must be equal before and after, strictly so: absent, null and
//     empty are three things, and quantities are strings. 1 and 1.0 are equal, and
//     the order of sets does not count.
//   - A rule holds where what is around it is there before and after. Items of a list
//     with keys are compared with those of the same keys, of a set with nothing, of
//     other lists with those of the same index; values of a map by their key.
//   - Nobody may override it. There is nothing to check when an object is made, or
//     goes: of two values of which one is nil, or null, nothing is said.
//
// Both values must be as they are stored: prune them, drop nulls that are none, and
// fill in defaults first, see Prune and Default; a key that is its default may be
// left out. What the API server keeps by itself, such as apiVersion, kind and
// metadata.name, is not looked at unless it has a rule.
//
// Both must be of one type, if not of one schema: when a schema changes, the new one
// is that of both. ValidationErrors say that they are not, or that the data is nested
// too deep. Safe for concurrent use.
func (tv *TypedValue) CheckTransition(next *TypedValue, o TransitionOptions) error {
	if tv == nil || next == nil {
		return nil
	}
	found, wrong := tv.in().CheckTransition(next.in(), o.IgnoreItemOrder)
	if wrong != nil {
		return errorsOf(wrong)
	}
	if len(found) == 0 {
		return nil
	}
	errs := make(TransitionErrors, len(found))
	for i := range found {
		errs[i] = transitionError(&found[i])
	}
	return errs
}

// HasTransitions says whether the type, or one that can be reached from it, has a
// transition rule: whether CheckTransition can find anything at all.
func (p ParseableType) HasTransitions() bool {
	return compiled.Node(p.Schema, p.TypeRef).HasTransitions
}

func transitionError(v *transition.Violation) TransitionError {
	e := TransitionError{
		Path: v.Path, Field: v.Field, Type: TransitionForbidden, Transition: schema.Transition(v.Rule),
	}
	switch v.Changed {
	case transition.Added:
		e.Message = "item may not be added"
	case transition.Removed:
		e.Message = "item may not be removed"
	default:
		e.Type, e.Message = TransitionInvalid, "field is immutable"
	}
	if v.Had {
		e.Old = value.NewValueInterface(v.Old)
	}
	if v.Has {
		e.New = value.NewValueInterface(v.New)
	}
	return e
}
