// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/clientside"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/stored"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// MigrateOptions says what Migrate hands over.
type MigrateOptions struct {
	// From are the managers that give their fields away, To who is to apply them.
	// They may be the same: what it has by Update it then has by Apply.
	From []string
	To   string
	// Subresource is that of the entries.
	Subresource string
}

// A Handover is what one owner has given away.
type Handover struct {
	From managedfields.Owner
	// Fields is what it owned.
	Fields *fieldpath.Set
}

// MigrateResult is what Migrate made of an object.
type MigrateResult struct {
	// Object has the new managed fields; it is the object itself if Changed is
	// false. Nothing else differs.
	Object  map[string]any
	Managed *managedfields.Managed
	Changed bool
	// To is who has the fields now.
	To managedfields.Owner
	// Handovers are in the order of the entries.
	Handovers []Handover
	// Recalled are fields that nobody owned and that client-side apply had set,
	// by its annotation, to what they are; nil if there are none.
	Recalled *fieldpath.Set
	// Warnings name entries that could not be handed over.
	Warnings []managedfields.Warning
}

// Migrate hands what the managers From own, by Update or by Apply, over to an
// Apply by To, as needed when an object moves from client-side to server-side
// apply, or when an applier changes its name: the next apply by To removes what it
// leaves out, the annotation of client-side apply among it, which is handed over, too.
//
// With From the manager of kubectl's client-side apply, To also takes what its
// annotation says it set, as long as it is still so and nobody owns it. Entries are
// read as the schema of today reads them. Those in another API version than To's
// are joined if the versions differ in their name only; others stay, with a
// warning. (Managed.Upgrade drops them, as kubectl does.) Lists and maps that an Update
// owns beside what is in them are handed over, too; the next apply by To gives up
// those that it still fills.
//
// MigrateResult.Changed is false if From own nothing.
//
// The package comment says when Rekey, Examine or Managed.Upgrade is meant instead.
//
// live is not modified. Bad managed fields are a *managedfields.EntryError, a bad name
// is a *RequestError.
func Migrate(m *fieldmanager.FieldManager, live map[string]any, mg MigrateOptions) (*MigrateResult, error) {
	if mg.To == "" || len(mg.From) == 0 {
		return nil, badMigration("a migration needs managers it is from and one it is to")
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
	h := &handing{m: m, before: before, plain: document.WithoutManagedFields(live), out: &MigrateResult{Object: live, Managed: before, Warnings: before.Warnings()}}
	to := managedfields.Owner{Manager: mg.To, Operation: managedfields.OperationApply, APIVersion: apiVersion, Subresource: mg.Subresource}
	from := make(map[string]bool, len(mg.From))
	for _, name := range mg.From {
		from[name] = true
	}
	var given []managedfields.Entry
	for _, e := range before.Entries() {
		switch {
		case e.Owner.ID() == to.ID():
			h.target, to = &e, e.Owner
			continue
		case from[e.Manager] && e.Subresource == mg.Subresource:
			given = append(given, e)
			continue
		}
		h.left = append(h.left, e)
	}
	if h.target == nil {
		to.APIVersion = versionFor(given, apiVersion)
	}
	h.out.To, h.differ = to, differing(m, h.plain, to.APIVersion)
	for _, e := range given {
		h.give(e, today(m, &e, h.plain, t))
	}
	clientSide := slices.Contains(mg.From, clientside.Manager) || slices.ContainsFunc(given, func(e managedfields.Entry) bool { return clientside.IsEntry(&e) })
	if mg.Subresource == "" && clientSide {
		h.recall(before)
	}
	return h.finish(live)
}

// versionFor is the version in which fields of given are applied from now on: the
// object's if one is in that.
func versionFor(given []managedfields.Entry, apiVersion string) string {
	if len(given) == 0 || slices.ContainsFunc(given, func(e managedfields.Entry) bool { return e.APIVersion == apiVersion }) {
		return apiVersion
	}
	return given[0].APIVersion
}

// handing is one migration.
type handing struct {
	m      *fieldmanager.FieldManager
	plain  map[string]any
	out    *MigrateResult
	before *managedfields.Managed
	// target is the entry that takes the fields, nil until there is one.
	target *managedfields.Entry
	isNew  bool
	left   []managedfields.Entry
	// taken are the sets that the target takes.
	taken  []*fieldpath.Set
	differ func(apiVersion string) error
}

// give hands an entry over, of which its owner has today's set, or leaves it with a warning.
func (h *handing) give(e managedfields.Entry, today *fieldpath.Set) {
	if why := h.differ(e.APIVersion); why != nil {
		h.left = append(h.left, e)
		h.out.Warnings = append(h.out.Warnings, managedfields.Warning{
			Path: fmt.Sprintf(".metadata.managedFields[%d]", h.before.Index(e.Owner.ID())),
			Message: fmt.Sprintf("%v (%s) stays: its fields in %s cannot be told in %s, which is what %s applies: %v",
				e.Owner, e.Operation, e.APIVersion, h.out.To.APIVersion, h.out.To.Manager, why),
		})
		return
	}
	h.out.Handovers = append(h.out.Handovers, Handover{e.Owner, today})
	h.take(today, e.Time)
}

// take adds a set, which was written at some time, to what the target owns.
func (h *handing) take(set *fieldpath.Set, at *time.Time) {
	h.out.Changed = true
	h.taken = append(h.taken, set)
	if h.target == nil {
		h.target, h.isNew = &managedfields.Entry{Owner: h.out.To, Time: at, Set: fieldpath.NewSet()}, true
		return
	}
	if h.isNew && document.Seconds(at) > document.Seconds(h.target.Time) {
		h.target.Time = at
	}
}

var errDiffer = errors.New("the two versions differ")

// differ says why object does not have the same fields in two versions, nil if it
// has.
func differ(m *fieldmanager.FieldManager, object map[string]any, a, b string) error {
	if a == b {
		return nil
	}
	var objects [2]map[string]any
	for i, version := range []string{a, b} {
		converted, _, err := m.Convert(object, version)
		if err != nil {
			return err
		}
		objects[i] = document.Shallow(converted)
		delete(objects[i], "apiVersion")
	}
	if !document.Equal(objects[0], objects[1]) {
		return errDiffer
	}
	return nil
}

// differing is differ of object in a version and in others, each of which is asked for
// once.
func differing(m *fieldmanager.FieldManager, object map[string]any, apiVersion string) func(other string) error {
	known := map[string]error{}
	return func(other string) error {
		err, ok := known[other]
		if !ok {
			err = differ(m, object, other, apiVersion)
			known[other] = err
		}
		return err
	}
}

// recall takes what client-side apply set and nobody owns.
func (h *handing) recall(before *managedfields.Managed) {
	if clientside.Text(h.plain) == "" {
		return
	}
	own, err := lastAppliedFields(h.m, h.plain)
	var misfits typed.ValidationErrors
	if errors.As(err, &misfits) {
		err = fmt.Errorf("it or the object does not fit the type of the object, first at %s", misfits[0].Path)
	}
	if err != nil {
		h.out.Warnings = append(h.out.Warnings, managedfields.Warning{
			Path:    ".metadata.annotations." + fieldmanager.LastAppliedAnnotation,
			Message: fmt.Sprintf("cannot be used to find fields that nobody owns: %v", err),
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
	h.take(recalled, nil)
}

func (h *handing) finish(live map[string]any) (*MigrateResult, error) {
	if !h.out.Changed {
		return h.out, nil
	}
	h.target.Set = stored.Union(append(h.taken, h.target.Set))
	managed, err := managedfields.New(append(h.left, *h.target))
	if err != nil {
		return nil, err
	}
	h.out.Managed, h.out.Object = managed, managed.EncodeInto(live)
	return h.out, nil
}

func badMigration(message string) error {
	return &fieldmanager.RequestError{Status: http.StatusBadRequest, Message: message}
}
