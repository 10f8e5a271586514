// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
)

func TestLint(t *testing.T) {
	crdtest.CheckBlocks(t, "testdata/lint.txt", func(t *testing.T, in string) string {
		d := crdtest.Read(t, crdtest.Document(in))
		if found := d.Validate(); len(found) > 0 {
			t.Errorf("Validate reports errors: %v", found)
		}
		return lines(d.Lint())
	})
}

// Lint ignores versions that are not served. It returns nothing for a CRD that was not
// read completely.
func TestLintIgnores(t *testing.T) {
	in := crdtest.Document("{type: object, properties: {a: {type: array, items: {type: string}}}}")
	if got := crdtest.Read(t, in).Lint(); len(got) != 1 {
		t.Fatalf("got %v", got)
	}
	if got := crdtest.Read(t, strings.Replace(in, "served: true", "served: false", 1)).Lint(); len(got) > 0 {
		t.Errorf("got %v", got)
	}
	if got := crdtest.Read(t, crdtest.Head+`        {"type": "object", "not": `+strings.Repeat(`{"not": `, 1000)+"{}"+strings.Repeat("}", 1001)).Lint(); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

// A key has different defaults in two versions, so a list item without the key is a
// different item in each version.
func TestLintKeyDefaults(t *testing.T) {
	version := func(name, storage, protocol string) string {
		return `{"name": "` + name + `", "served": true, "storage": ` + storage + `, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
			"ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"], "items": {"type": "object", "required": ["port"], "properties": {
				"port": {"type": "integer"}, "protocol": {"type": "string", "default": ` + protocol + `}}}}}}}}}}`
	}
	for protocol, want := range map[string]int{`"TCP"`: 0, `"UDP"`: 1} {
		d := crdtest.Read(t, `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "svcs.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
			"names": {"kind": "Svc", "plural": "svcs"}, "versions": [`+version("v1", "true", `"TCP"`)+", "+version("v2", "false", protocol)+`]}}`)
		found := d.Lint()
		if len(found) != want || want > 0 && found[0].Rule != crd.KeyDefaultDiffers {
			t.Errorf("%s: got %v", protocol, found)
		}
	}
}
