// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// A Conflict is a field that the config would change and that another manager owns.
type Conflict struct {
	// Owner is the owner of the field. Its APIVersion is set even if its operation is Apply.
	managedfields.Owner
	// Time is the time of the owner's entry, or nil if the entry has no time.
	Time *time.Time
	// Path is the path of the field in the owner's API version. Path.String returns the path
	// in the notation of the API server.
	Path fieldpath.Path
	// Yours is the value that the config would give the field. Live is its value in the live
	// object. Both are in the owner's API version. They share memory with the arguments of
	// Apply, so do not modify them. If a conversion to this version fails, HasYours or HasLive
	// is false. HasYours is also false if Cleared is true.
	Yours, Live any
	// HasYours and HasLive report whether the values Yours and Live exist. A null value counts
	// as existing.
	HasYours, HasLive bool
	// LiveIsDefault is true if the live value is the default in the schema. In this case, the owner
	// may never have sent the value.
	LiveIsDefault bool
	// SameManager is true if the owner has the same name as the applier, but owns the field
	// through Update. ownership.Migrate transfers such fields.
	SameManager bool
	// Cleared is true if the config does not set the field, but clears it by selecting another
	// member of a union. See Options.Unions.
	Cleared bool
	// Immutable is true if a transition rule forbids the change, so a forced apply is rejected,
	// too. It is always false without Options.CheckTransitions, and for an owner in another API
	// version.
	Immutable bool
	// Hint is a text for the user with more facts about the conflict, or empty. For example,
	// it explains that the owner is the same manager, but owns the field through Update.
	Hint string
}

// Message returns the text of the conflict without its path, for example: conflict with
// "kubectl-edit" using apps/v1. An API server sends this text in the causes of an error.
func (c *Conflict) Message() string { return fmt.Sprintf("conflict with %v", c.Owner) }

// String returns the text of the conflict with its path, for example: conflict with "kubectl-edit" using
// apps/v1: .spec.replicas.
func (c Conflict) String() string { return fmt.Sprintf("%s: %v", c.Message(), c.Path) }

// ConflictError has all conflicts of an apply, sorted by the identifier of their owner.
// Conflicts with the same owner are in the order of fieldpath.Set.Iterate. Use errors.As
// to get the merge.Conflicts of a ConflictError.
type ConflictError struct {
	Conflicts []Conflict
}

// Error returns the message of the API server, for example:
//
//	Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1: .spec.replicas
func (e *ConflictError) Error() string {
	if len(e.Conflicts) == 1 {
		return fmt.Sprintf("Apply failed with 1 conflict: %v", e.Conflicts[0])
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

// Unwrap returns the conflicts as merge.Conflicts.
func (e *ConflictError) Unwrap() error {
	conflicts := make(merge.Conflicts, len(e.Conflicts))
	for i := range e.Conflicts {
		c := &e.Conflicts[i]
		conflicts[i] = merge.Conflict{Manager: c.Owner.ID(), Path: c.Path}
	}
	return conflicts
}

// newConflictError returns a *ConflictError with the conflicts, which it sorts in place by owner. It adds
// the owner, the values, the hint and the flags of each conflict. For these, it can call the Converter and
// the Defaulter. If the ID of an owner is invalid, it returns the
// error of managedfields.ParseOwner.
func (r *request) newConflictError(conflicts merge.Conflicts, live, config *typed.TypedValue, owners ownerSets, manager string) error {
	byOwnerID := func(a, b merge.Conflict) int { return strings.Compare(a.Manager, b.Manager) }
	if !slices.IsSortedFunc(conflicts, byOwnerID) {
		slices.SortStableFunc(conflicts, byOwnerID)
	}
	e := &ConflictError{Conflicts: make([]Conflict, len(conflicts))}
	values := conflictValues{r: r, finders: place.Finders{}, live: live, config: config}
	values.merged = sync.OnceValue(func() *typed.TypedValue {
		merged, err := live.Merge(config)
		if err != nil {
			return nil // the conflicts are still reported, but some of them without the value that the config would set
		}
		return merged
	})
	hinter := r.newConflictHinter(values.merged)
	// Conflicts with the same owner follow each other, so compute the owner only for the first of
	// them.
	var owner managedfields.Owner
	var ownerTime *time.Time
	for i, c := range conflicts {
		ownerID := c.Manager // Manager of a merge.Conflict is an owner ID, Manager of a Conflict is a name
		if i == 0 || ownerID != conflicts[i-1].Manager {
			var err error
			if owner, err = managedfields.ParseOwner(ownerID); err != nil {
				return err
			}
			vs := owners.sets[ownerID]
			if vs != nil {
				owner.APIVersion = string(vs.APIVersion())
			}
			values.convertFor(vs)
			ownerTime = owners.times[ownerID]
		}
		conflict := &e.Conflicts[i]
		*conflict = Conflict{Owner: owner, Time: ownerTime, Path: c.Path}
		at, hasLive := values.finders.Place(values.ownerLive, c.Path)
		conflict.Live, conflict.HasLive = at.Plain, hasLive
		conflict.Yours, conflict.HasYours = values.yours(c.Path)
		conflict.LiveIsDefault = hasLive && at.IsFieldDefault()
		conflict.SameManager = owner.Manager == manager && owner.Operation == managedfields.OperationUpdate
		reason := r.leftovers.conflictReason(c)
		if reason != "" {
			conflict.Yours, conflict.HasYours, conflict.Cleared = nil, false, true
			reason += " (" + unionsProposal + ")"
		}
		conflict.Hint = hinter.hint(values.finders, values.ownerLive, at, conflict, reason)
	}
	r.markImmutable(e.Conflicts, live, values.merged)
	return e
}

// markImmutable finds values that the config changes although a transition rule forbids the change.
// It sets the field Immutable of each conflict at or below such a value. It ignores owners in other
// versions. The function merged returns the live object with the config merged in, or nil.
func (r *request) markImmutable(conflicts []Conflict, live *typed.TypedValue, merged func() *typed.TypedValue) {
	if !r.m.options.CheckTransitions || !r.liveType.HasTransitions() {
		return
	}
	object := merged()
	if object == nil {
		return
	}
	before, err := pruneAndDefault(live)
	if err != nil {
		return
	}
	after, err := pruneAndDefault(object)
	if err != nil {
		return
	}
	var changes typed.TransitionErrors
	if !errors.As(before.CheckTransition(after, typed.TransitionOptions{IgnoreItemOrder: r.m.options.IgnoreItemOrder}), &changes) {
		return
	}
	forbidden := fieldpath.NewSet()
	for i := range changes {
		forbidden.Insert(changes[i].Path)
	}
	for i := range conflicts {
		c := &conflicts[i]
		for n := 1; n <= len(c.Path) && c.APIVersion == r.apiVersion && !c.Immutable; n++ {
			c.Immutable = forbidden.Has(c.Path[:n])
		}
	}
}

// conflictValues finds the two values of each conflict, in the API version of its owner.
type conflictValues struct {
	r            *request
	finders      place.Finders
	live, config *typed.TypedValue
	// merged returns live with config merged in, or nil if the merge fails. Unlike the result of an
	// apply, this object still has the fields that the manager gives up and the union members that
	// the apply clears.
	merged func() *typed.TypedValue
	// ownerLive and ownerMerged are the live object and the merged object, converted to the API
	// version of the current owner. They are nil if the conversion fails. If converted is false,
	// there was no conversion: ownerLive is the live object, and ownerMerged is not set.
	ownerLive, ownerMerged *typed.TypedValue
	converted              bool
}

// convertFor converts the objects to the API version in which the current owner owns its fields. It
// converts nothing if this is the version of the endpoint, or if the field set of the owner is
// unknown (nil).
func (c *conflictValues) convertFor(owned fieldpath.VersionedSet) {
	c.ownerLive, c.ownerMerged, c.converted = c.live, nil, false
	if owned == nil {
		return
	}
	if c.ownerLive = c.r.convertOrNil(c.live, owned.APIVersion()); c.ownerLive != c.live {
		c.ownerMerged, c.converted = c.r.convertOrNil(c.merged(), owned.APIVersion()), true
	}
}

// yours returns the value that the config would give the field at path. A scalar or an atomic value
// in the config replaces the live value, so the result is the value in the config. If the value in
// the config is a granular map or list, or null, or if the config has no value there, the result is
// from the merged object. For an owner in another version, the result is always from the merged
// object.
func (c *conflictValues) yours(path fieldpath.Path) (any, bool) {
	if c.converted {
		return c.finders.Value(c.ownerMerged, path)
	}
	v, ok := c.finders.Value(c.config, path)
	if ok && !data.IsScalar(v) {
		at, _ := c.finders.Place(c.config, path)
		ok = !at.Granular()
	}
	if ok && v != nil {
		return v, true
	}
	return c.finders.Value(c.merged(), path)
}

// convertOrNil converts tv to another version, so that a conflict can show its values. It
// returns nil if tv is nil or if the conversion fails.
func (r *request) convertOrNil(tv *typed.TypedValue, version fieldpath.APIVersion) *typed.TypedValue {
	if tv == nil {
		return nil
	}
	converted, err := r.converter.Convert(tv, version)
	if err != nil {
		return nil // the conflict is reported without its values
	}
	return converted
}
