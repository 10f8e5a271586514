// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"context"
	"fmt"

	"k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/dovetail-ssa/dovetail/kube/gate"
)

// A reconciler applies what it wants each time, and the gate sends what changes something.
func Example() {
	g, err := gate.New(gate.Options{Release: "1.37"})
	if err != nil {
		panic(err)
	}
	// In a controller: gate.Through(mgr.GetClient(), g, mgr.GetCache()), and
	// metrics.Registry.MustRegister(g).
	c := gate.Through(fake.NewClientBuilder().WithReturnManagedFields().Build(), g, nil)
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
