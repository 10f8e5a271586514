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

// An ImmutableError says that a request would change what the schema does not let
// an update change (schema.Transition, KEP-1101). Nothing overrides it, not force. A
// FieldManager returns it only with Options.CheckTransitions.
// The API server's status for it is 422. errors.As finds the typed.TransitionErrors
// in it.
type ImmutableError struct {
	// Fields are all that the request would change and may not, sorted by path.
	Fields []ImmutableField
	// Result is what would be stored if the request were allowed, for previews; nil
	// from CheckUpdate.
	Result *Result

	object string // the object's kind and name
	cause  typed.TransitionErrors
}

// ImmutableField is one place that a request would change and may not.
type ImmutableField struct {
	// TransitionError says where, what was there and what would be. Both values
	// have their defaults filled in.
	typed.TransitionError
	// Hint is a sentence for the user about what makes the change, where the values
	// do not say it; it may be empty.
	Hint string
	// KEP names the proposal that the rule comes from, such as KEP-1101: API servers of today
	// allow the change. It is empty for a rule that they have.
	KEP string
}

// markersKEP proposes the markers of immutability.
const markersKEP = "KEP-1101"

// Error is the message an API server gives for errors of fields, for example:
//
//	Widget.example.com "w" is invalid: spec.class: Invalid value: "slow": field is immutable
func (e *ImmutableError) Error() string {
	lines := make([]string, len(e.Fields))
	for i := range e.Fields {
		lines[i] = e.Fields[i].fieldError()
	}
	text := strings.Join(lines, ", ")
	if len(lines) > 1 {
		text = "[" + text + "]"
	}
	return e.object + " is invalid: " + text
}

// Unwrap returns the typed.TransitionErrors.
func (e *ImmutableError) Unwrap() error { return e.cause }

func (f *ImmutableField) fieldError() string {
	if f.Type == typed.TransitionForbidden {
		return fmt.Sprintf("%s: %s: %s", f.Field, f.Type, f.Message)
	}
	found := "null"
	switch {
	case f.New == nil:
	case f.New.IsString():
		found = strconv.Quote(f.New.AsString())
	default:
		if text, err := value.ToJSON(f.New); err == nil {
			found = string(text)
		}
	}
	return fmt.Sprintf("%s: %s value: %s: %s", f.Field, f.Type, found, f.Message)
}

// CheckUpdate returns an *ImmutableError if object may not take the place of live,
// both of type t and in one API version, whoever asks; nil if it may. Both are
// compared as they are when they are read from an API server's store: pruned and
// with their defaults. It is the check of FieldManager for callers that make it by
// themselves, as a server does after mutating admission (see
// Options.CheckTransitions). Neither object is modified.
func CheckUpdate(t typed.ParseableType, live, object map[string]any, o typed.TransitionOptions) error {
	if live == nil || object == nil || !t.HasTransitions() {
		return nil
	}
	object = document.WithoutManagedFields(object)
	u := transition{
		typ: t, live: place.TypedOf(t, document.WithoutManagedFields(live)), object: place.TypedOf(t, object),
		sent: object, verb: "this",
	}
	return u.check(o)
}

// checkTransition compares object, which is to be stored with after, with the live
// object.
func (r *request) checkTransition(object map[string]any, after *managedfields.Managed) error {
	if r.isNew || !r.m.o.CheckTransitions || !r.liveType.HasTransitions() {
		return nil
	}
	live, err := r.typedLive()
	if err != nil {
		return fmt.Errorf("live object (%s): %w", document.Describe(r.live), err)
	}
	u := transition{typ: r.liveType, live: live, object: r.stored, sent: r.sent, verb: r.verb, forced: r.forced}
	if u.object == nil || r.m.o.ResetFields != nil {
		u.object = place.TypedOf(r.liveType, document.WithoutManagedFields(object))
	}
	err = u.check(typed.TransitionOptions{IgnoreItemOrder: r.m.o.IgnoreItemOrder})
	var refused *ImmutableError
	if errors.As(err, &refused) {
		refused.Result = &Result{Object: after.EncodeInto(object), Changed: true, Managed: after, Warnings: r.warnings}
	}
	return err
}
