// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
)

// twoVersions is a CRD with the storage version v1 and the version v2. Each of them has a
// field and a default that the other lacks.
const twoVersions = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  scope: Namespaced
  conversion: CONVERSION
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              both: {type: string}
              mode: {type: string, default: stored}
              old: {type: string, default: first}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              both: {type: string, default: second}
              mode: {type: string}
              new: {type: string, default: second}
`

func TestReadBack(t *testing.T) {
	thing := func(version string, spec map[string]any) map[string]any {
		return map[string]any{"apiVersion": "example.com/" + version, "kind": "Thing", "metadata": map[string]any{"name": "a"}, "spec": spec}
	}
	for _, c := range []struct {
		name, conversion, version string
		spec, want                map[string]any
	}{
		{"the stored version", "{strategy: None}", "v1", map[string]any{"new": "x"}, map[string]any{"mode": "stored", "old": "first"}},
		{"another version", "{strategy: None}", "v2", map[string]any{}, map[string]any{"mode": "stored"}},
		{"fields that one version does not have", "{strategy: None}", "v2", map[string]any{"old": "x", "new": "y", "both": "z"}, map[string]any{"mode": "stored", "both": "z"}},
		{"a null", "{strategy: None}", "v2", map[string]any{"both": nil}, map[string]any{"mode": "stored"}},
		{"no strategy", "{}", "v2", map[string]any{}, map[string]any{"mode": "stored"}},
		{"a webhook", "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com'}}}", "v2",
			map[string]any{}, map[string]any{"both": "second", "new": "second"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := crdtest.Read(t, strings.Replace(twoVersions, "CONVERSION", c.conversion, 1))
			v, ok := d.Version(c.version)
			if !ok {
				t.Fatal("no version", c.version)
			}
			sent := thing(c.version, c.spec)
			got, err := v.ReadBack(sent)
			if err != nil {
				t.Fatal(err)
			}
			if want := thing(c.version, c.want); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
			if !reflect.DeepEqual(sent, thing(c.version, c.spec)) {
				t.Errorf("the object was changed: %v", sent)
			}
		})
	}
}

func TestReplicasPath(t *testing.T) {
	const scale = "subresources: {scale: {specReplicasPath: .spec.a.b, statusReplicasPath: .status.a}}"
	for with, want := range map[string]string{scale: ".spec.a.b", "subresources: {status: {}}": "", "deprecated: true": ""} {
		d := crdtest.Read(t, strings.Replace(strings.Replace(twoVersions, "CONVERSION", "{strategy: None}", 1), "served: true", "served: true\n    "+with, 1))
		if got := d.Versions[0].ReplicasPath().String(); got != want {
			t.Errorf("%s: got %q, want %q", with, got, want)
		}
	}
}
