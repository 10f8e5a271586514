// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"context"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/dovetail-ssa/dovetail/kube/gate"
)

// counting returns a fake client of controller-runtime. It counts requests in *sent.
func counting(sent *int) client.Client {
	return fake.NewClientBuilder().WithReturnManagedFields().WithInterceptorFuncs(interceptor.Funcs{
		Apply: func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			*sent++
			return c.Apply(ctx, obj, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			*sent++
			return c.Patch(ctx, obj, patch, opts...)
		},
	}).Build()
}

func TestClient(t *testing.T) {
	ctx := t.Context()
	sent := 0
	inner := counting(&sent)
	g := newGate(t, gate.Options{})
	c := gate.NewClient(inner, g, gate.ClientOptions{})
	apply := func(value string, opts ...client.ApplyOption) (gate.Decision, *v1.ConfigMapApplyConfiguration) {
		t.Helper()
		config := v1.ConfigMap("m", "n").WithData(map[string]string{"a": value})
		d, err := gate.Apply(ctx, c, config, "shop", opts...)
		if err != nil {
			t.Fatal(err)
		}
		return d, config
	}
	for i, step := range []struct {
		value string
		want  gate.Reason
		opts  []client.ApplyOption
		sent  int
	}{
		{"1", gate.NotFound, nil, 1},
		{"1", gate.Unchanged, nil, 1},
		{"2", gate.Changed, nil, 2},
		{"2", gate.Unchanged, []client.ApplyOption{client.ForceOwnership}, 2},
		{"2", gate.Asked, []client.ApplyOption{client.DryRunAll}, 3},
	} {
		d, answer := apply(step.value, step.opts...)
		if d.Reason != step.want || sent != step.sent {
			t.Errorf("step %d: %v, %d sent, want %s, %d", i, d, sent, step.want, step.sent)
		}
		if answer.UID == nil && answer.ResourceVersion == nil || answer.Data["a"] != step.value {
			t.Errorf("step %d: the answer is %v", i, text(t, answer))
		}
	}
	// The response replaces all fields of the object.
	u := &unstructured.Unstructured{Object: object(t, configMap("", `"a": "2"`))}
	//lint:ignore SA1019 many programs call it
	if err := c.Patch(ctx, u, client.Apply, client.FieldOwner("shop")); err != nil || sent != 3 || u.GetResourceVersion() == "" {
		t.Errorf("unstructured: %v, %d sent, %s", err, sent, text(t, u))
	}
	u = &unstructured.Unstructured{Object: object(t, configMap("", `"a": "2"`))}
	if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("shop")); err != nil || sent != 3 || u.GetResourceVersion() == "" {
		t.Errorf("unstructured configuration: %v, %d sent, %s", err, sent, text(t, u))
	}
	m := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: "m", Namespace: "n"}, Data: map[string]string{"a": "2"}}
	//lint:ignore SA1019 many programs call it
	if err := c.Patch(ctx, m, client.Apply, client.FieldOwner("shop")); err != nil || sent != 3 || m.ResourceVersion == "" {
		t.Errorf("typed: %v, %d sent, %s", err, sent, text(t, m))
	}
	if err := c.Patch(ctx, m, client.RawPatch("application/merge-patch+json", []byte(`{"data": {"b": "1"}}`))); err != nil || sent != 4 {
		t.Errorf("another patch: %v, %d sent", err, sent)
	}
	if err := testutil.CollectAndCompare(g, strings.NewReader(`
# HELP dovetail_gate_applies_total Server-side applies by group, kind, outcome (sent, or saved because it would change nothing) and reason.
# TYPE dovetail_gate_applies_total counter
dovetail_gate_applies_total{group="",kind="ConfigMap",outcome="saved",reason="unchanged"} 5
dovetail_gate_applies_total{group="",kind="ConfigMap",outcome="sent",reason="changed"} 1
dovetail_gate_applies_total{group="",kind="ConfigMap",outcome="sent",reason="not-found"} 1
`)); err != nil {
		t.Error(err)
	}
}

// old is a cache that always returns the same, old state.
type old struct {
	client.Reader
	state *corev1.ConfigMap
}

func (o *old) Get(ctx context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	o.state.DeepCopyInto(obj.(*corev1.ConfigMap))
	return nil
}

// If the client itself wrote a later version of the object than the version in the
// cache, the client sends the apply.
func TestStale(t *testing.T) {
	ctx := t.Context()
	sent := 0
	inner := counting(&sent)
	cache := &old{inner, &corev1.ConfigMap{}}
	c := gate.NewClient(inner, newGate(t, gate.Options{}), gate.ClientOptions{Live: cache})
	apply := func(value string) gate.Reason {
		t.Helper()
		d, err := gate.Apply(ctx, c, v1.ConfigMap("m", "n").WithData(map[string]string{"a": value}), "shop")
		if err != nil {
			t.Fatal(err)
		}
		return d.Reason
	}
	catchUp := func() {
		t.Helper()
		if err := inner.Get(ctx, client.ObjectKey{Namespace: "n", Name: "m"}, cache.state); err != nil {
			t.Fatal(err)
		}
	}
	apply("1")
	catchUp()
	for i, step := range []struct {
		value string
		want  gate.Reason
	}{{"1", gate.Unchanged}, {"2", gate.Changed}, {"1", gate.Stale}, {"1", gate.Stale}} {
		if got := apply(step.value); got != step.want {
			t.Errorf("step %d: got %s, want %s", i, got, step.want)
		}
	}
	catchUp()
	if got := apply("1"); got != gate.Unchanged {
		t.Errorf("after the cache has caught up, got %s", got)
	}
}

// The client must answer a dry run with the object that the server would store, and must
// not send it.
func TestAnswerDryRuns(t *testing.T) {
	ctx := t.Context()
	sent := 0
	inner := counting(&sent)
	c := gate.NewClient(inner, newGate(t, gate.Options{}), gate.ClientOptions{AnswerDryRuns: true})
	ask := func(owner, data string, opts ...client.PatchOption) (*unstructured.Unstructured, error) {
		u := &unstructured.Unstructured{Object: object(t, configMap("", data))}
		//lint:ignore SA1019 Flux calls it
		return u, c.Patch(ctx, u, client.Apply, append(opts, client.FieldOwner(owner))...)
	}
	got, err := ask("flux", `"a": "1"`, client.DryRunAll)
	if err != nil || got.GetResourceVersion() != "" || len(got.GetManagedFields()) != 1 || sent != 0 {
		t.Errorf("a new one: %v, %d sent, %s", err, sent, text(t, got))
	}
	if _, err := ask("flux", `"a": "1"`); err != nil || sent != 1 {
		t.Errorf("for real: %v, %d sent", err, sent)
	}
	got, err = ask("flux", `"a": "2"`, client.DryRunAll, client.ForceOwnership)
	if value, _, _ := unstructured.NestedString(got.Object, "data", "a"); err != nil || value != "2" || got.GetResourceVersion() == "" || sent != 1 {
		t.Errorf("a change: %v, %d sent, %s", err, sent, text(t, got))
	}
	if _, err = ask("other", `"a": "2"`, client.DryRunAll); !apierrors.IsConflict(err) || sent != 1 {
		t.Errorf("a conflict: %v, %d sent", err, sent)
	}
	var live corev1.ConfigMap
	if err := inner.Get(ctx, client.ObjectKey{Namespace: "n", Name: "m"}, &live); err != nil || live.Data["a"] != "1" {
		t.Errorf("%v, it is %v", err, live.Data)
	}
}
