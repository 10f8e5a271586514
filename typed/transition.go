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

// TransitionOptions are options of CheckTransition.
type TransitionOptions struct {
	// IgnoreItemOrder allows an update to reorder the items of a keyed list inside an immutable
	// value. Without it, a new order is a change, as in KEP-1101. An apply can cause such a
	// change, because it puts items in the order of its config. Reordering a set is always
	// allowed.
	IgnoreItemOrder bool
}

// TransitionErrorType is the kind of a forbidden change. Its values are the error type names of
// the field errors in apimachinery.
type TransitionErrorType string

const (
	// TransitionInvalid means that an update changed, set or removed a value although a rule
	// forbids it.
	TransitionInvalid = TransitionErrorType("Invalid")
	// TransitionForbidden means that an update added or removed an entry of a map or list although a
	// rule of the map or list forbids it.
	TransitionForbidden = TransitionErrorType("Forbidden")
)

// TransitionError is a change that a transition rule forbids.
type TransitionError struct {
	// Path is the path of the value. It identifies an item of a keyed list by the keys, an item
	// of a set by the value, and an item of any other list by the index.
	Path fieldpath.Path
	// Field is the path in the notation of Kubernetes errors, such as spec.ports[0].name. Indexes
	// are positions in the new value. For a removed item, Field is the path of the list.
	Field string

	Type TransitionErrorType
	// Message is the text that Kubernetes uses: "field is immutable", "item may not be added"
	// or "item may not be removed".
	Message string
	// Transition is the rule that forbids the change: a rule of the value itself, or of the map or list
	// whose entry was added or removed.
	Transition schema.Transition

	// Old and New are the values before and after the change. Old is nil if the change
	// added the field or entry. New is nil if the change removed it. To print them, use
	// value.ToString or the method Unstructured.
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

// brief returns v as JSON on one line. It shortens long values, and returns "nothing" if v is
// nil.
func brief(v value.Value) string {
	if v == nil {
		return "nothing"
	}
	return engine.Brief(v)
}

// TransitionErrors lists all forbidden changes of an update, sorted by path.
type TransitionErrors []TransitionError

// Error returns all errors, one on each line.
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

// CheckTransition checks whether an update may replace the value with next. It returns
// TransitionErrors with the changes that the rules of the type forbid (see schema.Transition), or
// nil if all changes are allowed. It implements KEP-1101:
//
//   - An immutable value must be equal before and after. Absent, null and empty are different,
//     and quantities are compared as strings. But 1 and 1.0 are equal, and the order of items in
//     a set does not matter.
//   - A rule applies if all maps and lists around the value exist before and after. To find the old
//     value, CheckTransition matches map values by key, items of a keyed list by their keys, and
//     items of other lists by index. It does not match items of a set.
//   - A rule has no exceptions for certain users or managers. Creating or deleting a whole
//     object is always allowed: if one of the values is nil or null, CheckTransition returns
//     nil.
//
// Pass both values as a server stores them: unknown fields are pruned, defaults are filled in,
// and null is only in nullable fields (see Prune and Default). A list key may be missing if it
// has a default. Fields that never change on an API server, such as apiVersion, kind and
// metadata.name, are checked only if they have a rule.
//
// Both values must have the same type. Their schemas may differ if the types are equal. After a
// schema change, create both values with the type of the new schema. CheckTransition returns
// ValidationErrors if the types differ, or if a value is nested too deep. CheckTransition is
// safe for concurrent use.
func (tv *TypedValue) CheckTransition(next *TypedValue, o TransitionOptions) error {
	if tv == nil || next == nil {
		return nil
	}
	violations, findings := tv.operand().CheckTransition(next.operand(), o.IgnoreItemOrder)
	if findings != nil {
		return errorsOf(findings)
	}
	if len(violations) == 0 {
		return nil
	}
	errs := make(TransitionErrors, len(violations))
	for i := range violations {
		errs[i] = transitionError(&violations[i])
	}
	return errs
}

// HasTransitions reports whether the type, or a type reachable from it, has a transition rule.
// If it returns false, CheckTransition returns nil for any two values of the type.
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
