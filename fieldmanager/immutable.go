// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// An ImmutableError is returned if a request would change fields that the schema makes immutable
// (schema.Transition, KEP-1101). A forced apply is rejected, too. A FieldManager returns it only if
// Options.CheckTransitions is set. An API server would return status 422. Use errors.As to get the
// typed.TransitionErrors of an ImmutableError.
type ImmutableError struct {
	// Fields are all immutable fields that the request would change, sorted by path.
	Fields []ImmutableField
	// Result is for previews. It is the result that the request would have if the change were
	// allowed. It is nil in an error from CheckTransition.
	Result *Result

	object string // the kind and the name of the object, for the message
	cause  typed.TransitionErrors
}

// ImmutableField is an immutable field that a request would change.
type ImmutableField struct {
	// TransitionError has the path, the old value and the new value. Both values have their
	// defaults.
	typed.TransitionError
	// Hint tells the user why the value changes, why it must not change, or that a forced apply is
	// rejected, too. It is empty if there is nothing to add to the two values.
	Hint string
	// KEP is the Kubernetes enhancement proposal that defines the rule, such as KEP-1101. This
	// package always sets it. Other code can leave it empty, for a rule that API servers enforce.
	KEP string
}

// transitionsProposal is the Kubernetes enhancement proposal that defines the schema keywords for
// immutable fields.
const transitionsProposal = "KEP-1101"

// Error returns a message in the format of an API server's errors about fields, for example:
//
//	Widget.example.com "w" is invalid: spec.class: Invalid value: "slow": field is immutable
func (e *ImmutableError) Error() string {
	lines := make([]string, len(e.Fields))
	for i := range e.Fields {
		lines[i] = e.Fields[i].errorText()
	}
	text := strings.Join(lines, ", ")
	if len(lines) > 1 {
		text = "[" + text + "]"
	}
	return e.object + " is invalid: " + text
}

// Unwrap returns the typed.TransitionErrors.
func (e *ImmutableError) Unwrap() error { return e.cause }

// errorText returns the error about one field, without the object.
func (f *ImmutableField) errorText() string {
	if f.Type == typed.TransitionForbidden {
		return fmt.Sprintf("%s: %s: %s", f.Field, f.Type, f.Message)
	}
	newValue := "null"
	switch {
	case f.New == nil:
	case f.New.IsString():
		newValue = strconv.Quote(f.New.AsString())
	default:
		if text, err := value.ToJSON(f.New); err == nil {
			newValue = string(text)
		}
	}
	return fmt.Sprintf("%s: %s value: %s: %s", f.Field, f.Type, newValue, f.Message)
}

// CheckTransition returns an *ImmutableError if replacing live by object would change
// immutable fields. Both objects have the type t and the same API version. Before
// CheckTransition compares the objects, it prunes and defaults copies of them, as an API
// server does when it reads its store. If pruning or defaulting fails, it returns that error.
// If live or object is nil, it returns nil. It does not modify live or object.
//
// A FieldManager makes the same check if Options.CheckTransitions is set. CheckTransition is
// for callers that check later, such as a server after mutating admission.
func CheckTransition(t typed.ParseableType, live, object map[string]any, o typed.TransitionOptions) error {
	if live == nil || object == nil || !t.HasTransitions() {
		return nil
	}
	object = document.WithoutManagedFields(object)
	c := immutableCheck{
		typ: t, live: place.TypedOf(t, document.WithoutManagedFields(live)), object: place.TypedOf(t, object),
		sent: object, subject: "this",
	}
	return c.run(o)
}

// checkImmutable returns an *ImmutableError if storing object would change immutable fields of the
// live object. The error contains a Result, in which object has the given managed fields.
func (r *request) checkImmutable(object map[string]any, after *managedfields.Managed) error {
	if r.isNew || !r.m.options.CheckTransitions || !r.liveType.HasTransitions() {
		return nil
	}
	live, err := r.typedLive()
	if err != nil {
		return fmt.Errorf("live object (%s): %w", document.Describe(r.live), err)
	}
	c := immutableCheck{typ: r.liveType, live: live, object: r.newTyped, sent: r.sent, subject: "the apply", forced: r.forced, leftovers: r.leftovers}
	if r.isUpdate {
		c.subject = "the update"
	}
	if c.object == nil || r.m.options.ResetFields != nil {
		c.object = place.TypedOf(r.liveType, document.WithoutManagedFields(object))
	}
	err = c.run(typed.TransitionOptions{IgnoreItemOrder: r.m.options.IgnoreItemOrder})
	var immutable *ImmutableError
	if errors.As(err, &immutable) {
		immutable.Result = &Result{Object: after.EncodeInto(object), Changed: true, Managed: after, Warnings: r.warnings}
	}
	return err
}
