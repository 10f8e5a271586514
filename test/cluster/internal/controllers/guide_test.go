// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/dovetail-ssa/dovetail/kube/gate"
	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// The client of a manager applies objects, even before the cache of the manager has started.
func TestClient(t *testing.T) {
	crd, err := os.ReadFile("../../../../examples/database/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := newClient(newManager(t, crd))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(gate.Options{Release: "1.37"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { metrics.Registry.Unregister(g) }) // all gates have the same metrics
	if err := greet(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "greetings", Namespace: "default"}}); err != nil {
		t.Error(err)
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
	mgr := newManager(t, crd)
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
	direct, err := client.New(mgr.GetConfig(), client.Options{})
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

// The Go files in docs/controllers.md are the other files of this folder. The document shows other
// names for the package of the API types and the file with the CRD.
func TestControllersGuide(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, name := range files {
		if _, program, ok := strings.Cut(read(name), "\n\npackage "); ok && name != "guide_test.go" {
			want["package "+program] = true
		}
	}
	ours := strings.NewReplacer("example.com/operator/api/v1", "github.com/dovetail-ssa/dovetail/test/cluster/internal/controller/databasev1", `"crd.yaml"`, `"../../../../examples/database/crd.yaml"`)
	for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```\n").FindAllStringSubmatch(read("../../../../docs/controllers.md"), -1) {
		program := ours.Replace(block[1])
		if !want[program] {
			t.Errorf("no file of this folder has this program:\n%s", program)
		}
		delete(want, program)
	}
	for program := range want {
		t.Errorf("docs/controllers.md does not show this program:\n%s", program)
	}
}
