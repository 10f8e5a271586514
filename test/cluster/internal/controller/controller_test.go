// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package controller runs a controller against the test server.
package controller

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dovetail-ssa/dovetail/kube/gate"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// TestController runs a controller with a manager, a cache and a gate against the test server.
// The controller must restore fields that others change, and get conflicts, as in a real
// cluster.
func TestController(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server, err := testserver.Start(testserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	skip := true
	mgr, err := ctrl.NewManager(server.Config(), ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: "0"}, Controller: ctrlconfig.Controller{SkipNameValidation: &skip},
	})
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(gate.Options{Release: openapi.Release()})
	if err != nil {
		t.Fatal(err)
	}
	c := gate.NewClient(mgr.GetClient(), g, gate.ClientOptions{Live: mgr.GetCache()})
	greet := func() *applycore.ConfigMapApplyConfiguration {
		return applycore.ConfigMap("greeting", "default").WithData(map[string]string{"says": "hello"})
	}
	var reconciled atomic.Int64
	err = ctrl.NewControllerManagedBy(mgr).For(&corev1.ConfigMap{}).Complete(reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
		if r.Name != "greeting" {
			return reconcile.Result{}, nil
		}
		reconciled.Add(1)
		_, err := gate.Apply(ctx, c, greet(), "greeter", client.ForceOwnership)
		return reconcile.Result{}, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := mgr.Start(ctx); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}()
	direct, err := client.New(server.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "greeting", Namespace: "default"}, Data: map[string]string{"says": "nothing"}}
	if err := direct.Create(ctx, m, client.FieldOwner("somebody")); err != nil {
		t.Fatal(err)
	}
	for m.Data["says"] != "hello" {
		if err := direct.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
			t.Fatalf("after %d reconciles, the object has %v", reconciled.Load(), m.Data)
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err := direct.Apply(ctx, greet().WithData(map[string]string{"says": "bye"}), client.FieldOwner("other")); !apierrors.IsConflict(err) {
		t.Errorf("an apply by another manager must conflict, got %v", err)
	}
}
