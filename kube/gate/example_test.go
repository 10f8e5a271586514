// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/dovetail-ssa/dovetail/kube/gate"
)

// A reconciler applies the same configuration in each run. The gate sends only the applies
// that change something.
func Example() {
	g, err := gate.New(gate.Options{Release: "1.37"})
	if err != nil {
		panic(err)
	}
	// In a controller: gate.NewClient(mgr.GetClient(), g, gate.ClientOptions{Live: mgr.GetCache()}), and
	// metrics.Registry.MustRegister(g).
	c := gate.NewClient(fake.NewClientBuilder().WithReturnManagedFields().Build(), g, gate.ClientOptions{})
	reconcile := func(greeting string) {
		want := v1.ConfigMap("greetings", "shop").WithData(map[string]string{"hello": greeting})
		decision, err := gate.Apply(context.Background(), c, want, "greeter", client.ForceOwnership)
		fmt.Println(decision, decision.Send(), err)
	}
	reconcile("hello")
	reconcile("hello")
	reconcile("good morning")
	// Output:
	// not-found true <nil>
	// unchanged false <nil>
	// changed true <nil>
}

// Argo CD's server-side diff makes a dry run of each apply. The gate answers the dry run
// with the help of the live object in the cache.
func ExampleDryRunner() {
	g, err := gate.New(gate.Options{Release: "1.37"})
	if err != nil {
		panic(err)
	}
	cached := map[string]*unstructured.Unstructured{"greetings": {Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"namespace": "shop", "name": "greetings", "managedFields": []any{map[string]any{
			"manager": "argocd-controller", "operation": "Apply", "apiVersion": "v1", "time": "2026-02-10T08:00:00Z",
			"fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:data": map[string]any{"f:hello": map[string]any{}}},
		}}},
		"data": map[string]any{"hello": "hello"},
	}}}
	runner := &gate.DryRunner{Gate: g, Live: func(_ context.Context, applied *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return cached[applied.GetName()], nil
	}}
	// diff.StateDiff(live, config, diff.WithServerSideDryRunner(runner), …)
	stored, err := runner.Run(context.Background(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"namespace": "shop", "name": "greetings"},
		"data":     map[string]any{"bye": "good night"},
	}}, "argocd-controller")
	var object unstructured.Unstructured
	fmt.Println(err, object.UnmarshalJSON([]byte(stored)), object.Object["data"])
	// Output:
	// <nil> <nil> map[bye:good night]
}
