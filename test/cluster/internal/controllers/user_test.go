// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// TestUserKeepsTheEngine checks that the controller does not overwrite a value that a user has set, and
// that the next reconcile changes nothing.
func TestUserKeepsTheEngine(t *testing.T) {
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
	var live corev1.ConfigMap
	reconcile := func() {
		settings := applycore.ConfigMap("orders", "default").WithData(map[string]string{"engine": "postgres", "size": "small"})
		if err := applyYielding(ctx, c, settings); err != nil {
			t.Fatal(err)
		}
		if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "orders"}, &live); err != nil {
			t.Fatal(err)
		}
	}
	reconcile()
	live.Data["engine"] = "mysql"
	if err := c.Update(ctx, &live, client.FieldOwner("user")); err != nil {
		t.Fatal(err)
	}
	reconcile()
	version := live.ResourceVersion
	reconcile()
	if live.Data["engine"] != "mysql" || live.Data["size"] != "small" {
		t.Errorf("the controller changed the engine: %v", live.Data)
	}
	if live.ResourceVersion != version {
		t.Error("a reconcile without a change wrote the object")
	}
}
