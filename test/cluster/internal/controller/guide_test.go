// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/kube/gate"
	"github.com/dovetail-ssa/dovetail/kube/testserver"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/controller/databasev1"
)

// define passes the CRD in a YAML file to the gate.
func define(g *gate.Gate, crd []byte) error {
	definition := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(crd, definition); err != nil {
		return err
	}
	return g.Define(definition)
}

// followDefinitions passes each CRD of the cluster to the gate, and each change of a CRD. Call it
// before you start the manager.
func followDefinitions(ctx context.Context, mgr ctrl.Manager, g *gate.Gate) error {
	definition := &unstructured.Unstructured{}
	definition.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	informer, err := mgr.GetCache().GetInformer(ctx, definition)
	if err != nil {
		return err
	}
	define := func(object any) {
		if err := g.Define(object.(runtime.Object)); err != nil {
			mgr.GetLogger().Error(err, "cannot read a CRD")
		}
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    define,
		UpdateFunc: func(_, object any) { define(object) },
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			g.Forget(object.(client.Object).GetName())
		},
	})
	return err
}

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

// A gate knows custom resources from a file or from an informer. It sends the applies of other
// custom resources.
func TestDefinitions(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	crd, err := os.ReadFile("../../../../examples/database/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	server, err := testserver.Start(testserver.Options{Release: "1.37", Definitions: [][]byte{crd}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	mgr, err := ctrl.NewManager(server.Config(), ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	gates := make([]*gate.Gate, 3)
	for i := range gates {
		if gates[i], err = gate.New(gate.Options{Release: "1.37"}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(g *gate.Gate) gate.Decision {
		return g.Check(nil, map[string]any{"apiVersion": "db.example.com/v1", "kind": "Database", "metadata": map[string]any{"name": "a", "namespace": "default"}}, "me", "")
	}
	if d := check(gates[0]); d.Reason != gate.UnknownType || !strings.Contains(d.Err.Error(), "call Gate.Define") {
		t.Errorf("without a definition: got %v, %v", d, d.Err)
	}
	if err := define(gates[1], crd); err != nil {
		t.Fatal(err)
	}
	if d := check(gates[1]); d.Reason != gate.NotFound {
		t.Errorf("with a file: got %v, %v", d, d.Err)
	}
	if err := followDefinitions(ctx, mgr, gates[2]); err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := mgr.Start(ctx); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}()
	for check(gates[2]).Reason != gate.NotFound {
		select {
		case <-ctx.Done():
			t.Fatal("the informer did not define the custom resource")
		case <-time.After(10 * time.Millisecond):
		}
	}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "databases.db.example.com"}}}
	direct, err := client.New(server.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := direct.Delete(ctx, object); err != nil {
		t.Fatal(err)
	}
	for check(gates[2]).Reason != gate.UnknownType {
		select {
		case <-ctx.Done():
			t.Fatal("the informer did not remove the custom resource")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// applyYielding applies settings without force. If another manager has changed the engine, it applies
// the other settings, and the field keeps the value of the other manager.
func applyYielding(ctx context.Context, c client.Client, settings *applycore.ConfigMapApplyConfiguration) error {
	const owner = client.FieldOwner("database-operator")
	err := c.Apply(ctx, settings, owner)
	var status apierrors.APIStatus
	if !apierrors.IsConflict(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return err
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict || cause.Field != ".data.engine" {
			return err // the controller does not yield this field
		}
	}
	delete(settings.Data, "engine")
	return c.Apply(ctx, settings, owner)
}

// applyYielding keeps the value of a user, and still applies the other settings. After a forced
// apply, leaving the field out removes the value.
func TestApplyYielding(t *testing.T) {
	ctx := t.Context()
	server, err := testserver.Start(testserver.Options{Release: "1.37"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	c, err := client.New(server.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	settings := func(mode string) *applycore.ConfigMapApplyConfiguration {
		return applycore.ConfigMap("orders", "default").WithData(map[string]string{"engine": "postgres", "mode": mode})
	}
	expect := func(engine, mode string) {
		t.Helper()
		var got corev1.ConfigMap
		if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "orders"}, &got); err != nil {
			t.Fatal(err)
		}
		if got.Data["engine"] != engine || got.Data["mode"] != mode {
			t.Errorf("got %v, want the engine %q and the mode %q", got.Data, engine, mode)
		}
	}
	if err := applyYielding(ctx, c, settings("a")); err != nil {
		t.Fatal(err)
	}
	expect("postgres", "a")
	user := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "orders", Namespace: "default"}}
	if err := c.Patch(ctx, user, client.RawPatch("application/merge-patch+json", []byte(`{"data": {"engine": "mysql"}}`)), client.FieldOwner("user")); err != nil {
		t.Fatal(err)
	}
	if err := applyYielding(ctx, c, settings("b")); err != nil {
		t.Fatal(err)
	}
	expect("mysql", "b")
	if err := c.Apply(ctx, settings("b"), client.FieldOwner("database-operator"), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	expect("postgres", "b")
	if err := c.Apply(ctx, applycore.ConfigMap("orders", "default").WithData(map[string]string{"mode": "b"}), client.FieldOwner("database-operator")); err != nil {
		t.Fatal(err)
	}
	expect("", "b")
}

// The functions in docs/controllers.md are the functions of this file.
func TestControllersGuide(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	source, found := read("guide_test.go"), 0
	for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```\n").FindAllStringSubmatch(read("../../../../docs/controllers.md"), -1) {
		if program := block[1]; strings.Contains(program, "\nfunc ") || strings.HasPrefix(program, "func ") {
			found++
			if !strings.Contains(source, program) {
				t.Errorf("this program is not in guide_test.go:\n%s", program)
			}
		}
	}
	if found != 4 {
		t.Errorf("found %d programs in the document, want 4", found)
	}
}
