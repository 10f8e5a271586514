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

// Server describes an API server. Only FieldManager.Types is required. If the field for a
// part of the server is not set, Predict ignores the effects of that part. Do not modify the
// fields after the first use. A Server is safe for concurrent use if the functions in its
// fields are safe for concurrent use.
type Server struct {
	// FieldManager contains the options for merging. For each request, Predict sets
	// Subresource, ResetFields, Clock, Empty, Defaulter and Trace itself. ReadOnlyCallbacks
	// applies only to Converter.
	FieldManager fieldmanager.Options

	// Kind returns the scope and the subresources of a kind. For a built-in kind, the field
	// Source of the result must be empty. Use the Kind method of a Catalog.
	Kind func(apiVersion, kind string) (openapi.Kind, bool)

	// Release contains the defaults of built-in kinds. If it is nil, these kinds get no
	// defaults.
	Release *defaults.Release

	// GoForm contains the Go types of built-in kinds. A server converts values to the form that
	// these types write: the quantity 1000m becomes 1, and missing resources become "resources:
	// {}". If GoForm is nil, objects keep the form of the request. With DeclaredOnly, fields
	// that the Go types lack also keep the form of the request.
	GoForm *goform.Release

	// Native processes built-in kinds with the release's own code. This code determines the
	// object that the server stores, and the objects that it rejects. Native replaces the
	// rules of this package. If Native is nil, Predict uses these rules.
	Native Native

	// DeclaredOnly must be true if the types may come from a different Kubernetes release than
	// Release and GoForm. Predict then sets no defaults in fields that the types do not declare.
	DeclaredOnly bool

	// Custom returns the definition of a custom resource. custom is false if the kind is not a
	// custom resource. The definition may be nil if only the type is known.
	Custom func(apiVersion, kind string) (d Definition, custom bool)

	// TypeDefaults makes Predict also set the defaults that the type of a custom resource
	// declares. Use this option if the type has defaults that the definition lacks.
	TypeDefaults bool

	// Declared returns true for kinds that get the defaults of their type, although they are
	// neither built in nor custom resources. Kinds of aggregated API servers are an example.
	// If Declared is nil, there are no such kinds.
	Declared func(apiVersion, kind string) bool

	// EncodeText encodes a value of a Secret's stringData for the field data. If it is nil,
	// base64 is used.
	EncodeText func(string) string

	// Policies evaluates admission policies for each request. If it is nil, there are no policies.
	Policies Policies

	// PodSecurity evaluates the admission plugin PodSecurity on objects whose Namespace is in
	// Others. If it is nil, the plugin is not evaluated.
	PodSecurity PodSecurity

	// Others returns the objects of a kind on the server, except the object of the request. It
	// returns nil if the objects are not known. Admission plugins read Namespaces, Pods,
	// LimitRanges, PriorityClasses, StorageClasses and IngressClasses. Predict does not modify
	// the objects. If Others is nil, no other objects are known.
	Others func(group, kind string) []map[string]any
}

// Definition is the definition of a kind of custom resource. A Version of package kube/crd
// implements it. A Definition that also implements [Reader] knows the storage version.
type Definition interface {
	// Default returns a copy of an object as an API server stores it: with all defaults, and
	// without fields that the definition does not declare.
	Default(object map[string]any) (map[string]any, error)
}

// Verb is the operation that a request performs.
type Verb int

const (
	// Update replaces the object with a new one (PUT), or with the result of a patch. If there
	// is no live object, it creates the object.
	Update Verb = iota
	// Create creates an object (POST).
	Create
	// Apply is a server-side apply.
	Apply
	// ApplyForce is a server-side apply with force, which takes ownership of conflicting
	// fields.
	ApplyForce
)

// IsApply reports whether the request is an apply, with or without force.
func (v Verb) IsApply() bool { return v == Apply || v == ApplyForce }

// Request is a request for one object.
type Request struct {
	Verb Verb
	// Subresource is the subresource of the request, such as "status", or "" for the main
	// endpoint. For "scale", Object is a Scale of autoscaling/v1, and Live and the object of the
	// prediction are the object being scaled.
	Subresource string
	// Manager is the field manager.
	Manager string
	// Time is the time when the server receives the request. Managed fields and some
	// defaults contain this time.
	Time time.Time
	// Object is the object in the request. Live is the object on the server, or nil if the
	// server has no such object. Live may have any version that the server can convert to the
	// version of Object. Predictions modify neither object, but results share maps and lists
	// with both.
	Object, Live map[string]any
	// DryRun is true if the server does not store the object. It then accepts a new object with a
	// resourceVersion.
	DryRun bool
	// Type is the type of Object. If Type is the zero value, Predict looks up the
	// type.
	Type typed.ParseableType
	// Trace, if not nil, is called after each stage of the prediction with the object before and
	// after the stage. Use it to find the stage in which a prediction goes wrong. The stages are
	// constants of this package and of package fieldmanager. If a stage changes nothing, both
	// objects are equal. Trace is not called for stages that do not apply to the request.
	//
	// The objects share maps and lists with each other, with the request and with the result.
	// Nothing modifies the objects, so Trace may keep them. Trace must not modify them, either. All
	// calls are sequential, in the goroutine that calls Predict, Prepare or a method of
	// PreparedRequest.
	//
	// If a check rejects the request, no further stages follow. Most checks come early. But the
	// check for empty maps in immutable fields comes after StageGeneration in an apply, and after
	// fieldmanager.StageOwners in an update.
	//
	// Package resolve may merge several times for one apply. Each merge begins with
	// fieldmanager.StagePrepared.
	Trace func(stage fieldmanager.Stage, before, after map[string]any)
}

// Prediction is the predicted result of a request.
type Prediction struct {
	// Result contains the stored object in the version of the request, with its managed
	// fields. It also reports whether the request changes the live object.
	*fieldmanager.Result
	// Live is the live object as the server reads it for the request, or nil. To find
	// the changes of a request, compare Result.Object with Live.
	Live map[string]any
	// Validated is the object that the server validates. It is in the version of the request,
	// and has all fields of that version. Result.Object lacks the fields that the
	// storage version does not declare, because the server converts to that version only
	// after validation.
	Validated map[string]any
	// Filled describes the defaults set in the request's object. FilledLive describes the
	// defaults set in the live object.
	Filled, FilledLive FilledDefaults
	// OnlyServer lists the paths of values that only the server knows; see ServerFields.
	// Either Result.Object lacks such a value, or the server may store a different one. The
	// paths identify list items by index. OnlyServer is empty if the server stores nothing.
	OnlyServer []fieldpath.Path
	// Warnings reports data of the request that is lost, and other facts that the author
	// of the request should know. It includes the warnings of Result.
	Warnings []managedfields.Warning
	// ServerWarnings lists the warnings that the server sends to the client. These are
	// warnings of Native and PodSecurity, and warnings about repeated owner references. They are also
	// in Warnings.
	ServerWarnings []string
	// Deleted is true if the server deletes the object instead of storing it, because the object is
	// already being deleted, and has no finalizers after the request. The server still sends Object.
	Deleted bool
	// Admitted is the result of the policies, or nil if there are none.
	Admitted *AdmissionResult
	// Native is true if Server.Native handled the request.
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

// PreparedRequest is a request before the merge. To resolve conflicts with package
// resolve, use the FieldManager of a PreparedRequest instead of Server.Predict. A
// PreparedRequest is not safe for concurrent use, because it stores the defaults of the
// last merge.
type PreparedRequest struct {
	// Live is the live object in the version of the request, with defaults, as the server
	// reads it. Object is the decoded object of the request. Live and Object are the inputs
	// of the merge.
	Live, Object map[string]any
	// FieldManager is the field manager of the endpoint.
	FieldManager *fieldmanager.FieldManager
	Warnings     []managedfields.Warning

	server *Server
	// request is the request with its type.
	request *Request
	// filled describes the defaults set in the last merge. filledLive describes the defaults
	// set in the live object.
	filled, filledLive FilledDefaults
	// reset contains the fields that the endpoint does not store.
	reset map[fieldpath.APIVersion]*fieldpath.Set
	// canonicalLive is Live if Live already has the form of its Go type, and nil otherwise.
	canonicalLive map[string]any
	// undecoded is the object that the server would store, in the state before the server decodes it
	// into its Go type.
	undecoded map[string]any
	// mutated and validated are the results of policies.
	mutated, validated *AdmissionResult
	// carries is true if the live object contains fields that its type does not declare.
	carries bool
	// mergedUnstored is true if an apply has merged values that the server does not store; see
	// unstored. It does not consider metadata. sentEmptyContainers is true if the request adds empty
	// maps or lists. The server does not store these values, but counts them as a change.
	mergedUnstored, sentEmptyContainers bool
	// emptiedImmutable is the server's error if the request adds an empty map, such as data: {}, to an
	// immutable ConfigMap or Secret. It is nil for all other requests.
	emptiedImmutable error
	// mergedUnstoredMetadata is true if an apply has merged metadata that the server does not
	// store, such as an empty map in a custom resource; see unstoredMetadata.
	mergedUnstoredMetadata bool
	// nativeAnswered is true if the code in Server.Native computed the stored object of the last
	// merge. nativeWarnings contains the warnings of its response.
	nativeAnswered bool
	nativeWarnings []string
	// securityWarnings lists the warnings of PodSecurity.
	securityWarnings []string
	// sentOwners and mutatedOwners contain the server's warnings about repeated owner references: in
	// the request, and after the mutating policies.
	sentOwners, mutatedOwners []string
	// scale describes the apply of a Scale. It is nil for other requests, and after Mutate.
	// scaleOwners contains the owners of the scaled object after the apply of a Scale. It is nil for
	// other requests.
	scale       *scaleApply
	scaleOwners *managedfields.Managed
	// untraced turns off the trace while the method complete runs on an object that is not the
	// request's result.
	untraced bool
}

// LiveError means that the live object is invalid. The request itself may be
// valid.
type LiveError struct{ Err error }

func (e *LiveError) Error() string { return "the live object: " + e.Err.Error() }

func (e *LiveError) Unwrap() error { return e.Err }

// Prepare converts the live object to the version of the request. It then prepares the live
// object and the object of the request for the merge.
func (s *Server) Prepare(r *Request) (*PreparedRequest, error) {
	if r.Verb == Create && r.Live != nil {
		return nil, &fieldmanager.RequestError{Status: httpstatus.Conflict, Message: fmt.Sprintf("%s already exists", document.Describe(r.Live))}
	}
	if r.Subresource == scaleSubresource {
		return s.prepareScale(r)
	}
	if err := s.checkSubresource(r.Object, r.Subresource); err != nil {
		return nil, err
	}
	return s.prepare(r)
}

// prepare is Prepare without the checks of the endpoint. In a request to the subresource scale, r.Object
// is the object being scaled.
func (s *Server) prepare(r *Request) (*PreparedRequest, error) {
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
	if r.Verb.IsApply() {
		p.warnWrapped()
	} else {
		sent := p.Object
		p.removeRepeatedOwners()
		p.Object = s.secretAsStored(systemMetadata(p.Object, p.Live, true))
		p.trace(StageMetadata, sent, p.Object)
		p.sentEmptyContainers, p.emptiedImmutable = p.addsEmpty(p.Object), p.checkFrozen(p.Object)
		sent, p.undecoded = p.Object, p.Object
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
	if options.ResetFields = s.resetFields(r, with.Type); p.keepsStatus() {
		options.IgnoreFilter = map[fieldpath.APIVersion]fieldpath.Filter{}
		for version, set := range options.ResetFields {
			options.IgnoreFilter[version] = fieldpath.NewExcludeSetFilter(set)
		}
		options.ResetFields = nil
	}
	options.Clock = func() time.Time {
		// The field manager reads the clock at the start of each merge, so clear the results of an earlier
		// merge here. The method complete cannot do this, because it is not called for a merge that
		// changes nothing.
		p.mergedUnstored, p.mergedUnstoredMetadata = false, false
		return r.Time
	}
	options.Defaulter, options.ReadOnlyCallbacks = p.complete, true
	options.Trace = p.traceMerge()
	if convert := s.FieldManager.Converter; convert != nil && !s.FieldManager.ReadOnlyCallbacks {
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

// readLive converts and decodes the live object like a server does for a request.
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

// canonicalizeLive converts a live object, including its defaults, to the form of its Go
// type.
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

// complete is a fieldmanager.Defaulter. It takes the merged object of an apply, and
// returns the object that the server stores. It does not modify its argument.
func (p *PreparedRequest) complete(object map[string]any) (_ map[string]any, err error) {
	merged := object
	object = systemMetadata(p.server.secretAsStored(object), p.Live, false)
	p.trace(StageMetadata, merged, object)
	p.sentEmptyContainers, p.emptiedImmutable = p.addsEmpty(object), p.checkFrozen(object)
	p.undecoded = object
	decoded, _ := p.decoded(object)
	p.traceGo(StageDecoded, object, decoded)
	if object, err = p.fill(decoded); err != nil {
		return nil, err
	}
	p.mergedUnstored, p.mergedUnstoredMetadata = p.unstored(merged, object), p.unstoredMetadata(merged)
	if object, err = p.strategy(object); err != nil {
		return nil, err
	}
	if p.emptiedImmutable != nil {
		return nil, p.emptiedImmutable
	}
	return object, p.checkNulls(decoded)
}

// fill sets the defaults of a decoded object.
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

// Update predicts any request that is not an apply.
func (p *PreparedRequest) Update() (*fieldmanager.Result, error) {
	result, err := p.FieldManager.Update(p.Live, p.Object, p.request.Manager)
	if err == nil && p.emptiedImmutable != nil {
		return nil, p.emptiedImmutable
	}
	if err != nil && p.server.predicts(p.Object) && lacksKeys(err) {
		p.warn("", "stored without updating managed fields, because some list items lack the keys that identify them")
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
	if err != nil || !result.Changed && !p.sentEmptyContainers && p.server.Policies == nil && !p.usesNative() {
		return result, err
	}
	return p.stored(result)
}

// stored runs admission and the kind's strategy on the result of an update. Both change the object
// but not the managed fields, because these describe the object as it was sent.
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

// lacksKeys reports whether err consists only of errors about list items without keys. A server
// stores an update in spite of such errors.
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

// UpdateUntracked returns the result of an update that cannot be compared with the live
// object, for example because a set contains maps. The server stores the object and keeps
// the managed fields unchanged. Before Kubernetes 1.37, it removed the managed fields.
func (p *PreparedRequest) UpdateUntracked() (*fieldmanager.Result, error) {
	object := document.WithoutManagedFields(p.Object)
	if r := p.server.Release; r == nil || minor(r.Version()) >= 37 {
		object = withManagedFields(object, p.Live)
	}
	if p.Live != nil && p.server.FieldManager.CheckTransitions {
		if err := fieldmanager.CheckTransition(p.request.Type, p.Live, object, typed.TransitionOptions{}); err != nil {
			return nil, err
		}
	}
	return p.stored(&fieldmanager.Result{Object: object, Changed: true})
}

// DeletedWarning is the warning about a request that deletes the object; see Prediction.Deleted.
const DeletedWarning = "the server deletes the object, because it is being deleted, and has no finalizers after this request"

// Prediction returns the prediction for the result of a merge.
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
	if d.Deleted = p.deletes(result.Object); d.Deleted {
		d.OnlyServer = nil
		d.Warnings = append(d.Warnings, managedfields.Warning{Message: DeletedWarning})
	}
	return d
}
