// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"strings"
	"testing"
)

// A CRD of v1beta1 is converted to v1. The paths in its errors are still those of the
// v1beta1 document.
func TestBetaCRD(t *testing.T) {
	const doc = `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: apps.ex.io}
spec:
  group: ex.io
  names: {kind: App, plural: apps}
  preserveUnknownFields: false
  versions: [{name: v1, served: true, storage: true}, {name: v2, served: true}]
  subresources: {status: {}}
  validation: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {mode: {type: string, default: fast}}}}}}
`
	c := New(Options{})
	if err := c.AddCRD("doc", []byte(doc)); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"ex.io/v1", "ex.io/v2"} {
		k, ok := c.Kind(version, "App")
		if !ok || k.Scope != Namespaced || len(k.Subresources) != 1 {
			t.Fatalf("%s: got %+v", version, k)
		}
		app, _ := c.Type(version, "App")
		if v, err := app.Default(map[string]any{"spec": map[string]any{}}); err != nil || v.(map[string]any)["spec"].(map[string]any)["mode"] != "fast" {
			t.Errorf("got %v, %v", v, err)
		}
		if _, err := app.FromYAML("{spec: {x: 1}}"); err == nil {
			t.Error("an undeclared field was accepted")
		}
	}
	all := New(Options{})
	if err := all.AddCRD("doc", []byte(strings.Replace(doc, "  preserveUnknownFields: false\n", "", 1))); err != nil {
		t.Fatal(err)
	}
	app, _ := all.Type("ex.io/v1", "App")
	if _, err := app.FromYAML("{spec: {x: 1}}"); err != nil {
		t.Errorf("v1beta1 must keep unknown fields: %v", err)
	}
	for in, want := range map[string]string{
		strings.Replace(doc, "type: string", "type: 5", 1):                                                             "doc: spec.validation.openAPIV3Schema.properties.spec.properties.mode.type: ",
		strings.Replace(doc, "storage: true}, {name: v2, served: true}]", "schema: {openAPIV3Schema: {type: x}}}]", 1): "doc: spec.versions[0].schema.openAPIV3Schema.type: ",
	} {
		if err := New(Options{}).AddCRD("doc", []byte(in)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s…", err, want)
		}
	}
}
