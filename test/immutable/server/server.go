// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/dovetail-ssa/dovetail/test/builtin"
)

// Kind is one version of a kind that the server stores.
type Kind struct {
	schema.GroupVersionKind
	resource string
	strategy strategy
}

// Namespaced reports whether objects of the kind belong to namespaces.
func (k *Kind) Namespaced() bool { return k.strategy.NamespaceScoped() }

// APIVersion returns the group and version.
func (k *Kind) APIVersion() string { return k.GroupVersion().String() }

// NeedsResourceVersion reports whether a server rejects an update without a resourceVersion.
func (k *Kind) NeedsResourceVersion() bool {
	ctx := request.WithRequestInfo(context.Background(), &request.RequestInfo{APIGroup: k.Group, APIVersion: k.Version})
	switch s := any(k.strategy).(type) {
	case interface{ AllowUnconditionalUpdate() bool }: // before Kubernetes 1.37
		return !s.AllowUnconditionalUpdate()
	case interface {
		AllowUnconditionalUpdate(context.Context) bool
	}:
		return !s.AllowUnconditionalUpdate(ctx)
	}
	return false
}

// Type returns the Go type of the version.
func (k *Kind) Type() reflect.Type { return legacyscheme.Scheme.AllKnownTypes()[k.GroupVersionKind] }

// removed reports whether servers of this release have stopped serving this version of the kind.
func removed(t reflect.Type) bool {
	life, ok := reflect.New(t).Interface().(interface{ APILifecycleRemoved() (major, minor int) })
	if !ok {
		return false
	}
	major, since := life.APILifecycleRemoved()
	return fmt.Sprintf("%d.%d", major, since) <= builtin.Minor // all these numbers have two digits
}

// removedVersions lists versions that no server serves any more, and whose Go types do not
// declare their removal.
var removedVersions = []schema.GroupVersion{
	{Group: "rbac.authorization.k8s.io", Version: "v1alpha1"}, {Group: "node.k8s.io", Version: "v1alpha1"}, {Group: "storage.k8s.io", Version: "v1alpha1"},
}

// Kinds returns all versions of all kinds of the release, sorted.
var Kinds = func() []*Kind {
	var kinds []*Kind
	for gvk, t := range legacyscheme.Scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal || removed(t) || slices.Contains(removedVersions, gvk.GroupVersion()) {
			continue
		}
		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		resource := plural.Resource
		if gvk.Kind == "Endpoints" {
			resource = "endpoints"
		}
		if s, ok := strategies[gvk.Group][resource]; ok {
			kinds = append(kinds, &Kind{gvk, resource, s})
		}
	}
	slices.SortFunc(kinds, func(a, b *Kind) int { return strings.Compare(a.String(), b.String()) })
	return kinds
}()

// Find returns a version of a kind, or nil.
func Find(apiVersion, kind string) *Kind {
	for _, k := range Kinds {
		if k.Kind == kind && k.APIVersion() == apiVersion {
			return k
		}
	}
	return nil
}

// Read decodes an object, sets its defaults, and converts it to the internal version.
func (k *Kind) Read(object map[string]any) (runtime.Object, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	versioned, err := legacyscheme.Scheme.New(k.GroupVersionKind)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, versioned); err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(versioned)
	if m, err := meta.Accessor(versioned); err == nil {
		// A server sets these fields in every stored object.
		m.SetUID(types.UID(cmp.Or(string(m.GetUID()), "0d1e0000-0000-4000-8000-000000000001")))
		m.SetResourceVersion(cmp.Or(m.GetResourceVersion(), "1"))
		if t := m.GetCreationTimestamp(); t.IsZero() {
			m.SetCreationTimestamp(metav1.Unix(1767225600, 0))
		}
	}
	internal, err := legacyscheme.Scheme.ConvertToVersion(versioned, schema.GroupVersion{Group: k.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return nil, err
	}
	return internal, nil
}

// Write converts an object to the version of the kind, and returns it as plain data.
func (k *Kind) Write(internal runtime.Object) (map[string]any, error) {
	versioned, err := legacyscheme.Scheme.ConvertToVersion(internal, k.GroupVersion())
	if err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(versioned)
	versioned.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return runtime.DefaultUnstructuredConverter.ToUnstructured(versioned)
}

// Complaint is one validation error.
type Complaint struct{ Field, Reason, Message string }

func (c Complaint) String() string { return c.Field + ": " + c.Message }

// Answer is the result of an update.
type Answer struct {
	// Update lists the errors about the change. Errors that would also occur if a client
	// created the new object, or updated the old object without a change, are not included.
	// Create lists the errors of creating the new object. Both are empty if the server accepts
	// the update.
	Update, Create []Complaint
	// Refused is true if the server rejects the update for any reason. Unchanged is true if the
	// server accepts the update and the stored object stays the same.
	Refused, Unchanged bool
	// Stored is the new stored object if the server accepts the update.
	Stored runtime.Object
}

// Update replaces an old object by the next one, as if a client updated it. It does not modify
// the two objects.
func (k *Kind) Update(old, next runtime.Object) (answer Answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	was, is := old.DeepCopyObject(), next.DeepCopyObject()
	k.fill(is, was)
	refused := rest.BeforeUpdate(k.strategy, k.context("update", is), is, was)
	if refused == nil {
		answer.Unchanged, answer.Stored = equality.Semantic.DeepEqual(is, was), is
		return answer, nil
	}
	answer.Refused = true
	is = next.DeepCopyObject()
	k.fill(is, old.DeepCopyObject())
	if m, err := meta.Accessor(is); err == nil {
		m.SetResourceVersion("")
	}
	answer.Create = complaints(rest.BeforeCreate(k.strategy, k.context("create", is), is))
	always := answer.Create
	was = old.DeepCopyObject()
	always = slices.Concat(always, complaints(rest.BeforeUpdate(k.strategy, k.context("update", was), was, old.DeepCopyObject())))
	for _, c := range complaints(refused) {
		if !slices.Contains(always, c) {
			answer.Update = append(answer.Update, c)
		}
	}
	return answer, nil
}

// Create creates an object.
func (k *Kind) Create(object runtime.Object) error {
	_, err := k.Created(object)
	return err
}

// Created creates an object and returns the stored object.
func (k *Kind) Created(object runtime.Object) (runtime.Object, error) {
	object = object.DeepCopyObject()
	if m, err := meta.Accessor(object); err == nil {
		m.SetResourceVersion("")
	}
	return object, rest.BeforeCreate(k.strategy, k.context("create", object), object)
}

// Complaints creates an object and returns the errors, or nil if the server accepts the
// object.
func (k *Kind) Complaints(object runtime.Object) (all []Complaint) {
	defer func() {
		if r := recover(); r != nil {
			all = []Complaint{{Message: fmt.Sprintf("panic: %v", r)}}
		}
	}()
	return complaints(k.Create(object))
}

// fill changes the next object as the server's store does before it calls the strategy.
func (k *Kind) fill(next, old runtime.Object) {
	n, _ := meta.Accessor(next)
	o, _ := meta.Accessor(old)
	if n.GetResourceVersion() == "" {
		n.SetResourceVersion(o.GetResourceVersion())
	}
	if service, ok := next.(*core.Service); ok {
		fillService(service, old.(*core.Service))
	}
}

func (k *Kind) context(verb string, object runtime.Object) context.Context {
	m, _ := meta.Accessor(object)
	ctx := request.WithNamespace(context.Background(), m.GetNamespace())
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: "admin", Groups: []string{"system:masters"}})
	return request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: verb, APIPrefix: "apis", APIGroup: k.Group, APIVersion: k.Version,
		Namespace: m.GetNamespace(), Resource: k.resource, Name: m.GetName(),
	})
}

func complaints(err error) []Complaint {
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return []Complaint{{Message: err.Error()}}
	}
	var all []Complaint
	for _, c := range status.Status().Details.Causes {
		all = append(all, Complaint{c.Field, string(c.Type), c.Message})
	}
	return all
}
