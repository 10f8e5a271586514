// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// An object in the list of a response gets the apiVersion and kind that are passed to
// ReadResponse. Its positions have no lines. Its numbers have the same Go types as
// numbers from files.
func TestAnswer(t *testing.T) {
	o, err := manifest.ReadResponse("the cluster", []byte(`{"metadata":{"name":"web"},"spec":{"replicas":3}}`), "apps/v1", "Deployment")
	if err != nil {
		t.Fatal(err)
	}
	if got := o.Identity().String(); got != "apps/v1 Deployment web" {
		t.Errorf("identity %s", got)
	}
	if got := o.Position(".spec.replicas").String(); got != "the cluster" {
		t.Errorf("position %s", got)
	}
	if v, _ := o.Value(".spec.replicas"); v != int64(3) {
		t.Errorf("replicas %#v", v)
	}
	in := o.InNamespace("shop")
	if got := in.Identity().String(); got != "apps/v1 Deployment shop/web" {
		t.Errorf("in a namespace: %s", got)
	}
	if v, _ := in.Value(".metadata.namespace"); v != "shop" {
		t.Errorf("namespace %v", v)
	}
	if v, ok := o.Value(".metadata.namespace"); ok {
		t.Errorf("Replaced changed the original object: %v", v)
	}
	if in.InNamespace("other") != in {
		t.Error("InNamespace changed the namespace of an object that has one")
	}
	for _, bad := range []string{"", "[]", "{", `{"kind":1}`, "{}{}"} {
		if _, err := manifest.ReadResponse("the cluster", []byte(bad), "", ""); err == nil {
			t.Errorf("%q is an object", bad)
		}
	}
}
