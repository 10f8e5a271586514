// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"fmt"
	"log"

	"github.com/dovetail-ssa/dovetail/kube/crd"
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

// Validate reports why the API server would reject a CRD.
func ExampleDefinition_Validate() {
	defs, err := crd.Read("certificates.yaml", fmt.Appendf(nil, certificates, "0", ""))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range defs[0].Validate() {
		fmt.Println(f.Line, f.Rule, f.Message)
	}
	// Output:
	// 19 default-value invalid default: found 0: should be greater than or equal to 1
	// 24 key-without-default the key usage in x-kubernetes-list-map-keys is optional and has no default, so an item without the key cannot be identified; require the key, or add a default
}

// Validate reports the errors of an object of a custom kind.
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
	// .spec.usages[1].usage: missing, but required
	// .spec.usages[2]: found {usage: server} twice
}
