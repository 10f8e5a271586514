// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

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

// Translate generates rules for the markers of a CRD. Changes returns the edits that add
// the rules to the CRD's file.
func ExampleTranslate() {
	out, err := manifest.Edit("volumes.yaml", []byte(volumes), func(o *manifest.Object) ([]manifest.Change, error) {
		t, err := cel.Translate(crd.New(o), cel.Options{})
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

// A policy enforces a marker that generated rules cannot enforce exactly.
func ExampleTranslation_Policy() {
	defs, err := crd.Read("volumes.yaml", []byte(strings.Replace(volumes, "zone: {type: string", "zone: {type: string, nullable: true", 1)))
	if err != nil {
		log.Fatal(err)
	}
	t, err := cel.Translate(defs[0], cel.Options{Policy: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range t.Doubts {
		fmt.Println(d.Field, d.Reason)
	}
	objects, notEnforced := t.Policy()
	for _, o := range objects {
		fmt.Println(o["kind"])
	}
	for _, d := range notEnforced {
		fmt.Println(d.Field, d.Reason)
	}
	// Output:
	// .zone null-absent
	// ValidatingAdmissionPolicy
	// ValidatingAdmissionPolicyBinding
	// .tags[*] no-index
}
