// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	v1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/dovetail-ssa/dovetail/kube/gate"
)

// lagging is a cache of one ConfigMap that lags behind. A nil state means that the
// ConfigMap does not exist.
type lagging struct {
	client.Reader
	states []*corev1.ConfigMap
	at     int
}

func (l *lagging) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	state := l.states[l.at]
	if state == nil {
		return apierrors.NewNotFound(corev1.Resource("configmaps"), "m")
	}
	state.DeepCopyInto(obj.(*corev1.ConfigMap))
	return nil
}

// record adds the current state on the server to the states that the cache can return.
func (l *lagging) record(t *testing.T, server client.Reader) {
	t.Helper()
	now := &corev1.ConfigMap{}
	err := server.Get(t.Context(), client.ObjectKey{Namespace: "n", Name: "m"}, now)
	switch {
	case apierrors.IsNotFound(err):
		now = nil
	case err != nil:
		t.Fatal(err)
	}
	l.states = append(l.states, now)
}

func (l *lagging) newest() *corev1.ConfigMap { return l.states[len(l.states)-1] }

// applyOne applies data a=1 and returns the reason for the gate's decision.
func applyOne(t *testing.T, c *gate.Client) gate.Reason {
	t.Helper()
	d, err := gate.Apply(t.Context(), c, v1.ConfigMap("m", "n").WithData(map[string]string{"a": "1"}), "shop", client.ForceOwnership)
	if err != nil {
		t.Fatal(err)
	}
	return d.Reason
}

// After the client has written an object, it sends all applies of the object until
// the cache shows the write.
func TestOwnWrites(t *testing.T) {
	ctx := t.Context()
	writes := map[string]func(c *gate.Client, m *corev1.ConfigMap) error{
		"update": func(c *gate.Client, m *corev1.ConfigMap) error {
			m.Data["a"] = "2"
			return c.Update(ctx, m)
		},
		"merge patch": func(c *gate.Client, m *corev1.ConfigMap) error {
			return c.Patch(ctx, m, client.RawPatch(types.MergePatchType, []byte(`{"data":{"a":"2"}}`)))
		},
		"delete":        func(c *gate.Client, m *corev1.ConfigMap) error { return c.Delete(ctx, m) },
		"delete all of": func(c *gate.Client, m *corev1.ConfigMap) error { return c.DeleteAllOf(ctx, m, client.InNamespace("n")) },
		"apply by another owner": func(c *gate.Client, _ *corev1.ConfigMap) error {
			_, err := gate.Apply(ctx, c, v1.ConfigMap("m", "n").WithData(map[string]string{"a": "2"}), "other", client.ForceOwnership)
			return err
		},
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			inner := fake.NewClientBuilder().WithReturnManagedFields().Build()
			cache := &lagging{Reader: inner, states: []*corev1.ConfigMap{nil}}
			c := gate.NewClient(inner, newGate(t, gate.Options{}), gate.ClientOptions{Live: cache})
			apply := func() gate.Reason { return applyOne(t, c) }
			apply()
			cache.record(t, inner)
			cache.at = 1
			if got := apply(); got != gate.Unchanged {
				t.Fatalf("before the write, an apply that changes nothing got the reason %s", got)
			}
			if err := write(c, cache.newest().DeepCopy()); err != nil {
				t.Fatal(err)
			}
			if got := apply(); got == gate.Unchanged {
				t.Error("an apply was skipped although the cache does not show the write yet")
			}
			cache.record(t, inner)
			if now := cache.newest(); now == nil || now.Data["a"] != "1" {
				t.Errorf("the server has %v", now)
			}
			cache.at = len(cache.states) - 1
			if got := apply(); got != gate.Unchanged {
				t.Errorf("after the cache shows the write, an apply that changes nothing got the reason %s", got)
			}
		})
	}
}

// If the response to a write was lost, the server may have stored the write. If the
// server rejected a write, it stored nothing.
func TestWriteWithoutAnswer(t *testing.T) {
	ctx := t.Context()
	var fail error
	inner := fake.NewClientBuilder().WithReturnManagedFields().WithInterceptorFuncs(interceptor.Funcs{
		Update: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
			if !apierrors.IsForbidden(fail) {
				if err := c.Update(ctx, obj, opts...); err != nil {
					return err
				}
			}
			return fail
		},
	}).Build()
	cache := &lagging{Reader: inner, states: []*corev1.ConfigMap{nil}}
	c := gate.NewClient(inner, newGate(t, gate.Options{}), gate.ClientOptions{Live: cache})
	apply := func() gate.Reason { return applyOne(t, c) }
	apply()
	cache.record(t, inner)
	cache.at = 1
	for _, test := range []struct {
		err  error
		want gate.Reason
	}{
		{apierrors.NewForbidden(corev1.Resource("configmaps"), "m", errors.New("no")), gate.Unchanged},
		{context.DeadlineExceeded, gate.Stale},
	} {
		m := cache.newest().DeepCopy()
		m.Data["a"] = "2"
		fail = test.err
		if err := c.Update(ctx, m); err == nil {
			t.Fatal("no error")
		}
		if got := apply(); got != test.want {
			t.Errorf("after %v: %s, want %s", test.err, got, test.want)
		}
	}
}

// Gauge is a custom resource with a field whose value Go writes in another form, such as 1
// for 1000m.
type Gauge struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Limit resource.Quantity `json:"limit"`
	} `json:"spec"`
}

func (g *Gauge) DeepCopyObject() runtime.Object {
	c := *g
	return &c
}

// oneObject is a reader that always returns the same object.
type oneObject struct {
	client.Reader
	object map[string]any
}

func (o oneObject) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(o.object, obj)
}

// A cache of Go types hides the original form of values in a custom resource. A cache of
// unstructured objects keeps it.
func TestSpellingInCache(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Gauge"}
	definition := object(t, `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gauges.example.com"}, "spec": {
		"group": "example.com", "names": {"kind": "Gauge", "plural": "gauges"}, "scope": "Namespaced", "versions": [{"name": "v1", "served": true, "storage": true,
		"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"limit": {"x-kubernetes-int-or-string": true}}}}}}}]}}`)
	live := object(t, `{"apiVersion": "example.com/v1", "kind": "Gauge", "metadata": {"name": "g", "namespace": "n", "uid": "1", "resourceVersion": "5", "generation": 1,
		"creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [{"manager": "shop", "operation": "Apply", "apiVersion": "example.com/v1",
		"time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:limit": {}}}}]}, "spec": {"limit": "1000m"}}`)
	for typed, want := range map[bool]gate.Reason{true: gate.Unchanged, false: gate.Changed} {
		scheme := runtime.NewScheme()
		if typed {
			scheme.AddKnownTypeWithName(kind, &Gauge{})
		}
		g := newGate(t, gate.Options{})
		if err := g.Define(&unstructured.Unstructured{Object: definition}); err != nil {
			t.Fatal(err)
		}
		inner := fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(interceptor.Funcs{
			Apply: func(context.Context, client.WithWatch, runtime.ApplyConfiguration, ...client.ApplyOption) error {
				return nil
			},
		}).Build()
		c := gate.NewClient(inner, g, gate.ClientOptions{Live: oneObject{inner, live}})
		applied := &unstructured.Unstructured{Object: object(t, `{"apiVersion": "example.com/v1", "kind": "Gauge", "metadata": {"name": "g", "namespace": "n"}, "spec": {"limit": "1"}}`)}
		d, err := gate.Apply(t.Context(), c, client.ApplyConfigurationFromUnstructured(applied), "shop")
		if err != nil || d.Reason != want {
			t.Errorf("typed %t: %v, %v, want %s", typed, d, err, want)
		}
	}
}
