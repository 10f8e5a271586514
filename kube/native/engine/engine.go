// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	kjson "sigs.k8s.io/json"

	"github.com/dovetail-ssa/dovetail/kube/native"
)

// Engine handles requests. It is not safe for concurrent use.
type Engine struct {
	store store
	// own contains the providers that were passed to New. The keys are API groups.
	own    map[string]Provider
	groups map[string]*group
}

// New returns an engine for the Kubernetes release that is linked into the program. The map own
// contains the providers of API groups that exist only in this release, or that differ in this
// release. These providers take precedence over the providers in this package.
func New(own map[string]Provider) *Engine {
	// Discard Kubernetes' log, which reports differences between two methods of validation.
	klog.SetLogger(logr.Discard())
	return &Engine{own: own, groups: map[string]*group{}}
}

// group is the storage of an API group.
type group struct {
	// resources maps each kind, with its version, to the name of its resource.
	resources map[schema.GroupVersionKind]string
	storage   map[string]map[string]rest.Storage
}

// group returns the storage of an API group. The first call creates it.
func (e *Engine) group(name string) (*group, error) {
	if g := e.groups[name]; g != nil {
		return g, nil
	}
	storage, err := e.resources(name)
	if err != nil {
		return nil, err
	}
	g := &group{resources: map[schema.GroupVersionKind]string{}, storage: storage}
	for version, resources := range storage {
		for resource, s := range resources {
			if strings.Contains(resource, "/") {
				continue
			}
			kinds, _, err := legacyscheme.Scheme.ObjectKinds(s.New())
			if err != nil {
				return nil, err
			}
			for _, kind := range kinds {
				if kind.Group == name {
					g.resources[schema.GroupVersionKind{Group: name, Version: version, Kind: kind.Kind}] = resource
				}
			}
		}
	}
	e.groups[name] = g
	return g, nil
}

// target is the storage that handles a request.
type target struct {
	schema.GroupVersionKind
	resource    string
	subresource string
	// main is the storage of the object itself. storage is the storage that handles the request. If
	// the request is for a subresource, storage belongs to the subresource. If not, it is the same as
	// main.
	storage, main rest.Storage
	namespaced    bool
	// namespace is the namespace of the request. It is "" if the kind is cluster-scoped.
	namespace string
}

// target returns the storage for a request, or nil if the release does not serve the kind.
func (e *Engine) target(object metav1.TypeMeta, subresource string) (*target, error) {
	kind := object.GroupVersionKind()
	g, err := e.group(kind.Group)
	if err != nil {
		return nil, err
	}
	resource, ok := g.resources[kind]
	if !ok {
		return nil, nil
	}
	t := &target{GroupVersionKind: kind, resource: resource, subresource: subresource}
	main := g.storage[kind.Version][resource]
	if scoped, ok := main.(rest.Scoper); ok {
		t.namespaced = scoped.NamespaceScoped()
	}
	t.main = main
	if t.storage = main; subresource != "" {
		t.storage = g.storage[kind.Version][resource+"/"+subresource]
	}
	if t.storage == nil {
		return nil, nil
	}
	return t, nil
}

// request is a native.Request whose objects are still encoded.
type request struct {
	native.Request
	Object json.RawMessage `json:"object"`
	Live   json.RawMessage `json:"live"`
}

// Answer handles a native.Request, which is encoded as JSON. If Kubernetes' code panics, the
// response contains an error status, because an API server would fail as well.
func (e *Engine) Answer(line []byte) (response *native.Response) {
	defer func() {
		if p := recover(); p != nil {
			response = refused(fmt.Errorf("the API server panics: %v", p))
		}
	}()
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return refused(apierrors.NewBadRequest(err.Error()))
	}
	main := r.Object
	switch {
	case r.Verb == native.Default:
		r.Subresource, r.Live = "", nil
	case r.Subresource == scale:
		main = r.Live // because r.Object is a Scale
	}
	var about metav1.PartialObjectMetadata
	if err := json.Unmarshal(main, &about); err != nil {
		return refused(apierrors.NewBadRequest(err.Error()))
	}
	t, err := e.target(about.TypeMeta, r.Subresource)
	if err != nil {
		return refused(err)
	}
	if t == nil {
		return &native.Response{Unknown: true}
	}
	response = &native.Response{}
	if t.namespaced && about.Namespace == "" {
		// The request has no namespace, although a server would find one in the URL. Any name will
		// do, because the name does not affect the result.
		t.namespace = metav1.NamespaceDefault
	} else if t.namespaced {
		t.namespace = about.Namespace
	}
	var stored runtime.Object
	if r.Verb == native.Default {
		stored, err = t.decode(t.GroupVersionKind, r.Object, false)
	} else {
		ctx := warning.WithWarningRecorder(t.context(&about, r.Verb), (*warnings)(response))
		stored, err = e.write(ctx, t, &about, &r)
	}
	if err == nil {
		response.Object, err = t.encode(stored, &about, &r)
	}
	if err != nil {
		response.Object, response.Status = nil, statusOf(err)
	}
	return response
}

// write sends a request to the storage. It returns the internal version of the object
// that the storage would store.
func (e *Engine) write(ctx context.Context, t *target, meta *metav1.PartialObjectMetadata, r *request) (runtime.Object, error) {
	kind := t.GroupVersionKind
	if t.subresource == scale {
		kind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	}
	object, err := t.decode(kind, r.Object, r.Verb == native.Apply)
	if err != nil {
		return nil, err
	}
	if e.store.live = nil; r.Live != nil {
		live, err := t.decode(t.GroupVersionKind, r.Live, false)
		if err != nil {
			return nil, err
		}
		if live, err = t.asCreated(ctx, object, live); err != nil {
			return nil, err
		}
		if err := setSystemMetadata(object, live); err != nil {
			return nil, err
		}
		e.store.live = live
	}
	if creater, ok := t.storage.(rest.Creater); ok && r.Live == nil && (r.Verb == native.Create || meta.Name == "") {
		return creater.Create(ctx, object, nil, &metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	}
	updater, ok := t.storage.(rest.Updater)
	if !ok {
		return nil, apierrors.NewMethodNotSupported(schema.GroupResource{Group: t.Group, Resource: t.resource}, string(r.Verb))
	}
	stored, _, err := updater.Update(ctx, meta.Name, rest.DefaultUpdatedObjectInfo(object), rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, true,
		&metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil && t.subresource == scale {
		return e.store.written, nil // the result is a Scale, but the caller needs the scaled object
	}
	return stored, err
}

// scale is the subresource whose request body is a Scale.
const scale = "scale"

// context returns the context that an API server creates for a request with this verb.
func (t *target) context(meta *metav1.PartialObjectMetadata, verb native.Verb) context.Context {
	if verb == native.Apply {
		verb = "patch"
	}
	ctx := genericrequest.WithNamespace(context.Background(), t.namespace)
	ctx = genericrequest.WithUser(ctx, &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}})
	return genericrequest.WithRequestInfo(ctx, &genericrequest.RequestInfo{
		IsResourceRequest: true, Verb: string(verb), APIPrefix: "apis", APIGroup: t.Group, APIVersion: t.Version,
		Namespace: t.namespace, Resource: t.resource, Subresource: t.subresource, Name: meta.Name,
	})
}

// decode returns an object in the internal version of its kind, with defaults. If apply is true, the
// data is the merged object of an apply. If apply is false, the data is a request body. A server uses
// different decoders for the two, which return different errors.
func (t *target) decode(kind schema.GroupVersionKind, data []byte, apply bool) (runtime.Object, error) {
	versioned, err := legacyscheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	if apply {
		content := &unstructured.Unstructured{}
		if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &content.Object); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content.Object, versioned); err != nil {
			return nil, fmt.Errorf("failed to convert new object (%s/%s; %v) to proper version: unable to convert unstructured object to %[3]v: %[4]w",
				content.GetNamespace(), content.GetName(), kind, err)
		}
	} else if err := kjson.UnmarshalCaseSensitivePreserveInts(data, versioned); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind.Kind, kind.Version, kind.Kind, err))
	}
	if m, err := meta.Accessor(versioned); err == nil && m.GetNamespace() == "" {
		m.SetNamespace(t.namespace)
	}
	legacyscheme.Scheme.Default(versioned)
	return legacyscheme.Scheme.ConvertToVersion(versioned, schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal})
}

// asCreated completes a live object that was never on a server, and therefore has no UID. For example,
// a prediction returns such an object. asCreated sets a UID. A Job also gets the selector and the
// labels that a server generates, unless the live or the new Job already has a selector. asCreated
// sets them in both objects.
func (t *target) asCreated(ctx context.Context, object, live runtime.Object) (runtime.Object, error) {
	m, err := meta.Accessor(live)
	if err != nil || m.GetUID() != "" {
		return live, err
	}
	m.SetUID(liveUID)
	before, next := job(live), job(object)
	if before == nil || before.Spec.Selector != nil || next.Spec.Selector != nil {
		return live, nil
	}
	created, err := t.main.(rest.Creater).Create(ctx, live.DeepCopyObject(), nil, &metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return live, nil // the live object is invalid, but an update of it can still be valid
	}
	stored := job(created)
	m.SetUID(stored.UID)
	for _, j := range []*batch.Job{before, next} {
		j.Spec.Selector = stored.Spec.Selector.DeepCopy()
		if j.Spec.Template.Labels == nil {
			j.Spec.Template.Labels = map[string]string{}
		}
		for name, value := range stored.Spec.Template.Labels {
			if value == string(stored.UID) {
				j.Spec.Template.Labels[name] = value
			}
		}
	}
	return live, nil
}

func job(object runtime.Object) *batch.Job {
	j, _ := object.(*batch.Job)
	return j
}

// Live objects that lack system metadata get these values.
const (
	liveUID             = types.UID("0d1e0000-0000-4000-8000-000000000001")
	liveResourceVersion = "1"
)

var liveCreation = metav1.Unix(1, 0)

// setSystemMetadata completes the metadata of a live object with values that every stored object has,
// such as a creation time. It also adds the same values to the new object, if they are missing there.
func setSystemMetadata(object, live runtime.Object) error {
	l, err := meta.Accessor(live)
	if err != nil {
		return err
	}
	o, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	// On a server, resource versions are numbers. The engine uses a fixed version, because
	// nothing compares versions.
	l.SetResourceVersion(liveResourceVersion)
	o.SetResourceVersion(liveResourceVersion)
	if created := l.GetCreationTimestamp(); created.IsZero() {
		l.SetCreationTimestamp(liveCreation)
	}
	if o.GetUID() == "" {
		o.SetUID(l.GetUID())
	}
	if created := o.GetCreationTimestamp(); created.IsZero() {
		o.SetCreationTimestamp(l.GetCreationTimestamp())
	}
	return nil
}

// warnings collects the warnings for a response.
type warnings native.Response

func (w *warnings) AddWarning(_, text string) { w.Warnings = append(w.Warnings, text) }

func refused(err error) *native.Response { return &native.Response{Status: statusOf(err)} }

// statusOf returns the status with which an API server reports an error.
func statusOf(err error) *native.Status {
	s := responsewriters.ErrorToAPIStatus(err)
	status := &native.Status{Code: int(s.Code), Reason: string(s.Reason), Message: s.Message}
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			status.Causes = append(status.Causes, native.Cause{Field: c.Field, Reason: string(c.Type), Message: c.Message})
		}
	}
	return status
}
