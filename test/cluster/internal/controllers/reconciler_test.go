// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"os"
	"testing"

	databasev1 "github.com/dovetail-ssa/dovetail/test/cluster/internal/controller/databasev1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// DatabaseReconciler applies a ConfigMap for each database.
type DatabaseReconciler struct{ client.Client }

func (r *DatabaseReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var db databasev1.Database
	if err := r.Get(ctx, req.NamespacedName, &db); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	settings := applycore.ConfigMap(db.Name, db.Namespace).WithData(map[string]string{"engine": db.Spec.Engine})
	return ctrl.Result{}, r.Apply(ctx, settings, client.FieldOwner("database-operator"), client.ForceOwnership)
}

func TestDatabaseReconciler(t *testing.T) {
	ctx := t.Context()
	crd, err := os.ReadFile("../../../../examples/database/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	server, err := testserver.Start(testserver.Options{Release: "1.37", Definitions: [][]byte{crd}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, databasev1.AddToScheme} {
		if err := add(types); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(server.Config(), client.Options{Scheme: types})
	if err != nil {
		t.Fatal(err)
	}

	db := &databasev1.Database{
		ObjectMeta: metav1.ObjectMeta{Name: "orders", Namespace: "default"},
		Spec:       databasev1.DatabaseSpec{Engine: "postgres"},
	}
	if err := c.Create(ctx, db); err != nil {
		t.Fatal(err)
	}
	if db.Spec.Replicas == nil || *db.Spec.Replicas != 1 {
		t.Errorf("the server did not set the default of replicas: %+v", db.Spec)
	}
	r := &DatabaseReconciler{c}
	if _, err := r.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(db)}); err != nil {
		t.Fatal(err)
	}
	var settings corev1.ConfigMap
	if err := c.Get(ctx, client.ObjectKeyFromObject(db), &settings); err != nil {
		t.Fatal(err)
	}
	if settings.Data["engine"] != "postgres" {
		t.Errorf("got the engine %q", settings.Data["engine"])
	}
}
