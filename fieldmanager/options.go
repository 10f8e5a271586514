// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// defaultMaxUpdateManagers is the default of Options.MaxUpdateManagers.
const defaultMaxUpdateManagers = 10

// A TypeSource returns the type of an object for its apiVersion and kind.
//
// If the type does not exist, the TypeSource returns an error that wraps ErrUnknownType. If the
// missing type is that of the endpoint, the request fails. If it is the type of another API
// version, the FieldManager removes the managed-fields entries of that version, with a warning.
// With Options.Untyped, the FieldManager deduces the type in both cases. Any other error makes the
// request fail, so that owners do not lose their fields while a source is unreachable.
//
// Each type must declare apiVersion and kind as strings, and metadata as a map. It need not declare
// metadata.managedFields, because the FieldManager removes managed fields before it looks at the
// type. A TypeSource must be safe for concurrent use. NewTypeSource makes a TypeSource from the
// Type method of an openapi.Catalog.
type TypeSource func(apiVersion, kind string) (typed.ParseableType, error)

// A Converter converts object to another API version of its kind. apiVersion is the target
// version, such as "apps/v1". The result must have this apiVersion and the same kind. It may
// share memory with object. The Converter may modify object, unless Options.ReadOnlyCallbacks
// is set.
//
// If the version does not exist, the Converter returns an error that wraps ErrUnknownVersion. The
// FieldManager then removes the managed-fields entries of that version, with a warning. Any other
// error makes the request fail. The request also fails if the unknown version is that of the
// endpoint.
type Converter func(object map[string]any, apiVersion string) (map[string]any, error)

// A Defaulter fills defaults into the merged object of an apply, as the API server does, before the
// FieldManager compares the object with the live object. It may modify object and return it, as
// typed.ParseableType.Default does. It must return an object or an error. If an apply has
// conflicts, the FieldManager may also call the Defaulter to explain them.
//
// If Options.ReadOnlyCallbacks is set, the Defaulter must not modify object. In this case, it
// returns object itself if no default is missing, and otherwise a changed copy, which may share
// unchanged maps and lists.
type Defaulter func(object map[string]any) (map[string]any, error)

// Options configure a FieldManager. Only Types (or Untyped) is required. With the zero value of every
// other field, a FieldManager follows the merge rules of current API servers. Defaulter, Empty,
// Converter and ResetFields add what a server knows about its kinds. New copies the
// Options, but not the maps in them, so do not change these maps after New. Concurrent requests
// call the functions in Options concurrently.
//
// A program with types of its own, without Kubernetes, needs Types, and perhaps CheckTransitions,
// Defaulter, Duplicates and RememberLive.
type Options struct {
	// Types returns the type of an object.
	Types TypeSource

	// Untyped deduces the type of an object from its value if Types is nil or does not have the type.
	// Maps are then merged field by field, and lists are atomic. The API server does the same
	// for custom resources without a schema.
	Untyped bool

	// APIVersion and Kind are the version and kind of the endpoint. The FieldManager rejects a
	// request with a different kind, and an apply in a different version. It converts an
	// update or a live object that is in a different version. If APIVersion or Kind is empty,
	// the FieldManager uses the version or kind of the request.
	APIVersion, Kind string

	// Converter converts objects between API versions. If Untyped is true, the default is
	// NoneConverter. Otherwise, there is no default.
	//
	// Without a Converter, objects and managed fields must all be in one version. If Types does not
	// have the type of a managed-fields entry in another version, the FieldManager removes the entry
	// with a warning. If Types has the type, the request fails, because the entry would need a
	// conversion.
	Converter Converter

	// Subresource is the subresource of the endpoint ("status", "scale"). It is empty
	// for the main resource. The subresource becomes part of the manager's identity.
	Subresource string

	// ResetFields has the fields that this endpoint does not store, for each API version. For
	// example, the main resource does not store status, and the subresource status does not
	// store spec and metadata. Paths may have only field names. Fields in ResetFields keep
	// their live values, have no owners and never conflict. In an API version without a set, or
	// with a nil set, the endpoint stores all fields. At most one of ResetFields and IgnoreFilter
	// may be set.
	ResetFields map[fieldpath.APIVersion]*fieldpath.Set

	// IgnoreFilter has a filter for each API version. Only fields that the filter keeps can
	// have owners and conflicts. Unlike ResetFields, IgnoreFilter does not reset values in the
	// object. The caller must reset them.
	IgnoreFilter map[fieldpath.APIVersion]fieldpath.Filter

	// MaxUpdateManagers limits the number of Update entries that an object keeps. If there are
	// more, the oldest entries of each API version are combined into one entry, "ancient-changes".
	// An object with entries in many versions may keep more than the limit. Zero means 10, as in
	// API servers.
	MaxUpdateManagers int

	// Duplicates selects how the FieldManager handles a request with duplicate list items, which
	// are items with the same identity. With typed.KeepFirst or typed.KeepLast, it keeps one of
	// them and removes the others before the merge, with a warning for each. With
	// typed.RefuseDuplicates, the default, it does the same as the API server: it rejects an apply
	// with duplicates, and stores an update with duplicates.
	//
	// Duplicates in the live object are valid, with one exception. If an owner's fields are in
	// another API version, the objects are converted to that version, and a converted object with
	// duplicates makes the request fail, as in the API server. This exception also applies to the
	// new object of an update. If the config of an apply has an item with the same identity as
	// duplicates in the live object, this item replaces all of them.
	Duplicates typed.Duplicates

	// Unions clears the members of unions (schema.Union) that a request no longer selects,
	// with a warning for each (see typed.TypedValue.NormalizeUnions). If another manager owns
	// such a member, an unforced apply conflicts with that manager. A forced apply and an
	// update clear the member. If the request itself sets the member, the member stays, also
	// with a warning. This is a proposal (KEP-1027). Current API servers keep all such members,
	// and the validation in the server then rejects the object.
	Unions bool

	// Defaulter fills defaults into the merged object of an apply. Nil means no defaults. Update
	// does not call it, so fill in the defaults before Update. To fill in the defaults of a
	// schema, use
	//
	//	func(object map[string]any) (map[string]any, error) {
	//		filled, err := t.Default(object) // t is a typed.ParseableType
	//		whole, _ := filled.(map[string]any)
	//		return whole, err
	//	}
	//
	// Package kube/defaults has the defaults that Kubernetes sets in Go code.
	Defaulter Defaulter

	// ReadOnlyCallbacks promises that Defaulter and Converter do not modify their arguments. With
	// ReadOnlyCallbacks, both functions get objects that share memory with the live object and the
	// request. Without ReadOnlyCallbacks, they get copies.
	ReadOnlyCallbacks bool

	// RememberLive is the maximum number of live objects about which the FieldManager caches facts
	// between requests. It caches the managed fields of each object, and whether the object is
	// valid. The key of the cache is the address of the map of the live object. Zero disables the
	// cache. The cache does not keep objects alive.
	//
	// Set RememberLive only if nobody modifies a live object, or a value inside it, after
	// passing it to the FieldManager. This is the case for objects from a watch cache or an
	// informer, if programs copy them before they modify them. The FieldManager does not check
	// this, and returns wrong results for a modified object.
	RememberLive int

	// CheckTransitions makes a request fail with an *ImmutableError if it changes a value that
	// the schema makes immutable (schema.Transition). These rules are a proposal (KEP-1101), and
	// current API servers ignore them. If admission can still change the object, leave this
	// option false, and call the function CheckTransition after admission.
	CheckTransitions bool

	// IgnoreItemOrder allows reordering the items of a list with keys inside an immutable
	// value (see typed.TransitionOptions). It has an effect only with CheckTransitions.
	IgnoreItemOrder bool

	// ZeroIsAbsent is for types that a server stores as Go structs, such as built-in types. Such a
	// server does not store most zero values: false, 0, "", {} and []. So if a manager applies a
	// zero value, it owns the field, but the stored object lacks the field. If another manager then
	// applies the same value, an API server reports a conflict. If the first manager repeats its
	// apply, the server counts it as a change. With ZeroIsAbsent, these applies change nothing, and
	// both managers own the field.
	//
	// ZeroIsAbsent works only if the manager applied the field in the API version of the endpoint,
	// and if the live object has the map or item that contains the field. It has no effect on a
	// field that an update has removed, because the field then has no owner. It also has no effect
	// on zero values that the server stores, such as zero values of pointers.
	ZeroIsAbsent bool

	// Empty returns the empty object of a kind, which takes the place of the live object in a
	// request that creates an object. An apply merges its config into the empty object. An update
	// is only compared with it. The empty object must have apiVersion and kind. The FieldManager
	// does not modify it.
	//
	// An API server uses an empty Go struct, which already has the fields that are always
	// written. For example, a Service has "spec" and "status": {"loadBalancer": {}}. The
	// creator does not own these fields. If Empty or its result is nil, the empty object has
	// only apiVersion and kind. This is correct for custom resources, but a built-in object is
	// then stored without fields such as "status": {}.
	Empty func(apiVersion, kind string) map[string]any

	// CarryUnknown accepts fields in the live object that its type does not declare. They occur if
	// the schema is older than the server. The FieldManager keeps such fields, with a warning for
	// each. It merges them by their values: maps field by field, and lists as a whole. They do not
	// affect the declared fields. If a manager has applied such a field and then omits it from its
	// config, it gives up the field, like any other field.
	//
	// An applied config must not have undeclared fields. An update may have only the undeclared
	// fields of the live object.
	//
	// Without this option, requests for such a live object fail. There is one exception. An update
	// succeeds if the live object has a uid, Update records no owner (see Update), and neither
	// Unions nor CheckTransitions applies to the type. If Duplicates is not typed.RefuseDuplicates,
	// such an update succeeds only if the new object has no undeclared fields.
	CarryUnknown bool

	// EqualQuantities treats equal quantities, such as 1000m and 1, as the same value. The live
	// text stays, so there is no change and no conflict (see RespellQuantities). Without this
	// option, quantities with different texts are different values. API servers also treat them as
	// different values, except if the server itself rewrites the quantity.
	EqualQuantities bool

	// DescribeType returns a name for the schema of a type, for messages, such as "ex.io/v1
	// App of crds.yaml". If it is nil or returns "", messages use apiVersion and kind.
	DescribeType func(apiVersion, kind string) string

	// Clock returns the time for the time stamps of managed fields. The time stamps are in UTC and
	// whole seconds. Nil means time.Now.
	Clock func() time.Time

	// Trace, if set, is called after each stage of a request, with the object before and after
	// the stage. A program can use it to show where a value comes from. The objects share
	// parts with each other, with the live object and with the result, so Trace must not
	// modify them.
	//
	// Trace runs in the goroutine of the request. If a request fails, there are no calls for
	// later stages. The Defaulter runs between StageMerged and StageReset, and is not a stage.
	Trace func(stage Stage, before, after map[string]any)

	// StripManagedFields removes metadata.managedFields from an applied config, with a
	// warning. Without this option, a config with managed fields is rejected, as in the
	// API server.
	StripManagedFields bool
}

// New returns a FieldManager with the given options. It returns an error if options are missing,
// are invalid or contradict each other.
func New(o Options) (*FieldManager, error) {
	switch {
	case o.Types == nil && !o.Untyped:
		return nil, fmt.Errorf("options: Types is missing: set Types or Untyped")
	case o.ResetFields != nil && o.IgnoreFilter != nil:
		return nil, fmt.Errorf("options: ResetFields and IgnoreFilter may not both be set")
	case o.MaxUpdateManagers < 0:
		return nil, fmt.Errorf("options: MaxUpdateManagers is negative: use a positive number, or 0 for the default")
	case o.RememberLive < 0:
		return nil, fmt.Errorf("options: RememberLive is negative: use a positive number, or 0 for no cache")
	}
	if err := o.Duplicates.Check(); err != nil {
		return nil, fmt.Errorf("options: Duplicates: %w", err)
	}
	if err := checkResetFields(o.ResetFields); err != nil {
		return nil, err
	}
	if o.MaxUpdateManagers == 0 {
		o.MaxUpdateManagers = defaultMaxUpdateManagers
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &FieldManager{options: o, liveCache: newLiveCache(o.RememberLive)}, nil
}

// Options returns the options that were passed to New, with the defaults that New filled in.
func (m *FieldManager) Options() Options { return m.options }
