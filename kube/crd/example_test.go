// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

const certificates = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: certificates.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Certificate, plural: certificates}
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
              days: {type: integer, minimum: 1, default: %s}
              usages:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [usage]
                items: {type: object, required: [%s], properties: {usage: {type: string}}}
`

// A CRD that the API server would refuse.
func ExampleDefinition_Validate() {
	defs, err := crd.Read("certificates.yaml", fmt.Appendf(nil, certificates, "0", ""))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range defs[0].Validate() {
		fmt.Println(f.Line, f.Rule, f.Message)
	}
	// Output:
	// 24 key-without-default want usage required or with a default, since it is in x-kubernetes-list-map-keys: an item without it would have no identity
}

// An object of a kind that a CRD defines.
func ExampleVersion_Validate() {
	defs, err := crd.Read("certificates.yaml", fmt.Appendf(nil, certificates, "90", "usage"))
	if err != nil {
		log.Fatal(err)
	}
	v, _ := defs[0].Version("v1")
	found, err := v.Validate(map[string]any{
		"apiVersion": "example.com/v1", "kind": "Certificate",
		"metadata": map[string]any{"name": "web"},
		"spec": map[string]any{
			"days":   -1,
			"usages": []any{map[string]any{"usage": "server"}, map[string]any{}, map[string]any{"usage": "server"}},
		},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range found {
		fmt.Println(f)
	}
	// Output:
	// .spec.days: found -1: should be greater than or equal to 1
	// .spec.usages[1].usage: found nothing, which is required
	// .spec.usages[2]: found {usage: server} twice
}

const volumes = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: volumes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Volume, plural: volumes}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          # Where the data is.
          zone: {type: string, x-kubernetes-immutable: true}
          tags:
            type: array
            items: {type: string, x-kubernetes-immutable: true}
`

// A CRD gets rules for its markers, in its file.
func ExampleTranslate() {
	out, err := manifest.Edit("volumes.yaml", []byte(volumes), func(o *manifest.Object) ([]manifest.Change, error) {
		t, err := crd.Translate(crd.FromObject(o), crd.Options{})
		if err != nil {
			return nil, err
		}
		for _, r := range t.Rules {
			fmt.Println(r.FieldPath, r.Message)
		}
		for _, m := range t.Missing {
			fmt.Println(m.Line, m.Bounds[0].Keyword, m.Bounds[0].Most)
		}
		return t.Changes(), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	_, rule, _ := strings.Cut(string(out), "rule: ")
	fmt.Print(rule)
	// Output:
	// .zone field is immutable
	// 20 maxItems 16
	// 'has(self.zone) == has(oldSelf.zone) && (!has(self.zone) || self.zone == oldSelf.zone) // dovetail: x-kubernetes-immutable'
}

// What rules cannot say, a policy can.
func ExampleTranslation_Policy() {
	defs, err := crd.Read("volumes.yaml", []byte(strings.Replace(volumes, "zone: {type: string", "zone: {type: string, nullable: true", 1)))
	if err != nil {
		log.Fatal(err)
	}
	t, err := crd.Translate(defs[0], crd.Options{Policy: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range t.Doubts {
		fmt.Println(d.Field, d.Reason)
	}
	objects, left := t.Policy()
	for _, o := range objects {
		fmt.Println(o["kind"])
	}
	for _, d := range left {
		fmt.Println(d.Field, d.Reason)
	}
	// Output:
	// .zone null-absent
	// ValidatingAdmissionPolicy
	// ValidatingAdmissionPolicyBinding
	// .tags[*] no-index
}
