// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// Compare compares the result of a request with the live object, as the command diff does. It
// returns the report of diff and a unified diff, which is empty if nothing changes.
func Compare(o *prediction.Outcome) (r Report, unified string) {
	if o.Maker == nil || len(o.Errors) > 0 {
		return Report{Report: report.Of(o)}, ""
	}
	d := differenceOf(o)
	d.warnRespelled(o)
	var text strings.Builder
	(&view{name: viewUnified}).show(&printer{w: &text}, o, d)
	return Report{report.Of(o), d.report()}, text.String()
}

// warnRespelled warns about each quantity that gets a new spelling but keeps its value, such as
// 1000m and 1.
func (d *difference) warnRespelled(o *prediction.Outcome) {
	for _, c := range d.changes {
		if c.Respelled {
			o.Warn(c.Path.String(), fields.RespelledNote)
		}
	}
}

// difference holds the changes of one object.
type difference struct {
	isNew    bool
	object   map[string]any
	changes  []fields.Change
	defaults []fields.Defaulted
	// unchanged lists the conflicts whose fields keep their values, even in a forced apply. An
	// example is a conflict between the quantities 1 and 1000m, because a server stores both as "1".
	unchanged []*fieldmanager.Conflict
}

// isEmpty reports whether there is nothing to show.
func (d *difference) isEmpty() bool {
	return !d.isNew && len(d.changes)+len(d.defaults)+len(d.unchanged) == 0
}

func (d *difference) differs() bool {
	if d.isNew || len(d.changes) > 0 {
		return true
	}
	for _, l := range d.defaults {
		if !l.Same {
			return true
		}
	}
	return false
}

// differenceOf returns the changes that an apply makes to the live object. If the apply has
// conflicts, these are the changes of a forced apply. In this case, differenceOf also adds the
// result of the forced apply to the outcome.
func differenceOf(o *prediction.Outcome) *difference {
	d := &difference{}
	done := o
	if len(o.Conflicts) > 0 {
		done = o.MakeForced()
		o.ShowForced(done)
		o.Immutable = done.Immutable
	}
	result := cmp.Or(done.Result, done.Preview)
	if done != o {
		o.NoteWarnings(result)
	}
	if result == nil {
		o.Errors = append(o.Errors, done.Errors...)
		return d
	}
	d.object = result.Object
	if o.Live == nil {
		d.isNew = true
		return d
	}
	found, err := fields.Changes(o.LiveType, o.Before, result.Object)
	if err != nil {
		o.Errors = append(o.Errors, o.Object.Errorf("", "%v", err))
		return d
	}
	markRespelled(o.LiveType, found, fieldmanager.RespellQuantities(o.LiveType, o.Before, unstructured.SecretAsStored(result.Object)))
	found = withImmutable(found, o.Immutable)
	owned := fields.NewOwnership(liveEntries(o))
	contested := fieldpath.NewSet()
	for _, c := range o.Conflicts {
		contested.Insert(c.Path)
	}
	forced := fieldpath.NewSet() // the conflicts that a flag forced, so that the other owners lose the fields
	for i := range done.Resolved {
		if done.Resolved[i].Choice == resolve.Force {
			forced.Insert(done.Resolved[i].Conflict.Path)
		}
	}
	defaulted := make(map[string]bool, len(done.Defaulted))
	for _, path := range done.Defaulted {
		defaulted[path] = true
	}
	sent := place.ObjectOf(o.Type, o.Sent())
	for i := range found {
		if at, ok := sent.At(found[i].Path); ok {
			found[i].Null = at.Plain == nil
		}
		found[i].Owners = owned.Of(found[i].Path)
		var written fieldpath.Path
		if written, found[i].Encoded = fromStringData(o, found[i].Path); found[i].Encoded && len(found[i].Owners) == 0 {
			found[i].Owners = owned.Of(written)
		}
		found[i].Conflict = fields.Overlaps(contested, found[i].Path)
		found[i].Forced = !found[i].Conflict && (found[i].HasNew && done.Maker.ForcesAll() || fields.Overlaps(forced, found[i].Path))
		found[i].LeftOut = found[i].HasOld && found[i].HasNew && defaulted[found[i].Path.String()]
		found[i].Removed = len(otherOwners(o, found[i].Owners)) < len(found[i].Owners)
	}
	d.changes = found
	changed := d.changedPaths()
	for i := range o.Conflicts {
		if c := &o.Conflicts[i]; !fields.Overlaps(changed, c.Path) {
			d.unchanged = append(d.unchanged, c)
		}
	}
	return d
}

// changedPaths returns the paths of all changes.
func (d *difference) changedPaths() *fieldpath.Set {
	paths := fieldpath.NewSet()
	for i := range d.changes {
		paths.Insert(d.changes[i].Path)
	}
	return paths
}

// markRespelled marks the changes that only spell a quantity differently, such as 1000m and 1. The
// argument spelled is the result of the request, in which these quantities are spelled as in the
// live object.
func markRespelled(t typed.ParseableType, changes []fields.Change, spelled map[string]any) {
	object := place.ObjectOf(t, spelled)
	for i := range changes {
		c := &changes[i]
		if at, ok := object.At(c.Path); ok && c.HasOld && c.HasNew {
			c.Respelled = !value.EqualUnstructured(c.Old, c.New) && value.EqualUnstructured(c.Old, at.Plain)
		}
	}
}

// withImmutable marks the changes that an immutability rule forbids. It also adds forbidden
// changes that are missing from changes, such as a different order of items.
func withImmutable(changes []fields.Change, forbidden []fieldmanager.ImmutableField) []fields.Change {
	fixed, shown := fieldpath.NewSet(), fieldpath.NewSet()
	for _, f := range forbidden {
		fixed.Insert(f.Path)
	}
	for i := range changes {
		changes[i].Immutable = changes[i].Immutable || fields.Overlaps(fixed, changes[i].Path)
		if at := slices.IndexFunc(forbidden, func(f fieldmanager.ImmutableField) bool { return fields.Overlap(f.Path, changes[i].Path) }); at >= 0 {
			changes[i].Proposal = forbidden[at].KEP
		}
		shown.Insert(changes[i].Path)
	}
	for _, f := range forbidden {
		if !fields.Overlaps(shown, f.Path) && f.Old != nil && f.New != nil {
			changes = append(changes, fields.Change{
				Path: f.Path, Old: f.Old.Unstructured(), New: f.New.Unstructured(),
				HasOld: true, HasNew: true, Immutable: true, Proposal: f.KEP,
			})
			shown.Insert(f.Path)
		}
	}
	slices.SortStableFunc(changes, func(a, b fields.Change) int { return a.Path.Compare(b.Path) })
	return changes
}

// liveEntries returns the managed fields entries of the live object. If the live object has no
// managed fields, the apply first makes the manager before-first-apply the owner of all fields. In
// this case, liveEntries returns the entry of before-first-apply.
func liveEntries(o *prediction.Outcome) []managedfields.Entry {
	if o.Live == nil {
		return nil
	}
	managed, err := managedfields.Decode(o.Live.Content)
	if err != nil {
		return nil // the report of the apply contains this error
	}
	if managed.Len() > 0 {
		return managed.Entries()
	}
	live, err := o.LiveType.FromUnstructured(unstructured.WithoutManagedFields(o.Before), typed.AllowDuplicates)
	if err != nil {
		return nil
	}
	all, err := live.ToFieldSet()
	if err != nil {
		return nil
	}
	owner := managedfields.Owner{Manager: fieldmanager.BeforeFirstApply, Operation: managedfields.OperationUpdate, APIVersion: o.Object.Identity().APIVersion}
	now := o.Maker.Now()
	return []managedfields.Entry{{Owner: owner, Time: &now, Set: all}}
}

// defaultedOf returns the fields of the live object that have a default and that the config leaves
// out. It skips fields that the given manager owns, because the apply removes them.
func defaultedOf(o *prediction.Outcome, manager string, fromGo bool) []fields.Defaulted {
	if o.Live == nil {
		return nil
	}
	s := &fields.DefaultSearch{
		Schema:  o.Type.Schema,
		Owned:   fields.NewOwnership(liveEntries(o)),
		Manager: manager,
		Zeroes:  fromGo,
	}
	s.Value(o.Type.TypeRef, unstructured.WithoutManagedFields(o.Sent()), unstructured.WithoutManagedFields(o.Before), false, nil)
	slices.SortStableFunc(s.Found, func(a, b fields.Defaulted) int { return strings.Compare(a.Path, b.Path) })
	return s.Found
}

// fromStringData returns the path in stringData from which a Secret gets its value at path: for
// .data.token, it is .stringData.token. It also reports whether the config sets this path. If the
// object is not a Secret, it reports false.
func fromStringData(o *prediction.Outcome, path fieldpath.Path) (fieldpath.Path, bool) {
	id := o.Object.Identity()
	if id.APIVersion != "v1" || id.Kind != "Secret" || len(path) != 2 || path[0].FieldName == nil || *path[0].FieldName != unstructured.SecretData {
		return nil, false
	}
	written := fieldpath.Path{fieldpath.FieldNameElement(unstructured.SecretStringData), path[1]}
	_, ok := fields.ValueAt(o.Sent(), written)
	return written, ok
}

// Report is the report of diff about one object. Its format is a stable part of the command
// line.
type Report struct {
	report.Report
	// Differences lists the changes. It is left out if nothing was compared.
	Differences *[]differenceReport `json:"differences,omitempty"`
}

// differenceReport is one change, with the values before and after the apply.
type differenceReport struct {
	Path string `json:"path"`
	// Old is the value before the apply, or null if there was none.
	Old any `json:"old"`
	// New is the value after the apply, or null if there is none.
	New any `json:"new"`
	// HasOld reports whether the path has a value before the apply. The value may be null.
	HasOld bool `json:"hasOld"`
	// HasNew reports whether the path has a value after the apply. The value may be null.
	HasNew bool `json:"hasNew"`
	// Owners lists the managers that own the path or a path below it before the apply.
	Owners []report.OwnerReport `json:"owners"`
	// Conflict reports whether the change conflicts with another manager.
	Conflict bool `json:"conflict"`
	// Immutable reports whether an immutability rule forbids the change.
	Immutable bool `json:"immutable"`
	// Proposal names the KEP that proposes the immutability rule. It is left out if released
	// API servers already enforce the rule.
	Proposal string `json:"proposal,omitempty"`
	// Note has human-readable remarks about the change. It may be empty.
	Note string `json:"note"`
}

// report converts the changes for a report. The list is empty for a new object, because the
// report already contains the whole object.
func (d *difference) report() *[]differenceReport {
	list := []differenceReport{}
	for i := range d.changes {
		c := &d.changes[i]
		r := differenceReport{
			Path: c.Path.String(), Old: c.Old, New: c.New, HasOld: c.HasOld, HasNew: c.HasNew,
			Owners: []report.OwnerReport{}, Conflict: c.Conflict, Immutable: c.Immutable, Proposal: c.Proposal, Note: strings.Join(c.Notes(), "; "),
		}
		for _, e := range c.Owners {
			r.Owners = append(r.Owners, report.ReportOwner(e.Owner))
		}
		list = append(list, r)
	}
	return &list
}
