// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"

	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/internal/stored"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// decode reads managed fields as a request needs them.
var decode = stored.Decode.(func(map[string]any, *stored.Reading) (*managedfields.Managed, error))

// theUpdate is the verb of a request that is no apply.
const theUpdate = "the update"

// request is one apply or update on its way.
type request struct {
	m                *FieldManager
	apiVersion, kind string // the endpoint
	versions         *versions
	updater          *merge.Updater
	now              time.Time
	warnings         []managedfields.Warning

	// live is the live object in the version of the endpoint, without its
	// managed fields; what a new object starts from when there is none.
	live  map[string]any
	isNew bool
	// original is the live object as it was given, if it is remembered and is in that
	// version.
	original map[string]any
	liveType typed.ParseableType
	// liveTyped is live as typedLive made it.
	liveTyped *typed.TypedValue
	// unknown are the fields of the live object that its own type, strictType, does
	// not know, so that liveType is another one; nil if there are none, or none are
	// carried.
	unknown    []*diag.Finding
	strictType typed.ParseableType
	// sent is what the request carries, and verb what it is called; forced that it
	// is an apply by force. For messages.
	sent   map[string]any
	verb   string
	forced bool
	// stored is what is to be stored, unless fields of it are set back, as it was
	// compared with the live object; nil if it was not.
	stored *typed.TypedValue
	// left is what an apply that is in conflict left behind of unions, if it is known.
	left *leftovers
	// differs is known of an object that does so from live, in fields that
	// nothing sets back.
	differs bool
}

// newRequest resolves the endpoint for a request that carries object, and
// checks that live is an object of the same kind.
func (m *FieldManager) newRequest(live, object map[string]any) (*request, error) {
	apiVersion, kind := document.TypeOf(object)
	if apiVersion == "" || kind == "" {
		return nil, badRequest(fmt.Sprintf("object has no apiVersion or kind: invalid object type: %s", document.GVK(apiVersion, kind)))
	}
	r := &request{m: m, apiVersion: apiVersion, kind: kind, isNew: live == nil}
	if m.o.APIVersion != "" {
		r.apiVersion = m.o.APIVersion
	}
	if m.o.Kind != "" {
		r.kind = m.o.Kind
	}
	if kind != r.kind {
		return nil, badRequest("invalid object type: " + document.GVK(apiVersion, kind))
	}
	for _, o := range []map[string]any{object, live} {
		if v, ok := o["metadata"]; ok && v != nil && document.Metadata(o) == nil {
			return nil, badRequest("metadata: want an object, got " + document.Kind(v))
		}
	}
	if !r.isNew {
		if version, kind := document.TypeOf(live); version == "" || kind != r.kind {
			return nil, badRequest(fmt.Sprintf("the live object is of another type: %s, want %s", document.GVK(version, kind), document.GVK(r.apiVersion, r.kind)))
		}
		for _, name := range []string{"name", "namespace"} {
			got, want := document.MetaString(object, name), document.MetaString(live, name)
			if got != "" && want != "" && got != want {
				return nil, badRequest(fmt.Sprintf("the %s of the object (%s) does not match the %s of the live object (%s)", name, got, name, want))
			}
		}
		if version, _ := document.TypeOf(live); m.memory != nil && version == r.apiVersion {
			r.original = live
		}
	}
	r.now = m.o.Clock().UTC().Truncate(time.Second)
	r.versions = &versions{m: m, home: fieldpath.APIVersion(r.apiVersion)}
	builder := merge.UpdaterBuilder{
		Converter:     r.versions,
		IgnoredFields: m.o.ResetFields,
		IgnoreFilter:  m.o.IgnoreFilter,
	}
	r.updater = builder.BuildUpdater()

	if r.isNew {
		live = r.empty()
	}
	var err error
	r.live, r.liveType, err = m.Convert(document.WithoutManagedFields(live), r.apiVersion)
	if err != nil {
		what := "live object"
		if r.isNew {
			live, what = object, "object"
		}
		return nil, fmt.Errorf("%s (%s): %w", what, document.Describe(live), err)
	}
	if m.o.CarryUnknown && !r.isNew {
		r.carryUnknown()
	}
	return r, nil
}

// empty is what an object of the endpoint starts from.
func (r *request) empty() map[string]any {
	if r.m.o.Empty != nil {
		if o := r.m.o.Empty(r.apiVersion, r.kind); o != nil {
			return o
		}
	}
	return map[string]any{"apiVersion": r.apiVersion, "kind": r.kind}
}

// typedLive is the live object with its type. Duplicates in it are the past's.
func (r *request) typedLive() (*typed.TypedValue, error) {
	if r.liveTyped != nil {
		return r.liveTyped, nil
	}
	tv, err := r.validLive()
	if err == nil {
		r.liveTyped = tv
		(*operand.Value)(tv).ShareResults() // the result of a request shares with live
	} else if r.m.o.CarryUnknown && place.Unknown(err) == nil {
		err = butUnknown(err)
	}
	return tv, err
}

// typedNext is object, which is to take the place of the live one, with its type t.
func (r *request) typedNext(t typed.ParseableType, object map[string]any) (*typed.TypedValue, error) {
	if r.liveTyped != nil && t.Schema == r.liveType.Schema && t.TypeRef.Equals(&r.liveType.TypeRef) {
		next, known := (*operand.Value)(r.liveTyped).Follow(object, true)
		tv := (*typed.TypedValue)(next)
		if known {
			return tv, nil
		}
		return tv, tv.Validate(typed.AllowDuplicates)
	}
	return t.FromUnstructured(object, typed.AllowDuplicates)
}

// readLate says that sets of managed fields are read when they are asked for.
func (r *request) readLate() *stored.Reading {
	how := &stored.Reading{Late: true, Version: r.apiVersion}
	if t := r.liveType; t.Schema != nil {
		how.Node = compiled.Node(t.Schema, t.TypeRef)
	}
	return how
}

// owner is the entry that the request writes.
func (r *request) owner(manager string, operation managedfields.Operation) managedfields.Owner {
	if manager == "" {
		manager = "unknown"
	}
	return managedfields.Owner{
		Manager:     manager,
		Operation:   operation,
		APIVersion:  r.apiVersion,
		Subresource: r.m.o.Subresource,
	}
}

func (r *request) warn(path, format string, args ...any) {
	r.warnings = append(r.warnings, managedfields.Warning{Path: path, Message: fmt.Sprintf(format, args...)})
}

// warnMissing names the entries that were lost with their API version.
func (r *request) warnMissing(before *managedfields.Managed) {
	if r.versions.missing == nil {
		return
	}
	entries := before.Entries()
	for i := range entries {
		e := &entries[i]
		if err, ok := r.versions.missing[e.APIVersion]; ok {
			r.warnings = append(r.warnings, managedfields.Warning{
				Path: fmt.Sprintf(".metadata.managedFields[%d]", before.Index(e.Owner.ID())), Live: true,
				Message: fmt.Sprintf("%v (%s) is dropped, its version is gone: %v", e.Owner, e.Operation, err),
			})
		}
	}
}

// finish writes managed fields into object and finds out whether
// anything changed. live and before are what the request found.
func (r *request) finish(live, object map[string]any, before, after *managedfields.Managed) (*Result, error) {
	merged := object
	object = r.reset(object)
	r.trace(StageReset, merged, object)
	r.warnUnknown(document.WithoutManagedFields(object))
	if err := r.checkPreconditions(object); err != nil {
		return nil, err
	}
	r.traceOwners(object, before, after)
	// A request that changes nothing but time stamps is not stored, nor are
	// the new time stamps of one that leaves the managed fields as they were.
	reencoded := !r.isNew && !r.differs && after.EqualExceptTimes(before) && document.Equal(object, r.live)
	if reencoded {
		if len(before.Warnings()) == 0 && storedAlike(live, before) {
			return &Result{Object: live, Managed: before, Warnings: r.warnings}, nil
		}
		after = before
	}
	if err := r.checkTransition(object, after); err != nil {
		return nil, err
	}
	return &Result{Object: after.EncodeInto(object), Changed: true, Reencoded: reencoded, Managed: after, Warnings: r.warnings}, nil
}

// storedAlike tells whether the managed fields in object are stored as we
// would store them.
func storedAlike(object map[string]any, m *managedfields.Managed) bool {
	value, ok := document.Metadata(object)["managedFields"]
	if m.Len() == 0 {
		return !ok
	}
	list, _ := value.([]any)
	return document.Equal(list, m.Encode())
}

// checkPreconditions refuses an object made for another state of the live
// object than the one there is.
func (r *request) checkPreconditions(object map[string]any) error {
	uid := document.MetaString(object, "uid")
	name := document.MetaString(object, "name")
	if r.isNew {
		if uid != "" {
			return outdated(fmt.Sprintf("Operation cannot be fulfilled on %s %q: uid mismatch: the provided object specified uid %s, and no existing object was found", r.kind, name, uid))
		}
		return nil
	}
	if want := document.MetaString(r.live, "resourceVersion"); want != "" {
		if got := document.MetaString(object, "resourceVersion"); got != "" && got != want {
			return outdated(fmt.Sprintf("Operation cannot be fulfilled on %s %q: the object has been modified; please apply your changes to the latest version and try again", r.kind, name))
		}
	}
	if want := document.MetaString(r.live, "uid"); want != "" && uid != "" && uid != want {
		if r.verb == theUpdate {
			// A PUT is for the object that was read, not for one that has its name since.
			return outdated(fmt.Sprintf("Operation cannot be fulfilled on %s %q: Precondition failed: UID in precondition: %s, UID in object meta: %s", r.kind, name, uid, want))
		}
		return invalid(fmt.Sprintf("metadata.uid: Invalid value: %q: field is immutable", uid))
	}
	return nil
}
