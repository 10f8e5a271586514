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

// decode decodes the managed fields of an object. With a lazy Reading, it decodes most field sets only
// when they are needed (see stored.Reading). The function belongs to package managedfields, which does
// not export it but shares it through stored.Decode. That variable has the type any, because package
// stored cannot import managedfields.
var decode = stored.Decode.(func(map[string]any, *stored.Reading) (*managedfields.Managed, error))

// request is the state of one apply or update request.
type request struct {
	m                *FieldManager
	apiVersion, kind string // apiVersion and kind of the endpoint
	converter        *requestConverter
	updater          *merge.Updater
	now              time.Time // for new time stamps, in UTC and whole seconds
	warnings         []managedfields.Warning

	// live is the live object in the version of the endpoint, without its managed fields. If
	// there is no live object, live is the result of initialObject.
	live map[string]any
	// isNew is true if there is no live object.
	isNew bool
	// cacheKey is the key of the live object in the cache: the object as the caller passed it. It is
	// nil if there is no cache or no live object, or if the object is not in the version of the
	// endpoint.
	cacheKey map[string]any
	liveType typed.ParseableType
	// liveTyped caches the result of typedLive.
	liveTyped *typed.TypedValue
	// undeclared is set only with Options.CarryUnknown. It has the fields of the live object that
	// its type does not declare. If there are any, strictType is the type of the object, and
	// liveType is a lenient form of this type, which accepts these fields.
	undeclared []*diag.Finding
	strictType typed.ParseableType
	// sent is the object in the request, after StagePrepared. isUpdate is false for an apply.
	// The field forced is true for an apply with force.
	sent     map[string]any
	isUpdate bool
	forced   bool
	// newTyped is the new object with its type, before the method withLiveResetFields changes it. If it
	// is nil, or if there are ResetFields, checkImmutable computes the object from the plain object.
	newTyped *typed.TypedValue
	// leftovers has the union members that the request no longer selects. The request clears those
	// whose field Written is false. If an apply has conflicts, leftovers has the members that the
	// same apply with force would no longer select. It may be nil or empty if there are none.
	leftovers *leftovers
	// knownToDiffer is true if an update is known to have changed the object. In this case, the
	// method finish does not compare the object with live. If it is false, the object may still
	// differ.
	knownToDiffer bool
}

// newRequest returns a request to the endpoint. It checks that the type exists, that object and live
// have the endpoint's kind, and that their names and namespaces do not differ. It converts live to the
// endpoint's version, but does not convert object. With Options.CarryUnknown, it also finds the
// undeclared fields of live.
func (m *FieldManager) newRequest(live, object map[string]any) (*request, error) {
	apiVersion, kind := document.TypeOf(object)
	if apiVersion == "" || kind == "" {
		return nil, badRequest(fmt.Sprintf("object has no apiVersion or kind: invalid object type: %s", document.GVK(apiVersion, kind)))
	}
	r := &request{m: m, apiVersion: apiVersion, kind: kind, isNew: live == nil}
	if m.options.APIVersion != "" {
		r.apiVersion = m.options.APIVersion
	}
	if m.options.Kind != "" {
		r.kind = m.options.Kind
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
		switch version, kind := document.TypeOf(live); {
		case version == "" || kind == "":
			return nil, badRequest(fmt.Sprintf("the live object has no apiVersion or kind: want the apiVersion %s and the kind %s", r.apiVersion, r.kind))
		case kind != r.kind:
			return nil, badRequest(fmt.Sprintf("the live object has another type: %s, want %s", document.GVK(version, kind), document.GVK(r.apiVersion, r.kind)))
		}
		for _, name := range []string{"name", "namespace"} {
			got, want := document.MetaString(object, name), document.MetaString(live, name)
			if got != "" && want != "" && got != want {
				return nil, badRequest(fmt.Sprintf("the %s of the object (%s) does not match the %s of the live object (%s)", name, got, name, want))
			}
		}
		if version, _ := document.TypeOf(live); m.liveCache != nil && version == r.apiVersion {
			r.cacheKey = live
		}
	}
	r.now = m.options.Clock().UTC().Truncate(time.Second)
	r.converter = &requestConverter{m: m, endpoint: fieldpath.APIVersion(r.apiVersion)}
	builder := merge.UpdaterBuilder{
		Converter:     r.converter,
		IgnoredFields: m.options.ResetFields,
		IgnoreFilter:  m.options.IgnoreFilter,
	}
	r.updater = builder.BuildUpdater()

	start := live
	if r.isNew {
		start = r.initialObject()
	}
	var err error
	r.live, r.liveType, err = m.Convert(document.WithoutManagedFields(start), r.apiVersion)
	switch {
	case err != nil && r.isNew:
		return nil, fmt.Errorf("object (%s): %w", document.Describe(object), err)
	case err != nil:
		return nil, fmt.Errorf("live object (%s): %w", document.Describe(live), err)
	}
	if m.options.CarryUnknown && !r.isNew {
		r.acceptUndeclared()
	}
	return r, nil
}

// initialObject returns the empty object that takes the place of the live object if there is none.
// An apply merges its config into this object, and an update is compared with it.
func (r *request) initialObject() map[string]any {
	if r.m.options.Empty != nil {
		if o := r.m.options.Empty(r.apiVersion, r.kind); o != nil {
			return o
		}
	}
	return map[string]any{"apiVersion": r.apiVersion, "kind": r.kind}
}

// typedLive validates the live object, and returns it with its type. After a success, later calls
// return the same value. Duplicate items are valid, because they are already stored. The result of the
// request may share memory with the returned value. With Options.CarryUnknown, undeclared fields alone
// do not make a request fail. So if the live object has other errors, typedLive returns only those. If
// it has only undeclared fields, typedLive returns the errors about them, because acceptUndeclared
// needs them.
func (r *request) typedLive() (*typed.TypedValue, error) {
	if r.liveTyped != nil {
		return r.liveTyped, nil
	}
	tv, err := r.validateLive()
	if err == nil {
		r.liveTyped = tv
		(*operand.Value)(tv).ShareResults()
	} else if r.m.options.CarryUnknown && place.OnlyUndeclaredFields(err) == nil {
		// err also has other errors: report only those.
		err = errorsExceptUndeclared(err)
	}
	return tv, err
}

// validateReplacement validates object, which will replace the live object, and returns it as a value
// of type t. If the live object is already validated and has the same type, validateReplacement
// validates only the parts of object that differ from the live object. Duplicate items are valid.
func (r *request) validateReplacement(t typed.ParseableType, object map[string]any) (*typed.TypedValue, error) {
	if r.liveTyped != nil && t.Schema == r.liveType.Schema && t.TypeRef.Equals(&r.liveType.TypeRef) {
		next, valid := (*operand.Value)(r.liveTyped).Successor(object, true)
		tv := (*typed.TypedValue)(next)
		if valid {
			return tv, nil
		}
		return tv, tv.Validate(typed.AllowDuplicates) // to find the errors
	}
	return t.FromUnstructured(object, typed.AllowDuplicates)
}

// lazyReading returns a Reading that decodes field sets only when they are needed.
func (r *request) lazyReading() *stored.Reading {
	reading := &stored.Reading{Lazy: true, Version: r.apiVersion}
	if t := r.liveType; t.Schema != nil {
		reading.Node = compiled.Node(t.Schema, t.TypeRef)
	}
	return reading
}

// owner returns the owner that a request by manager adds to the managed fields. It has the API
// version and the subresource of the endpoint. An empty manager becomes "unknown".
func (r *request) owner(manager string, operation managedfields.Operation) managedfields.Owner {
	if manager == "" {
		manager = "unknown"
	}
	return managedfields.Owner{
		Manager:     manager,
		Operation:   operation,
		APIVersion:  r.apiVersion,
		Subresource: r.m.options.Subresource,
	}
}

// warn adds a warning about a path in the request, or in the object after the request.
func (r *request) warn(path, format string, args ...any) {
	r.warnings = append(r.warnings, managedfields.Warning{Path: path, Message: fmt.Sprintf(format, args...)})
}

// addDecodeWarnings adds the warnings from decoding managed fields. fromLive is true for the managed
// fields of the live object, and false for managed fields in the request.
func (r *request) addDecodeWarnings(managed *managedfields.Managed, fromLive bool) {
	for _, w := range managed.Warnings() {
		w.Live = fromLive
		r.warnings = append(r.warnings, w)
	}
}

// warnMissingVersions adds a warning for each managed-fields entry that is removed because its API
// version does not exist. fromLive is true for the managed fields of the live object, and false
// for managed fields in the request.
func (r *request) warnMissingVersions(before *managedfields.Managed, fromLive bool) {
	if r.converter.missing == nil {
		return
	}
	entries := before.Entries()
	for i := range entries {
		e := &entries[i]
		if err, ok := r.converter.missing[e.APIVersion]; ok {
			r.warnings = append(r.warnings, managedfields.Warning{
				Path: fmt.Sprintf(".metadata.managedFields[%d]", before.Index(e.Owner.ID())), Live: fromLive,
				Message: fmt.Sprintf("%v (%s) is removed, because its API version does not exist: %v", e.Owner, e.Operation, err),
			})
		}
	}
}

// finish completes a request and returns its Result. It restores the fields in Options.ResetFields,
// makes the last checks, and writes the managed fields into the new object. The argument storedLive
// is the live object as the caller passed it, in its own version. The arguments before and after are
// the managed fields before and after the request.
//
// If neither the object nor the field sets change, the old time stamps stay, because new time
// stamps by themselves are not a change. In this case, the Result has storedLive itself. There is
// one exception: if the managed fields would be encoded differently, the Result reports a change.
func (r *request) finish(storedLive, object map[string]any, before, after *managedfields.Managed) (*Result, error) {
	if err := r.checkPreconditions(); err != nil {
		return nil, err
	}
	requested := object
	object = r.withLiveResetFields(object)
	r.trace(StageReset, requested, object)
	r.warnUndeclared(document.WithoutManagedFields(object))
	r.traceOwners(object, before, after)
	// A server does not store a request that changes only time stamps. So if the field sets
	// did not change, keep the old time stamps.
	unchanged := !r.isNew && !r.knownToDiffer && after.EqualExceptTimes(before) && document.Equal(object, r.live)
	if unchanged {
		if len(before.Warnings()) == 0 && encodedAsStored(storedLive, before) {
			return &Result{Object: storedLive, Managed: before, Warnings: r.warnings}, nil
		}
		after = before
	}
	if err := r.checkImmutable(object, after); err != nil {
		return nil, err
	}
	if err := r.checkMetadata(object, after); err != nil {
		return nil, err
	}
	return &Result{Object: after.EncodeInto(object), Changed: true, Reencoded: unchanged, Managed: after, Warnings: r.warnings}, nil
}

// checkMetadata returns an error if writing the managed fields adds metadata to object, but the
// type does not allow metadata. The next request for such an object would fail. With
// Options.CarryUnknown, it would not fail, because metadata is then an undeclared field of the live
// object.
func (r *request) checkMetadata(object map[string]any, managed *managedfields.Managed) error {
	if managed.Len() == 0 || document.Metadata(object) != nil || r.m.options.CarryUnknown {
		return nil
	}
	minimalObject := map[string]any{"apiVersion": r.apiVersion, "kind": r.kind, "metadata": map[string]any{}}
	if _, err := r.liveType.FromUnstructured(minimalObject); err != nil {
		return fmt.Errorf("declare metadata as a map in the schema of %s, because managed fields are stored in it: %w", r.m.describeType(r.apiVersion, r.kind), err)
	}
	return nil
}

// encodedAsStored reports whether the managed fields in object are the encoding of m.
func encodedAsStored(object map[string]any, m *managedfields.Managed) bool {
	value, ok := document.Metadata(object)["managedFields"]
	if m.Len() == 0 {
		return !ok
	}
	list, _ := value.([]any)
	return document.Equal(list, m.Encode())
}

// checkPreconditions returns an error if the uid or resourceVersion in the request differs from the
// live object. It ignores values that are empty or absent in one of the two objects. Without a live
// object, it returns an error if the request has a uid.
//
// It checks the sent object and not the object to store. If the endpoint does not store metadata, for
// example the subresource status, the object to store has the metadata of the live object.
func (r *request) checkPreconditions() error {
	uid := document.MetaString(r.sent, "uid")
	name := document.MetaString(r.sent, "name")
	if name == "" {
		name = document.MetaString(r.live, "name")
	}
	if r.isNew {
		if uid != "" {
			return staleRequest(fmt.Sprintf("Operation cannot be fulfilled on %s %q: uid mismatch: the provided object specified uid %s, and no existing object was found", r.kind, name, uid))
		}
		return nil
	}
	if want := document.MetaString(r.live, "resourceVersion"); want != "" {
		if got := document.MetaString(r.sent, "resourceVersion"); got != "" && got != want {
			return staleRequest(fmt.Sprintf("Operation cannot be fulfilled on %s %q: the object has been modified; please apply your changes to the latest version and try again", r.kind, name))
		}
	}
	if want := document.MetaString(r.live, "uid"); want != "" && uid != "" && uid != want {
		if r.isUpdate {
			// A PUT must not replace a different object with the same name.
			return staleRequest(fmt.Sprintf("Operation cannot be fulfilled on %s %q: Precondition failed: UID in precondition: %s, UID in object meta: %s", r.kind, name, uid, want))
		}
		return unprocessable(fmt.Sprintf("metadata.uid: Invalid value: %q: field is immutable", uid))
	}
	return nil
}
