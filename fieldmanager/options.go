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

// A TypeSource finds the type of an object by its apiVersion and kind.
//
// It returns an error that wraps ErrUnknownType (or any other error) when
// there is no such type. Managed fields of an API version whose type is
// unknown are dropped with a warning when the error wraps ErrUnknownType;
// any other error fails the request, so that an unreachable source never
// costs an owner its fields. It must be safe for concurrent use. NewTypeSource makes one of
// an openapi.Catalog.
type TypeSource func(apiVersion, kind string) (typed.ParseableType, error)

// A Converter gives an object in another API version of its kind. object is a copy
// of its own unless Options.NoWrites is set; it may return parts of it. apiVersion
// is the version to convert to ("apps/v1").
//
// It returns an error that wraps ErrUnknownVersion when the version does not
// exist (any more): entries in that version are then dropped with a warning.
// Any other error fails the request.
type Converter func(object map[string]any, apiVersion string) (map[string]any, error)

// A Defaulter fills defaults into the merged object before it is compared
// with the live one, as the API server does. object is a copy of its own, which it
// may write to and return, as typed.ParseableType.Default does. With
// Options.NoWrites it is no copy: then it returns object itself when nothing is
// missing, or a changed copy (which may share what it did not change).
type Defaulter func(object map[string]any) (map[string]any, error)

// Options say how a FieldManager works. Only Types (or Untyped) is required. With the
// zero value of every other field, a FieldManager works as API servers of today do.
// New reads them once; later changes have no effect.
type Options struct {
	// Types finds the type of objects.
	Types TypeSource

	// Untyped deduces the type of an object from its value when Types does
	// not know it, as the API server does for custom resources without a
	// schema: maps are merged field by field, lists are atomic.
	Untyped bool

	// APIVersion and Kind are the endpoint the requests go to. A request in
	// another version or of another kind is refused; a live object in another
	// version is converted first. Empty means the request's own.
	APIVersion, Kind string

	// Converter converts between API versions. Without one, only objects and
	// managed fields of one version can be handled: an entry in another
	// version whose type is known is an error; one whose version is
	// unknown to Types is dropped with a warning.
	Converter Converter

	// Subresource is the subresource the requests go to ("status", "scale"),
	// empty for the main resource. It becomes part of the manager's identity.
	Subresource string

	// ResetFields names, for each API version, the fields this endpoint does
	// not store (status on the main resource, spec and metadata on status),
	// as paths of field names. They are neither owned nor in conflict, and
	// keep the value they have in the live object. At most one of ResetFields
	// and IgnoreFilter may be set.
	ResetFields map[fieldpath.APIVersion]*fieldpath.Set

	// IgnoreFilter says, for each API version, of which fields ownership is
	// recorded and conflicts are looked for. Unlike with ResetFields, the
	// object itself is left to the caller.
	IgnoreFilter map[fieldpath.APIVersion]fieldpath.Filter

	// MaxUpdateManagers is the number of Update entries that an object keeps.
	// The oldest entries beyond it become one entry, "ancient-changes". Zero means
	// 10, as in API servers.
	MaxUpdateManagers int

	// Duplicates says what becomes of items with one identity in what a request
	// carries, before it is merged: with typed.KeepFirst or typed.KeepLast the others
	// are dropped, with a warning for each. Otherwise an apply that has any is
	// refused, and an update stores them, as the API server does. Those of the live
	// object are the past's and stay.
	Duplicates typed.Duplicates

	// Unions clears the members of unions (schema.Union) that a request leaves behind
	// by choosing another one, see typed.TypedValue.SettleUnions, with a warning for
	// each. An apply that would take them from others is in conflict with these; with
	// force it does, as an update always does. This is a proposal (KEP-1027): API servers
	// leave such members where they are, and validation refuses the object.
	Unions bool

	// Defaulter is applied to the merged object of an apply. Nil means none. With the
	// defaults of a type that documents tell of, it is
	//
	//	func(object map[string]any) (map[string]any, error) {
	//		filled, err := t.Default(object) // t is a typed.ParseableType
	//		whole, _ := filled.(map[string]any)
	//		return whole, err
	//	}
	//
	// and kube/defaults has those that Kubernetes sets in Go code.
	Defaulter Defaulter

	// NoWrites says that Defaulter and Converter write to nothing that they are given.
	// They then get what the request works with, which shares with its inputs;
	// otherwise they get copies of their own.
	NoWrites bool

	// RememberLive is of how many live objects at most what is known of them is kept from
	// one request to the next, by identity: that they are valid, and their managed
	// fields. It is for those to whom live objects never change once they are given to
	// the FieldManager, which includes what is below them: they come from a watch cache or
	// an informer, and are copied before anybody writes to them. Nothing looks whether that
	// is so, and requests for an object that was written to come out wrong. It keeps no
	// object alive. Zero keeps nothing.
	RememberLive int

	// CheckTransitions refuses what the markers of immutability of a type (schema.Transition)
	// forbid, with an *ImmutableError. The markers are a proposal (KEP-1101): API servers of
	// today ignore them. A server that lets admission change the object first leaves this
	// off, and calls CheckUpdate after admission.
	CheckTransitions bool

	// IgnoreItemOrder lets the items of a list with keys change places within what
	// is immutable; see typed.TransitionOptions. It needs CheckTransitions.
	IgnoreItemOrder bool

	// ZeroIsAbsent says that objects are stored as Go structs that leave out zero
	// values, as those of built-in types are: false, 0, "", {} and [] that somebody
	// applied are then owned and not there. Who applies them too writes nothing, and
	// owns them with the other, where a server finds a conflict, and a change in
	// each apply. What was taken out by an update does not count: nobody owns it any
	// more. Values that are stored as they are, such as those of pointers, are not
	// affected.
	ZeroIsAbsent bool

	// Empty gives what a new object starts from, before a request is merged
	// into it; it is not modified. The API server starts from an empty Go
	// struct, in which fields that are always written are present (a Service
	// has "spec" and "status": {"loadBalancer": {}}), and what is present before is not
	// owned by the one who creates the object. Nil, or a nil object, means
	// just apiVersion and kind, which is right for custom resources; a built-in object is
	// then stored without "status": {} and the like.
	Empty func(apiVersion, kind string) map[string]any

	// CarryUnknown lets the live object have fields that its type does not know, as
	// it does where the schema is older than the server. They are carried through as
	// what their values say they are: maps are merged field by field, lists are one
	// value. Each is named in a warning. What happens to the fields that are known is
	// what would happen without the others. A manager that has applied such a field
	// and no longer does gives it up, as any other.
	//
	// What a request brings must be known; only an update may send back what the
	// live object has. Without this option such a live object fails every request.
	CarryUnknown bool

	// EqualQuantities makes a quantity of a request that is equal to the live one no
	// change and no conflict, however both are spelled: the live spelling stays. See
	// RespellQuantities. Without it 1000m and 1 are different values, as they are to the API
	// server where it does not spell them anew itself.
	EqualQuantities bool

	// DescribeType names the schema of a type for messages: "ex.io/v1 App of
	// crds.yaml". Nil, or an empty result, means apiVersion and kind.
	DescribeType func(apiVersion, kind string) string

	// Clock gives the time stamps of managed fields, which hold whole seconds
	// in UTC. Nil means time.Now.
	Clock func() time.Time

	// Trace, if set, is called after each stage of a request with the object before and
	// after it, so that a program can show where a value comes from. The objects share
	// parts with each other, with the live object and with the result: Trace must not
	// write to them. It is called in the goroutine of the request, and by several at once
	// if requests run at once. A request that fails has no more stages. Options.Defaulter
	// runs between StageMerged and StageReset and is not a stage.
	Trace func(stage Stage, before, after map[string]any)

	// StripManagedFields removes metadata.managedFields from an applied
	// config and says so in a warning. Otherwise such a config is refused, as
	// the API server does.
	StripManagedFields bool
}

// New resolves options into a FieldManager.
// It refuses options that contradict each other.
func New(o Options) (*FieldManager, error) {
	switch {
	case o.Types == nil && !o.Untyped:
		return nil, fmt.Errorf("options: one of Types and Untyped is required")
	case o.ResetFields != nil && o.IgnoreFilter != nil:
		return nil, fmt.Errorf("options: ResetFields and IgnoreFilter may not both be set")
	case o.MaxUpdateManagers < 0:
		return nil, fmt.Errorf("options: MaxUpdateManagers is negative")
	case o.RememberLive < 0:
		return nil, fmt.Errorf("options: RememberLive is negative")
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
	return &FieldManager{o: o, memory: newMemory(o.RememberLive)}, nil
}

// Options are those that New was given, with what it filled in.
func (m *FieldManager) Options() Options { return m.o }
