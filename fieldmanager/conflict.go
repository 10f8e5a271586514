// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// A Conflict is a field that an applied config wants to be other than
// another manager left it.
type Conflict struct {
	// Owner is who owns the live value. APIVersion is set for an Apply too.
	managedfields.Owner
	// Time is when the owner wrote last, nil when unknown.
	Time *time.Time
	// Path is the field, in the owner's API version; Path.String is the API
	// server's notation.
	Path fieldpath.Path
	// Yours is what the config would make of the field, Live the value in the
	// live object, both in the owner's API version. They are shared with the
	// inputs: read-only.
	Yours, Live any
	// HasYours and HasLive are false where there is no such value; a value
	// that is null is there.
	HasYours, HasLive bool
	// LiveIsDefault says that the live value is what the schema fills in where
	// nobody sets the field: the owner may never have sent it.
	LiveIsDefault bool
	// SameManager says that the owner has the name of the applier, but owns the
	// field through Update; Migrate of package ownership hands such fields over.
	SameManager bool
	// Cleared says that the config does not set the field but excludes it, by choosing
	// another member of a union: see Options.Unions.
	Cleared bool
	// Hint is a sentence for the user when there is more to say, such as
	// that the owner is the same manager through Update; it may be empty.
	Hint string

	from *conflictOrigin
}

// conflictOrigin is the apply that a conflict is of.
type conflictOrigin struct {
	m            *FieldManager
	live, config map[string]any
	manager      string
	choices      *chooser // already made for other conflicts
	// all are the conflicts as the apply had them: its error is the caller's, who may
	// change it.
	all *ConflictError
}

func (o *conflictOrigin) resolve(choose func(*Conflict) Choice) (*Resolved, error) {
	if o == nil {
		return nil, errors.New("the conflict is not of an apply")
	}
	return o.m.resolve(o.live, o.config, o.manager, Choices{Choose: choose}, o.all)
}

// ofApply notes in the conflicts that err may hold where they come from.
func ofApply(err error, from conflictOrigin) error {
	if e, ok := err.(*ConflictError); ok {
		for i := range e.Conflicts {
			e.Conflicts[i].from = &from
		}
		from.all = &ConflictError{Conflicts: slices.Clone(e.Conflicts), cause: e.cause}
	}
	return err
}

// Outcome works out what becomes of the apply if the conflict is settled by choice:
// the config that does it, and the object. As long as there are other conflicts
// the error is a *ConflictError with these. If force would change what is
// immutable, it is an *ImmutableError. See FieldManager.Resolve.
//
// The inputs of the apply that failed are applied again, changed, so they must be what they
// were. The conflicts of other owners over the path are settled with it.
func (c *Conflict) Outcome(choice Choice) (*Resolved, error) {
	return c.from.resolve(func(other *Conflict) Choice {
		if other.Path.Equals(c.Path) {
			return choice
		}
		return c.from.choices.of(other)
	})
}

// ConflictError reports all conflicts of an apply. They are sorted by the
// identifier of their owner; those with one owner are in the order of
// fieldpath.Set.Iterate. errors.As finds the merge.Conflicts in it.
type ConflictError struct {
	Conflicts []Conflict
	cause     merge.Conflicts
}

// Error is the message of the API server, for example:
//
//	Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1: .spec.replicas
func (e *ConflictError) Error() string {
	if len(e.Conflicts) == 1 {
		c := &e.Conflicts[0]
		return fmt.Sprintf("Apply failed with 1 conflict: conflict with %v: %v", c.Owner, c.Path)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Apply failed with %d conflicts: ", len(e.Conflicts))
	for i := range e.Conflicts {
		c := &e.Conflicts[i]
		if i == 0 || e.Conflicts[i-1].Owner != c.Owner {
			if i > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "conflicts with %v:", c.Owner)
		}
		fmt.Fprintf(&b, "\n- %v", c.Path)
	}
	return b.String()
}

// Outcome works out what becomes of the apply if all conflicts are settled by
// choice; see Conflict.Outcome.
func (e *ConflictError) Outcome(choice Choice) (*Resolved, error) {
	if len(e.Conflicts) == 0 {
		return nil, errors.New("there is no conflict")
	}
	from := e.Conflicts[0].from
	return from.resolve(func(other *Conflict) Choice {
		if earlier := from.choices.of(other); earlier != Refuse {
			return earlier
		}
		return choice
	})
}

// Unwrap returns the merge.Conflicts.
func (e *ConflictError) Unwrap() error { return e.cause }

// conflictError adds to the conflicts what their owners and the values say.
func (r *request) conflictError(conflicts merge.Conflicts, live, config *typed.TypedValue, have owned, manager string) error {
	conflicts = slices.Clone(conflicts)
	slices.SortStableFunc(conflicts, func(a, b merge.Conflict) int { return strings.Compare(a.Manager, b.Manager) })
	merged, err := live.Merge(config)
	if err != nil {
		return fmt.Errorf("failed to merge config: %w", err)
	}
	e := &ConflictError{Conflicts: make([]Conflict, 0, len(conflicts)), cause: conflicts}
	asked := r.earlierWishes(live, merged)
	find := place.Finders{}
	for _, c := range conflicts {
		owner, err := managedfields.ParseOwner(c.Manager)
		if err != nil {
			return err
		}
		found := Conflict{Owner: owner, Time: have.times[c.Manager], Path: c.Path}
		lhs, rhs := live, merged
		if vs, ok := have.fields[c.Manager]; ok {
			found.APIVersion = string(vs.APIVersion())
			lhs, rhs = r.inVersion(live, vs.APIVersion()), r.inVersion(merged, vs.APIVersion())
		}
		found.Live, found.HasLive = find.Value(lhs, c.Path)
		found.Yours, found.HasYours = find.Value(rhs, c.Path)
		def, ok := find.DefaultOf(lhs, c.Path)
		found.LiveIsDefault = ok && found.HasLive && document.Equal(def, found.Live)
		found.SameManager = owner.Manager == manager && owner.Operation == managedfields.OperationUpdate
		why := r.left.why(c)
		if why != "" {
			found.Yours, found.HasYours, found.Cleared = nil, false, true
		}
		found.Hint = joinHints(why, respelling(find, lhs, &found), hint(&found), asked.hint(find, &found))
		e.Conflicts = append(e.Conflicts, found)
	}
	return e
}

// inVersion converts for display; nil where that is impossible.
func (r *request) inVersion(tv *typed.TypedValue, version fieldpath.APIVersion) *typed.TypedValue {
	converted, err := r.versions.Convert(tv, version)
	if err != nil {
		return nil // the conflict is reported without its values
	}
	return converted
}

// hint tells what the API server's message leaves out.
func hint(c *Conflict) string {
	var hints []string
	if c.SameManager {
		hints = append(hints, fmt.Sprintf(
			"owned by %s through Update (create, PUT or patch), you use Apply: hand its fields over from Update to Apply, or force once", c.Manager))
	}
	if c.Manager == beforeFirstApply && c.Operation == managedfields.OperationUpdate {
		hints = append(hints, "the object had no managed fields before; nobody is known to have written it")
	}
	if c.LiveIsDefault {
		hints = append(hints, fmt.Sprintf("value %s is only the schema default", inYAML(value.NewValueInterface(c.Live))))
	}
	return joinHints(hints...)
}

// respelling says that a conflict is about two spellings of one quantity.
func respelling(find place.Finders, live *typed.TypedValue, c *Conflict) string {
	if at, ok := find.Place(live, c.Path); ok && c.HasYours && respelled(at, c.Yours) {
		return "both are the same quantity in different spellings"
	}
	return ""
}

func joinHints(hints ...string) string {
	return strings.Join(slices.DeleteFunc(hints, func(h string) bool { return h == "" }), "; ")
}
