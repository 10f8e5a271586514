// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/clientside"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/internal/stored"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// MigrateOptions are the options of Migrate.
type MigrateOptions struct {
	// From lists the managers that lose their fields. To is the manager that applies these
	// fields from now on. From can contain the manager To itself. Migrate then moves the fields
	// of the Update entries of To to its Apply entry.
	From []string
	To   string
	// Subresource is the subresource of the entries to migrate.
	Subresource string
}

// A Transfer has the fields that MigrateResult.To got from one owner.
type Transfer struct {
	From managedfields.Owner
	// Fields is the owner's field set before the migration.
	Fields *fieldpath.Set
}

// MigrateResult is the result of Migrate for one object.
type MigrateResult struct {
	// Object is the given object with new managed fields. Everything else is unchanged. If
	// Changed is false, it is the given object itself.
	Object  map[string]any
	Managed *managedfields.Managed
	Changed bool
	// To is the new owner of the fields.
	To managedfields.Owner
	// Transfers are in the order of the entries.
	Transfers []Transfer
	// Recalled contains the fields that had no owner, and whose live value is the same as in the
	// annotation of client-side apply. The manager To owns these fields now. Recalled is nil if there
	// are no such fields.
	Recalled *fieldpath.Set
	// Warnings contains the warnings of managedfields.Decode. It also reports entries that could
	// not be moved, entries that block every apply, and an annotation of client-side apply that
	// cannot be used.
	Warnings []managedfields.Warning
}

// Migrate transfers fields from the Update and Apply entries of the managers in From to the Apply
// entry of the manager To. An object needs this when it moves from client-side to server-side
// apply, or when an applier changes its name. The next apply by To then removes the fields that
// its config omits, including the annotation of client-side apply.
//
// If From contains the manager of kubectl's client-side apply, the manager To also gets some fields
// that are in the annotation of client-side apply. These are the fields that nobody owns and whose live
// value is the same as in the annotation.
//
// Migrate converts entries to the current schema. If an entry has a different API version from
// the entry of To, Migrate moves its fields only if the object has the same fields in both
// versions. If the fields differ, the entry stays, and Migrate returns a warning. (Managed.Upgrade
// removes an entry in a different version, as kubectl does.)
//
// An Update may own both a list or map itself, for example .spec.ports, and its contents.
// Migrate also moves the path of the list or map. The next apply by To gives up this path if the
// list or map still has contents.
//
// MigrateResult.Changed is false if there is nothing to move, or if nothing can be moved.
//
// The documentation of this package compares Migrate with Rekey, Examine and
// Managed.Upgrade.
//
// An entry blocks every apply if its API version does not declare a field of the object (see
// [VersionLacksField]). If the entry of To has such a version, Migrate moves it to the version
// of the object. Migrate returns a warning for each other entry that blocks applies.
//
// Migrate does not modify live. It returns a *managedfields.EntryError for invalid managed
// fields, and a *fieldmanager.RequestError for a missing or invalid manager name. If the type of
// live does not exist, it returns the error of Options.Types.
func Migrate(m *fieldmanager.FieldManager, live map[string]any, mg MigrateOptions) (*MigrateResult, error) {
	if mg.To == "" || len(mg.From) == 0 {
		return nil, badRequest("a migration needs the managers to migrate from, and the manager to migrate to")
	}
	if err := fieldmanager.CheckManager(mg.To); err != nil {
		return nil, err
	}
	before, err := managedfields.Decode(live)
	if err != nil {
		return nil, err
	}
	apiVersion, kind := document.TypeOf(live)
	t, err := m.Type(apiVersion, kind)
	if err != nil {
		return nil, fmt.Errorf("live object (%s): %w", document.Describe(live), err)
	}
	h := &migration{m: m, before: before, plain: document.WithoutManagedFields(live), out: &MigrateResult{Object: live, Managed: before, Warnings: before.Warnings()}}
	undeclared := undeclaredFinder(m, h.plain)
	to := managedfields.Owner{Manager: mg.To, Operation: managedfields.OperationApply, APIVersion: apiVersion, Subresource: mg.Subresource}
	from := make(map[string]bool, len(mg.From))
	for _, name := range mg.From {
		from[name] = true
	}
	var moved []managedfields.Entry
	for _, e := range before.Entries() {
		switch {
		case e.Owner.ID() == to.ID():
			h.target, to = &e, e.Owner
			continue
		case from[e.Manager] && e.Subresource == mg.Subresource:
			moved = append(moved, e)
			continue
		}
		h.remaining = append(h.remaining, e)
	}
	if h.target == nil {
		to.APIVersion = versionFor(moved, apiVersion)
	}
	if len(undeclared(to.APIVersion)) > 0 {
		to.APIVersion = apiVersion
	}
	h.out.To, h.compareWith = to, versionComparer(m, h.plain, to.APIVersion)
	for _, e := range moved {
		h.moveEntry(e, currentSet(m, &e, h.plain, t))
	}
	clientSide := slices.Contains(mg.From, clientside.Manager) || slices.ContainsFunc(moved, func(e managedfields.Entry) bool { return clientside.IsEntry(&e) })
	if mg.Subresource == "" && clientSide {
		h.addLastApplied(before)
	}
	if err := h.finish(live); err != nil {
		return nil, err
	}
	h.warnBlocking(undeclared)
	return h.out, nil
}

// versionFor returns the API version for a new entry of the manager To. apiVersion is the version of
// the object. If there are moved entries, but none has apiVersion, versionFor returns the version of
// the first one. Otherwise, it returns apiVersion.
func versionFor(moved []managedfields.Entry, apiVersion string) string {
	if len(moved) == 0 || slices.ContainsFunc(moved, func(e managedfields.Entry) bool { return e.APIVersion == apiVersion }) {
		return apiVersion
	}
	return moved[0].APIVersion
}

// migration is the state of one call of Migrate.
type migration struct {
	m      *fieldmanager.FieldManager
	plain  map[string]any
	out    *MigrateResult
	before *managedfields.Managed
	// target is the entry that gets the fields. It is nil until the entry exists. isNew is true
	// if Migrate created it.
	target    *managedfields.Entry
	isNew     bool
	remaining []managedfields.Entry
	// added contains the field sets that will be added to target.
	added       []*fieldpath.Set
	compareWith func(apiVersion string) error
}

// moveEntry moves the fields of an entry to the target. If the fields of the object differ between
// the two versions, or if a conversion fails, it keeps the entry and adds a warning. The argument
// current is the field set of the entry, converted to the current schema.
func (h *migration) moveEntry(e managedfields.Entry, current *fieldpath.Set) {
	if err := h.compareWith(e.APIVersion); err != nil {
		h.remaining = append(h.remaining, e)
		h.out.Warnings = append(h.out.Warnings, managedfields.Warning{
			Path: fmt.Sprintf(".metadata.managedFields[%d]", h.before.Index(e.Owner.ID())),
			Message: fmt.Sprintf("%v (%s) keeps its entry, because its fields cannot be converted from %s to %s (the API version of %s): %v",
				e.Owner, e.Operation, e.APIVersion, h.out.To.APIVersion, h.out.To.Manager, err),
		})
		return
	}
	h.out.Transfers = append(h.out.Transfers, Transfer{e.Owner, current})
	h.addSet(current, e.Time)
}

// addSet adds a field set to the target. The argument at is the time of the entry that the set
// comes from.
func (h *migration) addSet(set *fieldpath.Set, at *time.Time) {
	h.out.Changed = true
	h.added = append(h.added, set)
	if h.target == nil {
		h.target, h.isNew = &managedfields.Entry{Owner: h.out.To, Time: at, Set: fieldpath.NewSet()}, true
		return
	}
	if h.isNew && document.Seconds(at) > document.Seconds(h.target.Time) {
		h.target.Time = at
	}
}

var errDiffer = errors.New("the object has different fields in the two versions")

// compareVersions returns an error if object has different fields in two API versions.
func compareVersions(m *fieldmanager.FieldManager, object map[string]any, a, b string) error {
	if a == b {
		return nil
	}
	var objects [2]map[string]any
	for i, version := range []string{a, b} {
		converted, _, err := m.Convert(object, version)
		if err != nil {
			return err
		}
		objects[i] = converted
	}
	if !sameFields(objects[0], objects[1]) {
		return errDiffer
	}
	return nil
}

// sameFields reports whether two objects are equal, except for their apiVersion.
func sameFields(a, b map[string]any) bool {
	a, b = document.Shallow(a), document.Shallow(b)
	delete(a, "apiVersion")
	delete(b, "apiVersion")
	return document.Equal(a, b)
}

// versionComparer returns a function that compares the object in apiVersion with the object in
// another version, as compareVersions does. The function caches its results.
func versionComparer(m *fieldmanager.FieldManager, object map[string]any, apiVersion string) func(other string) error {
	known := map[string]error{}
	return func(other string) error {
		err, ok := known[other]
		if !ok {
			err = compareVersions(m, object, other, apiVersion)
			known[other] = err
		}
		return err
	}
}

// undeclaredFinder returns a function that finds the fields of object that another API version does
// not declare. For each such field, the function returns an error. It returns no errors if the
// other version is unknown, or if a conversion to it changes more than the apiVersion. It caches
// its results.
func undeclaredFinder(m *fieldmanager.FieldManager, object map[string]any) func(other string) typed.ValidationErrors {
	apiVersion, kind := document.TypeOf(object)
	known := map[string]typed.ValidationErrors{apiVersion: nil}
	return func(other string) typed.ValidationErrors {
		found, ok := known[other]
		if !ok {
			converted, t, err := m.Convert(object, other)
			if err == nil && sameFields(converted, object) {
				found = place.UndeclaredAfter(converted, t, object, func() (typed.ParseableType, error) { return m.Type(apiVersion, kind) })
			}
			known[other] = found
		}
		return found
	}
}

// addLastApplied adds some unowned fields to the target: the fields that have the same value in the
// object and in the last-applied annotation.
func (h *migration) addLastApplied(before *managedfields.Managed) {
	if clientside.Text(h.plain) == "" {
		return
	}
	own, err := lastAppliedFields(h.m, h.plain)
	var invalid typed.ValidationErrors
	if errors.As(err, &invalid) {
		err = fmt.Errorf("the annotation or the object does not match the type of the object; the first error is at %s", invalid[0].Path)
	}
	if err != nil {
		h.out.Warnings = append(h.out.Warnings, managedfields.Warning{
			Path:    ".metadata.annotations." + fieldmanager.LastAppliedAnnotation,
			Message: fmt.Sprintf("cannot be used to find fields without an owner: %v", err),
		})
		return
	}
	var owned []*fieldpath.Set
	for _, e := range before.Entries() {
		owned = append(owned, e.Set)
	}
	recalled := own.Difference(document.NeverOwned).Difference(stored.Union(owned))
	if recalled.Empty() {
		return
	}
	h.out.Recalled = recalled
	h.addSet(recalled, nil)
}

func (h *migration) finish(live map[string]any) error {
	if !h.out.Changed {
		return nil
	}
	h.target.Owner = h.out.To
	h.target.Set = stored.Union(append(h.added, h.target.Set))
	managed, err := managedfields.New(append(h.remaining, *h.target))
	if err != nil {
		return err
	}
	h.out.Managed, h.out.Object = managed, managed.EncodeInto(live)
	return nil
}

// warnBlocking adds a warning for each entry that still blocks every apply, because its version
// does not declare a field of the object.
func (h *migration) warnBlocking(undeclared func(apiVersion string) typed.ValidationErrors) {
	for _, e := range h.out.Managed.Entries() {
		if fields := undeclared(e.APIVersion); len(fields) > 0 {
			h.out.Warnings = append(h.out.Warnings, managedfields.Warning{
				Path: fmt.Sprintf(".metadata.managedFields[%d]", h.before.Index(e.Owner.ID())),
				Message: fmt.Sprintf("%v (%s) stays in %s, which does not declare %s: the API server rejects every apply to the object until the entry has another version",
					e.Owner, e.Operation, e.APIVersion, fields[0].Path),
			})
		}
	}
}

func badRequest(message string) error {
	return &fieldmanager.RequestError{Status: httpstatus.BadRequest, Message: message}
}
