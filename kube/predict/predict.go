// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Server is what is known of an API server. FieldManager.Types is required; what else is
// left out is not known, and not predicted. Its fields stay as they are once it is used;
// then it is safe for concurrent use if what it calls is.
type Server struct {
	// FieldManager says how requests are merged. Subresource, ResetFields, Clock, Empty
	// and Defaulter are set for each request; NoWrites counts for Converter alone.
	FieldManager fieldmanager.Options

	// Kind tells the scope and the subresources of a kind, and whether it is built into
	// Kubernetes (Source is empty). A Catalog's method Kind is one.
	Kind func(apiVersion, kind string) (openapi.Kind, bool)

	// Release has the defaults of built-in kinds, nil none.
	Release *defaults.Release

	// GoForm has the Go types of built-in kinds, which decide how the server writes what it
	// has decoded: 1 for the quantity 1000m, resources: {} where there are none. Objects
	// stay as they are sent if it is nil, and with DeclaredOnly.
	GoForm *goform.Release

	// Native decides what the server stores of objects of built-in kinds and which of them it
	// refuses, in place of the rules of this package. Nil is that no code of the release can be
	// asked.
	Native Native

	// DeclaredOnly leaves out defaults of fields that types do not declare: they are of
	// documents that may be of another release.
	DeclaredOnly bool

	// Custom finds the definition of a custom resource. custom says whether the kind is
	// one; the definition may be nil, if only its type is known.
	Custom func(apiVersion, kind string) (d Definition, custom bool)

	// TypeDefaults fills the defaults of the type into a custom resource even if it has a
	// definition: there are others than those of the definition.
	TypeDefaults bool

	// Declared reports whether objects of a kind get the defaults that their type declares, although
	// the kind is neither built in nor custom: kinds of aggregated API servers, for instance. Nil
	// means that there are no such kinds.
	Declared func(apiVersion, kind string) bool

	// EncodeText is how a text of a Secret's stringData stands in its data. Nil is as
	// base64.
	EncodeText func(string) string

	// Policies are asked of each request, nil if there are none.
	Policies Policies

	// Others are the objects of a kind that the server has besides the one of the request,
	// all of them, or none if they are not known: Namespaces, LimitRanges, PriorityClasses,
	// StorageClasses and IngressClasses, which admission plugins look for. They are not
	// written to. Nil is that nothing is known.
	Others func(group, kind string) []map[string]any
}

// Definition is what defines a custom resource; a Version of package kube/crd is one. Of one
// that is a [Reader] it is known, too, which version is stored.
type Definition interface {
	// Default returns a copy of an object as an API server stores it: without fields
	// that the definition does not have and with all defaults.
	Default(object map[string]any) (map[string]any, error)
}

// Verb says what a request does.
type Verb int

const (
	// Update replaces the object (PUT), or what a patch made of it. Without a live object
	// it is a Create.
	Update Verb = iota
	// Create makes a new object (POST).
	Create
	// Apply is a server-side apply.
	Apply
	// ApplyForce is one that takes over what conflicts.
	ApplyForce
)

// IsApply says whether a request is merged, by force or not.
func (v Verb) IsApply() bool { return v == Apply || v == ApplyForce }

// Request is one request for an object.
type Request struct {
	Verb Verb
	// Subresource is that of the endpoint, such as "status", empty of the main one.
	// That of scale takes the whole object.
	Subresource string
	// Manager is the field manager.
	Manager string
	// Time is when the server has the request: managed fields and a few defaults hold it.
	Time time.Time
	// Object is what the request sends, and Live what the server has, in any version that
	// it can be converted from; nil if there is nothing yet. Neither is written to, and
	// what comes out shares parts with them.
	Object, Live map[string]any
	// Type is that of Object if the caller has it; the zero value is looked up.
	Type typed.ParseableType
	// Trace, if set, is called after each stage of the prediction with the object before and
	// after it, to find the stage that makes a prediction wrong. The stages are the constants
	// of this package and of package fieldmanager; a stage that changes nothing is called
	// with two equal objects, and one that does not apply to the request is not called.
	//
	// The objects share parts with each other, with the request and with the result. Trace
	// must not write to them; it may keep them, as nothing else writes to them either. Calls
	// come one after the other, in the goroutine that calls Predict, Prepare or a method of
	// Prepared. A request that is refused has no stages after the check that refuses it. Empty
	// maps in immutable fields are refused late: in an apply after StageGeneration, in an
	// update after fieldmanager.StageOwners.
	// An apply of package resolve may merge several times: each begins with
	// fieldmanager.StagePrepared.
	Trace func(stage fieldmanager.Stage, before, after map[string]any)
}

// Prediction is what an API server makes of a request.
type Prediction struct {
	// Result has the object as it is stored, in the version of the request, with its
	// managed fields, and says whether that is a change.
	*fieldmanager.Result
	// Live is the live object as the server reads it for the request, nil if there is
	// none: what Result.Object is to be compared with.
	Live map[string]any
	// Filled are the defaults that the request got, and FilledLive those that the live
	// object lacked.
	Filled, FilledLive FilledDefaults
	// OnlyServer are the places in what is stored that only the server knows, by
	// ServerFields: Result.Object lacks them, or may not have them as they are stored.
	// Items of lists have their indexes. There are none if nothing is stored.
	OnlyServer []fieldpath.Path
	// Warnings are what the request lost or what its author should know; those of Result
	// are among them.
	Warnings []managedfields.Warning
	// Admitted is what policies said, nil if there are none.
	Admitted *AdmissionResult
	// Native reports whether Server.Native decided about the request.
	Native bool
}

// Predict is what the server makes of a request: an error of fieldmanager, such as a
// *fieldmanager.ConflictError, if it refuses it.
func (s *Server) Predict(r *Request) (*Prediction, error) {
	p, err := s.Prepare(r)
	if err != nil {
		return nil, err
	}
	var result *fieldmanager.Result
	if r.Verb.IsApply() {
		result, err = p.FieldManager.Apply(p.Live, p.Object, r.Manager, r.Verb == ApplyForce)
	} else {
		result, err = p.Update()
	}
	if err == nil {
		result, err = p.Mutate(result)
	}
	if err == nil {
		err = p.CheckInvalid(result)
	}
	if err == nil {
		err = p.Validate(result)
	}
	var (
		policies *PoliciesError
		nulls    *NullError
		invalid  *InvalidError
		refused  *fieldmanager.RequestError
		unasked  *NativeError
	)
	switch {
	case errors.As(err, &policies):
		return nil, policies.Err
	case errors.As(err, &nulls):
		return nil, nulls
	case errors.As(err, &unasked):
		return nil, unasked
	case errors.As(err, &invalid):
		return nil, invalid
	case errors.As(err, &refused):
		return nil, refused
	}
	if err != nil {
		return nil, err
	}
	return p.Prediction(result), nil
}

// PreparedRequest is a request on its way, before it is merged. Callers who do not merge with
// Server.Predict, since they solve conflicts in package resolve, use its FieldManager. It is
// for one goroutine: it remembers which defaults the last merge got.
type PreparedRequest struct {
	// Live is the live object as the server reads it from its store for the request: in
	// its version, with defaults. Object is what the server decodes. Both are what is
	// merged.
	Live, Object map[string]any
	// FieldManager is that of the endpoint.
	FieldManager *fieldmanager.FieldManager
	Warnings     []managedfields.Warning

	server *Server
	// request is the request with its type.
	request *Request
	// filled are the defaults that the last merge got, filledLive those of the live object.
	filled, filledLive FilledDefaults
	// reset are the fields that the endpoint does not store.
	reset map[fieldpath.APIVersion]*fieldpath.Set
	// read is Live if Go's types read and write it as it is.
	read map[string]any
	// mutated and validated are the answers of policies.
	mutated, validated *AdmissionResult
	// carries says that the live object has fields that the type does not know.
	carries bool
	// loses says that an apply has merged fields that its definition does not have, and gains
	// that the request brings empty maps or lists that are not stored, and count all the same.
	loses, gains bool
	// frozen is how the server refuses the request since the live object is immutable.
	frozen error
	// stamps says that an apply has merged something into metadata of a custom resource that is not stored.
	stamps bool
	// nativeAnswered says that Server.Native has decided about the last merge, with these
	// warnings.
	nativeAnswered bool
	nativeWarnings []string
	// untraced is set while what is completed is not the outcome of the request.
	untraced bool
}

// LiveError is that something is wrong with the live object, not with what was sent.
type LiveError struct{ Err error }

func (e *LiveError) Error() string { return "the live object: " + e.Err.Error() }

func (e *LiveError) Unwrap() error { return e.Err }

// Prepare brings the live object into the version of the request, and both objects into
// the form in which they are merged.
func (s *Server) Prepare(r *Request) (*PreparedRequest, error) {
	if r.Verb == Create && r.Live != nil {
		return nil, &fieldmanager.RequestError{Status: http.StatusConflict, Message: fmt.Sprintf("%s already exists", document.Describe(r.Live))}
	}
	apiVersion, kind := document.TypeOf(r.Object)
	with := *r
	if with.Type.Schema == nil {
		var err error
		if with.Type, err = s.typeOf(apiVersion, kind); err != nil {
			return nil, err
		}
	}
	p := &PreparedRequest{request: &with, server: s, Live: r.Live}
	var warned *managedfields.Warning
	if p.Object, warned = s.RemoveNamespace(r.Object); warned != nil {
		p.Warnings = append(p.Warnings, *warned)
	}
	p.trace(StageReceived, r.Object, p.Object)
	if r.Live != nil {
		if err := p.readLive(apiVersion); err != nil {
			return nil, &LiveError{err}
		}
	}
	p.noteSystemMetadata()
	if !r.Verb.IsApply() {
		sent := p.Object
		p.Object = s.secretAsStored(systemMetadata(p.Object, p.Live, true))
		p.trace(StageMetadata, sent, p.Object)
		p.gains, p.frozen = p.gainsEmpty(p.Object), p.checkFrozen(p.Object)
		sent = p.Object
		var err error
		if s.inGo(p.Object) {
			var dropped []goform.DroppedField
			p.Object, dropped = p.decoded(p.Object)
			p.noteDropped(dropped, false)
		} else if s.predicts(p.Object) {
			if p.Object, err = p.known(p.Object); err != nil {
				return nil, err
			}
		}
		p.traceGo(StageDecoded, sent, p.Object)
		if p.Object, err = p.fill(p.Object); err != nil {
			return nil, err
		}
		if isDaemonSet(p.Object) && s.predicts(p.Object) {
			sent := p.Object
			p.Object = p.decodedCount(p.Object)
			p.trace(StageStrategy, sent, p.Object)
		}
	}
	options := s.FieldManager
	options.Subresource = r.Subresource
	options.ResetFields = s.resetFields(r, with.Type)
	options.Clock = func() time.Time { return r.Time }
	options.Defaulter, options.NoWrites = p.complete, true
	options.Trace = p.traceMerge()
	if convert := s.FieldManager.Converter; convert != nil && !s.FieldManager.NoWrites {
		options.Converter = func(object map[string]any, apiVersion string) (map[string]any, error) {
			return convert(data.Clone(object).(map[string]any), apiVersion)
		}
	}
	options.Empty = s.empty(with.Type)
	p.reset = options.ResetFields
	p.noteReset(p.reset)
	if kindOf(r.Object) == requestForCertificate && s.predicts(r.Object) {
		options.ResetFields, options.IgnoreFilter = nil, unowned(apiVersion, r.Subresource)
	}
	var err error
	p.FieldManager, err = fieldmanager.New(options)
	return p, err
}

func (s *Server) typeOf(apiVersion, kind string) (typed.ParseableType, error) {
	m, err := fieldmanager.New(s.FieldManager)
	if err != nil {
		return typed.ParseableType{}, err
	}
	return m.Type(apiVersion, kind)
}

// readLive makes of the live object what the server reads for the request.
func (p *PreparedRequest) readLive(apiVersion string) (err error) {
	s, t := p.server, p.request.Type
	var lost []managedfields.Warning
	if p.Live, lost, err = s.Convert(p.Live, apiVersion, t); err != nil {
		return err
	}
	p.Warnings = append(p.Warnings, lost...)
	p.trace(StageLiveConverted, p.request.Live, p.Live)
	p.carries = s.FieldManager.CarryUnknown && hasUnknown(p.Live, t)
	stored := s.secretAsStored(p.Live)
	decoded, dropped := p.fromStore(stored)
	p.noteDropped(dropped, true)
	p.traceGo(StageLiveDecoded, p.Live, decoded)
	if p.Live, p.filledLive, err = s.Read(decoded, t, p.carries, p.request.Time); err != nil {
		return err
	}
	if !p.carries && s.inGo(decoded) {
		p.readInGo(stored)
	}
	p.trace(StageLiveDefaulted, decoded, p.Live)
	return nil
}

// readInGo writes a live object that has its defaults as its Go type does.
func (p *PreparedRequest) readInGo(stored map[string]any) {
	again := stored
	if !box.SameMap(p.Live, stored) {
		p.Live, _ = p.fromStore(p.Live)
		again, _ = p.fromStore(p.Live)
	}
	if box.SameMap(p.Live, again) {
		p.read = p.Live
	}
}

// complete is a fieldmanager.Defaulter: it makes of what an apply has merged what the
// server stores. It writes to nothing that it is given.
func (p *PreparedRequest) complete(object map[string]any) (_ map[string]any, err error) {
	p.stamps = p.gainsMetadata(object)
	merged := object
	object = systemMetadata(p.server.secretAsStored(object), p.Live, false)
	p.trace(StageMetadata, merged, object)
	p.gains, p.frozen = p.gainsEmpty(object), p.checkFrozen(object)
	merged, _ = p.decoded(object)
	p.traceGo(StageDecoded, object, merged)
	object = merged
	if object, err = p.fill(object); err != nil {
		return nil, err
	}
	p.loses = p.prunes(merged, object)
	if object, err = p.strategy(object); err != nil {
		return nil, err
	}
	if p.frozen != nil {
		return nil, p.frozen
	}
	return object, p.checkNulls(merged)
}

// fill is what was decoded with its defaults.
func (p *PreparedRequest) fill(object map[string]any) (after map[string]any, err error) {
	after, p.filled, err = p.server.Fill(object, p.request.Type, p.carries, p.request.Time)
	if err == nil && !box.SameMap(after, object) {
		after, _ = p.decoded(after)
	}
	if err == nil {
		p.trace(StageDefaulted, object, after)
	}
	return after, err
}

// Update is what the server makes of a request that is no apply.
func (p *PreparedRequest) Update() (*fieldmanager.Result, error) {
	result, err := p.FieldManager.Update(p.Live, p.Object, p.request.Manager)
	if err == nil && p.frozen != nil {
		return nil, p.frozen
	}
	if err != nil && p.server.predicts(p.Object) && lacksKeys(err) {
		p.warn("", "is stored without new owners, since items of a list cannot be told apart")
		return p.UpdateUntracked()
	}
	if errors.Is(err, ErrNoVersion) {
		p.warn("", "is stored without new owners: there are some in a version that the definition does not have")
		return p.UpdateUntracked()
	}
	if err == nil && p.request.Subresource == "scale" && p.Live != nil {
		merged := result
		if result, err = p.scaled(result); err == nil {
			p.traceResult(StageScaled, merged, result)
		}
	}
	if err != nil || !result.Changed && !p.gains && p.server.Policies == nil && !p.asksNative() {
		return result, err
	}
	return p.stored(result)
}

// stored is the result of an update with what the strategy makes of its object. Managed
// fields tell what was sent.
func (p *PreparedRequest) stored(result *fieldmanager.Result) (*fieldmanager.Result, error) {
	object, err := p.strategy(result.Object)
	if err != nil {
		return nil, err
	}
	after := *result
	after.Object, after.Changed = object, true
	if p.Live != nil && !result.Reencoded && sameStored(after.Object, p.Live) {
		after.Object, after.Changed = p.Live, false
	}
	return &after, nil
}

// lacksKeys says whether all that is wrong are items of lists without keys. A server stores
// such an update.
func lacksKeys(err error) bool {
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return false
	}
	return !slices.ContainsFunc(all, func(e typed.ValidationError) bool {
		f := diag.Of(e)
		return f == nil || f.Code != diag.NoIdentity
	})
}

// UpdateUntracked returns what becomes of an update that cannot be compared with the live object,
// since a set has objects as items: the server stores it, and leaves the managed fields as
// they were. Before Kubernetes 1.37 it took them out.
func (p *PreparedRequest) UpdateUntracked() (*fieldmanager.Result, error) {
	object := document.WithoutManagedFields(p.Object)
	if r := p.server.Release; r == nil || minor(r.Version()) >= 37 {
		object = withManagedFields(object, p.Live)
	}
	if p.Live != nil && p.server.FieldManager.CheckTransitions {
		if err := fieldmanager.CheckUpdate(p.request.Type, p.Live, object, typed.TransitionOptions{}); err != nil {
			return nil, err
		}
	}
	return p.stored(&fieldmanager.Result{Object: object, Changed: true})
}

// Prediction is the request with what its merge came to.
func (p *PreparedRequest) Prediction(result *fieldmanager.Result) *Prediction {
	merged := result
	result, filled := p.readBack(result)
	result = p.stamped(result)
	p.traceResult(StageReadBack, merged, result)
	d := &Prediction{Result: result, Live: p.Live, Filled: filled, FilledLive: p.filledLive, OnlyServer: p.onlyServer(result), Admitted: p.Admitted(), Native: p.nativeAnswered}
	d.Warnings = append(append(d.Warnings, p.Warnings...), result.Warnings...)
	for _, text := range p.nativeWarnings {
		d.Warnings = append(d.Warnings, managedfields.Warning{Message: text})
	}
	return d
}
