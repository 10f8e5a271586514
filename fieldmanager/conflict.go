// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// A Conflict is a field that an applied config wants to be other than
// another manager left it.
type Conflict struct {
	// Owner is who owns the live value. APIVersion is set for an Apply too.
	managedfields.Owner
	// Time is that of the owner's entry, nil if it has none.
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
}

// Message returns the conflict without its path, as an API server writes it into the causes
// of a refusal: conflict with "kubectl-edit" using apps/v1.
func (c *Conflict) Message() string { return fmt.Sprintf("conflict with %v", c.Owner) }

// ConflictError reports all conflicts of an apply. They are sorted by the
// identifier of their owner; those with one owner are in the order of
// fieldpath.Set.Iterate. errors.As finds the merge.Conflicts in it.
type ConflictError struct {
	Conflicts []Conflict
}

// Error is the message of the API server, for example:
//
//	Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1: .spec.replicas
func (e *ConflictError) Error() string {
	if len(e.Conflicts) == 1 {
		c := &e.Conflicts[0]
		return fmt.Sprintf("Apply failed with 1 conflict: %s: %v", c.Message(), c.Path)
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

// Unwrap returns the merge.Conflicts.
func (e *ConflictError) Unwrap() error {
	conflicts := make(merge.Conflicts, len(e.Conflicts))
	for i := range e.Conflicts {
		c := &e.Conflicts[i]
		conflicts[i] = merge.Conflict{Manager: c.Owner.ID(), Path: c.Path}
	}
	return conflicts
}

// conflictError sorts the conflicts, and adds what their owners and the values say.
func (r *request) conflictError(conflicts merge.Conflicts, live, config *typed.TypedValue, have owned, manager string) error {
	slices.SortStableFunc(conflicts, func(a, b merge.Conflict) int { return strings.Compare(a.Manager, b.Manager) })
	e := &ConflictError{Conflicts: make([]Conflict, len(conflicts))}
	find := place.Finders{}
	merged := sync.OnceValue(func() *typed.TypedValue {
		merged, err := live.Merge(config)
		if err != nil {
			return nil // the conflicts are reported without its values
		}
		return merged
	})
	asked := r.askedFor(merged)
	var owner managedfields.Owner
	var lhs *typed.TypedValue
	inConfig := func(path fieldpath.Path) (any, bool) {
		if at, ok := find.Place(config, path); ok && at.Plain != nil && !at.Granular() {
			return at.Plain, true // nothing of the live object is merged with it
		}
		return find.Value(merged(), path)
	}
	yours := inConfig
	for i, c := range conflicts {
		if i == 0 || c.Manager != conflicts[i-1].Manager {
			var err error
			if owner, err = managedfields.ParseOwner(c.Manager); err != nil {
				return err
			}
			lhs, yours = live, inConfig
			if vs, ok := have.fields[c.Manager]; ok {
				owner.APIVersion = string(vs.APIVersion())
				if lhs = r.inVersion(live, vs.APIVersion()); lhs != live {
					rhs := r.inVersion(merged(), vs.APIVersion())
					yours = func(path fieldpath.Path) (any, bool) { return find.Value(rhs, path) }
				}
			}
		}
		found := &e.Conflicts[i]
		*found = Conflict{Owner: owner, Time: have.times[c.Manager], Path: c.Path}
		at, hasLive := find.Place(lhs, c.Path)
		found.Live, found.HasLive = at.Plain, hasLive
		found.Yours, found.HasYours = yours(c.Path)
		found.LiveIsDefault = hasLive && at.IsFieldDefault()
		found.SameManager = owner.Manager == manager && owner.Operation == managedfields.OperationUpdate
		why := r.left.why(c)
		if why != "" {
			found.Yours, found.HasYours, found.Cleared = nil, false, true
			why += " (" + unionsProposal + ")"
		}
		found.Hint = asked.hint(find, at, found, why)
	}
	return e
}

// inVersion converts for display; nil where that is impossible.
func (r *request) inVersion(tv *typed.TypedValue, version fieldpath.APIVersion) *typed.TypedValue {
	if tv == nil {
		return nil
	}
	converted, err := r.versions.Convert(tv, version)
	if err != nil {
		return nil // the conflict is reported without its values
	}
	return converted
}
