// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Server describes an API server. FieldManager.Types is required. If another field is not set, that
// part of the server is unknown, and Predict does not predict it. You must not modify the fields
// after the first use. A Server is safe for concurrent use if the functions in its fields are safe
// for concurrent use.
type Server struct {
	// FieldManager has the options for merges. Predict sets Subresource, ResetFields,
	// Clock, Empty and Defaulter for each request. NoWrites only applies to Converter.
	FieldManager fieldmanager.Options

	// Kind returns the scope and the subresources of a kind, and whether it is built into
	// Kubernetes (Source is empty). The Kind method of a Catalog implements it.
	Kind func(apiVersion, kind string) (openapi.Kind, bool)

	// Release has the defaults of built-in kinds. Nil means no defaults.
	Release *defaults.Release

	// GoForm has the Go types of built-in kinds. They define the form in which the server
	// writes decoded values. For example, the quantity 1000m becomes 1, and missing resources
	// become resources: {}. If GoForm is nil, objects keep the form of the request. With
	// DeclaredOnly, fields that the Go types do not have keep the form of the request, too.
	GoForm *goform.Release

	// Native runs the code of the release for built-in kinds: it decides which object
	// the server stores, and which objects it rejects. It replaces the rules of this
	// package. If Native is nil, the rules apply.
	Native Native

	// DeclaredOnly is set if the types may be of another release than Release and GoForm.
	// It disables defaults for fields that the types do not declare.
	DeclaredOnly bool

	// Custom returns the definition of a custom resource. custom reports whether the kind
	// is one. The definition may be nil if only its type is known.
	Custom func(apiVersion, kind string) (d Definition, custom bool)

	// TypeDefaults makes Predict fill in the defaults of the type of a custom resource,
	// in addition to those of its definition. Set it if the type has other defaults than
	// the definition.
	TypeDefaults bool

	// Declared reports whether objects of a kind get the defaults of their type, although the
	// kind is neither built in nor custom. Kinds of aggregated API servers are an example. If
	// Declared is nil, there are no such kinds.
	Declared func(apiVersion, kind string) bool

	// EncodeText encodes a value of a Secret's stringData for its data. If it is nil, Predict uses
	// base64.
	EncodeText func(string) string

	// Policies evaluates admission policies for each request. If it is nil, there are no policies.
	Policies Policies

	// PodSecurity evaluates the admission plugin PodSecurity, for objects whose Namespace is
	// in Others. If it is nil, Predict does not evaluate the plugin.
	PodSecurity PodSecurity

	// Others returns all objects of a kind on the server besides the object of the request. It returns
	// none if they are unknown. Admission plugins need Namespaces, Pods, LimitRanges, PriorityClasses,
	// StorageClasses and IngressClasses. Predictions do not modify these objects. If Others is nil,
	// all other objects are unknown.
	Others func(group, kind string) []map[string]any
}

// Definition defines a custom resource. A Version of package kube/crd implements it. A
// Definition that also implements [Reader] has the storage version, too.
type Definition interface {
	// Default returns a copy of an object as an API server stores it: with all defaults,
	// and without fields that the definition does not have.
	Default(object map[string]any) (map[string]any, error)
}

// Verb is the kind of a request.
type Verb int

const (
	// Update replaces the object by a new object (PUT) or by the result of a patch.
	// Without a live object it acts as Create.
	Update Verb = iota
	// Create creates an object (POST).
	Create
	// Apply is a server-side apply.
	Apply
	// ApplyForce is a server-side apply with force: it takes ownership of conflicting
	// fields.
	ApplyForce
)

// IsApply reports whether the request is an apply, with or without force.
func (v Verb) IsApply() bool { return v == Apply || v == ApplyForce }

// Request is a request for one object.
type Request struct {
	Verb Verb
	// Subresource is the subresource of the endpoint, such as "status". It is empty for the
	// main resource. For "scale", Object is a Scale of autoscaling/v1, or the main object
	// with its new replicas; an apply uses only the replicas of the main object. Live and
	// the object of the prediction are then the main object.
	Subresource string
	// Manager is the field manager.
	Manager string
	// Time is the time at which the server gets the request. It appears in managed fields
	// and in some defaults.
	Time time.Time
	// Object is the object in the request. Live is the object on the server, or nil if it does
	// not exist. Live may have any version that can be converted. Predictions modify neither
	// object, but results share parts with both.
	Object, Live map[string]any
	// Type is the type of Object. If it is the zero value, it is looked up.
	Type typed.ParseableType
	// Trace, if set, is called after each stage of the prediction with the object before
	// and after it. Use it to find the stage that makes a prediction wrong. The stages
	// are the constants of this package and of package fieldmanager. If a stage changes
	// nothing, both objects are equal; if a stage does not apply to the request, Trace is
	// not called.
	//
	// The objects share parts with each other, with the request and with the result.
	// Trace must not modify them, but it may keep them, because nothing else modifies
	// them. All calls happen in sequence, in the goroutine that calls Predict, Prepare or
	// a method of PreparedRequest. A rejected request has no stages after the check that
	// rejects it. Empty maps in immutable fields are rejected late: in an apply after
	// StageGeneration, in an update after fieldmanager.StageOwners.
	//
	// An apply of package resolve may merge several times: each merge begins with
	// fieldmanager.StagePrepared.
	Trace func(stage fieldmanager.Stage, before, after map[string]any)
}

// Prediction is the predicted result of a request.
type Prediction struct {
	// Result has the stored object in the version of the request, with its managed
	// fields. It also reports whether the request changes the live object.
	*fieldmanager.Result
	// Live is the live object as the server reads it for the request, nil if there is
	// none. Compare Result.Object with it.
	Live map[string]any
	// Validated is the object that the server validates. It has the version of the request,
	// because the server converts it to the storage version later. Result.Object does not
	// have the fields that the storage version does not declare.
	Validated map[string]any
	// Filled has the defaults that the object of the request got. FilledLive has the
	// defaults that the live object got.
	Filled, FilledLive FilledDefaults
	// OnlyServer has the paths of values that only the server knows, see ServerFields.
	// These values are missing in Result.Object, or may differ from the server's values.
	// The paths identify list items by index. If the server stores nothing, OnlyServer is
	// empty.
	OnlyServer []fieldpath.Path
	// Warnings report lost data of the request, and other facts for its author. They include
	// the warnings of Result.
	Warnings []managedfields.Warning
	// ServerWarnings are the warnings that the server sends to the client: those of Native
	// and of PodSecurity. Warnings contains them, too.
	ServerWarnings []string
	// Admitted is the result of the policies, or nil.
	Admitted *AdmissionResult
	// Native reports whether Server.Native decided about the request.
	Native bool
}

// Predict predicts the result of a request. If the server would reject the request, the
// error has a type of package fieldmanager, such as *fieldmanager.ConflictError.
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
		policies   *PoliciesError
		nulls      *NullError
		invalid    *InvalidError
		refused    *fieldmanager.RequestError
		unanswered *NativeError
	)
	switch {
	case errors.As(err, &policies):
		return nil, policies.Err
	case errors.As(err, &nulls):
		return nil, nulls
	case errors.As(err, &unanswered):
		return nil, unanswered
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

// PreparedRequest is a request before the merge. If you resolve conflicts with package
// resolve, you cannot call Server.Predict; use the FieldManager of a PreparedRequest
// instead. A PreparedRequest is not safe for concurrent use, because it stores the
// defaults of the last merge.
type PreparedRequest struct {
	// Live is the live object in the version of the request, with defaults, as the server reads
	// it from its store. Object is the decoded object of the request. The merge gets both
	// objects.
	Live, Object map[string]any
	// FieldManager is the field manager of the endpoint.
	FieldManager *fieldmanager.FieldManager
	Warnings     []managedfields.Warning

	server *Server
	// request is the request with its type.
	request *Request
	// filled has the defaults of the last merge. filledLive has the defaults of the live object.
	filled, filledLive FilledDefaults
	// reset are the fields that the endpoint does not store.
	reset map[fieldpath.APIVersion]*fieldpath.Set
	// canonicalLive is Live if decoding into its Go type and encoding does not change it. Otherwise it
	// is nil.
	canonicalLive map[string]any
	// mutated and validated are the results of policies.
	mutated, validated *AdmissionResult
	// carries is true if the live object has fields that its type does not declare.
	carries bool
	// mergedUndeclared is true if an apply has merged fields that the definition does not
	// have. sentEmptyContainers is true if the request adds empty maps or lists that are
	// not stored but count as a change.
	mergedUndeclared, sentEmptyContainers bool
	// emptiedImmutable is the error for an empty map in an immutable field of the live
	// object.
	emptiedImmutable error
	// mergedUnstoredMetadata is true if an apply has merged values into metadata of a
	// custom resource that are not stored.
	mergedUnstoredMetadata bool
	// nativeAnswered is true if Server.Native determined the stored object of the last
	// merge. nativeWarnings has the warnings that it returned.
	nativeAnswered bool
	nativeWarnings []string
	// securityWarnings are the warnings of PodSecurity.
	securityWarnings []string
	// scale is set for an apply of a Scale before Mutate. scaleOwners are the owners after
	// such an apply, nil for other requests.
	scale       *scaleApply
	scaleOwners *managedfields.Managed
	// untraced is true while complete is called for an object that is not the result of
	// the request.
	untraced bool
}

// LiveError is returned if the live object is invalid, and not the request.
type LiveError struct{ Err error }

func (e *LiveError) Error() string { return "the live object: " + e.Err.Error() }

func (e *LiveError) Unwrap() error { return e.Err }

// Prepare converts the live object to the version of the request, and brings both objects
// into the form in which they are merged.
func (s *Server) Prepare(r *Request) (*PreparedRequest, error) {
	if r.Verb == Create && r.Live != nil {
		return nil, &fieldmanager.RequestError{Status: httpstatus.Conflict, Message: fmt.Sprintf("%s already exists", document.Describe(r.Live))}
	}
	if r.Subresource == scaleSubresource && (r.Verb.IsApply() || isScale(r.Object)) {
		return s.prepareScale(r)
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
	p.warnSystemMetadata()
	if !r.Verb.IsApply() {
		sent := p.Object
		p.Object = s.secretAsStored(systemMetadata(p.Object, p.Live, true))
		p.trace(StageMetadata, sent, p.Object)
		p.sentEmptyContainers, p.emptiedImmutable = p.addsEmpty(p.Object), p.checkFrozen(p.Object)
		sent = p.Object
		var err error
		if s.hasGoType(p.Object) && s.DeclaredOnly {
			if p.Object, err = p.dropUnknown(p.Object); err != nil {
				return nil, err
			}
		}
		if s.hasGoType(p.Object) {
			var dropped []goform.DroppedField
			p.Object, dropped = p.decoded(p.Object)
			p.warnDropped(dropped, false)
		} else if s.predicts(p.Object) {
			if p.Object, err = p.dropUnknown(p.Object); err != nil {
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
	if r.Subresource != scaleSubresource && s.convertsByName(p.Object) && options.Types != nil {
		options.Converter = s.keepingFields(options.Converter)
	}
	options.Empty = s.empty(with.Type)
	p.reset = options.ResetFields
	p.warnReset(p.reset)
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

// readLive converts and decodes the live object as the server does for the request.
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
	p.warnDropped(dropped, true)
	p.traceGo(StageLiveDecoded, p.Live, decoded)
	if p.Live, p.filledLive, err = s.Read(decoded, t, p.carries, p.request.Time); err != nil {
		return err
	}
	if !p.carries && s.hasGoType(decoded) {
		p.canonicalizeLive(stored)
	}
	p.trace(StageLiveDefaulted, decoded, p.Live)
	return nil
}

// canonicalizeLive converts a live object with its defaults to the form of its Go type.
func (p *PreparedRequest) canonicalizeLive(stored map[string]any) {
	again := stored
	if !box.SameMap(p.Live, stored) {
		p.Live, _ = p.fromStore(p.Live)
		again, _ = p.fromStore(p.Live)
	}
	if box.SameMap(p.Live, again) {
		p.canonicalLive = p.Live
	}
}

// complete is a fieldmanager.Defaulter. It returns the object that the server stores for the
// merged object of an apply. It does not modify its argument.
func (p *PreparedRequest) complete(object map[string]any) (_ map[string]any, err error) {
	p.mergedUnstoredMetadata = p.addsEmptyMetadata(object)
	merged := object
	object = systemMetadata(p.server.secretAsStored(object), p.Live, false)
	p.trace(StageMetadata, merged, object)
	p.sentEmptyContainers, p.emptiedImmutable = p.addsEmpty(object), p.checkFrozen(object)
	merged, _ = p.decoded(object)
	p.traceGo(StageDecoded, object, merged)
	object = merged
	if object, err = p.fill(object); err != nil {
		return nil, err
	}
	p.mergedUndeclared = p.mergesUndeclared(merged, object)
	if object, err = p.strategy(object); err != nil {
		return nil, err
	}
	if p.emptiedImmutable != nil {
		return nil, p.emptiedImmutable
	}
	return object, p.checkNulls(merged)
}

// fill returns a decoded object with its defaults.
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

// Update predicts a request that is not an apply.
func (p *PreparedRequest) Update() (*fieldmanager.Result, error) {
	result, err := p.FieldManager.Update(p.Live, p.Object, p.request.Manager)
	if err == nil && p.emptiedImmutable != nil {
		return nil, p.emptiedImmutable
	}
	if err != nil && p.server.predicts(p.Object) && lacksKeys(err) {
		p.warn("", "stored without updating managed fields, because items of a list have no keys to compare them by")
		return p.UpdateUntracked()
	}
	if errors.Is(err, ErrNoVersion) {
		p.warn("", "stored without updating managed fields, because an entry has an API version that the definition does not have")
		return p.UpdateUntracked()
	}
	var undeclared *UndeclaredError
	if errors.As(err, &undeclared) {
		p.warn("", fmt.Sprintf("stored without updating managed fields, because an entry has the version %s, which does not declare %s", undeclared.APIVersion, undeclared.Fields[0].Path))
		return p.UpdateUntracked()
	}
	if err == nil && p.request.Subresource == scaleSubresource && p.Live != nil {
		merged := result
		if result, err = p.scaled(result); err == nil {
			p.traceResult(StageScaled, merged, result)
		}
	}
	if err != nil || !result.Changed && !p.sentEmptyContainers && p.server.Policies == nil && !p.asksNative() {
		return result, err
	}
	return p.stored(result)
}

// stored returns the result of an update after the strategy has changed its object. The
// strategy does not change the managed fields, which come from the object as it was
// sent.
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

// lacksKeys reports whether the only errors are list items without keys. A server stores
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

// UpdateUntracked returns the result of an update that cannot be compared with the live object.
// For example, a set has maps as items. The server stores the object, and does not change the
// managed fields. Before Kubernetes 1.37, the server removed the managed fields.
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

// Prediction returns the prediction for the result of the merge.
func (p *PreparedRequest) Prediction(result *fieldmanager.Result) *Prediction {
	merged := result
	result, filled := p.readBack(result)
	result = p.withApplyTime(result)
	p.traceResult(StageReadBack, merged, result)
	d := &Prediction{Result: result, Validated: merged.Object, Live: p.Live, Filled: filled, FilledLive: p.filledLive, OnlyServer: p.onlyServer(result), Admitted: p.Admitted(), Native: p.nativeAnswered, ServerWarnings: p.ServerWarnings()}
	d.Warnings = append(append(d.Warnings, p.Warnings...), result.Warnings...)
	for _, text := range d.ServerWarnings {
		d.Warnings = append(d.Warnings, managedfields.Warning{Message: text})
	}
	return d
}
