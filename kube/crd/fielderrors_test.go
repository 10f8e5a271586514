// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
)

const claimCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: claims.ex.io}
spec:
  group: ex.io
  names: {kind: Claim, plural: claims}
  scope: Namespaced
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
              class: {type: string, x-kubernetes-immutable: true}
              size: {type: integer, x-kubernetes-immutable: true}
              selector: {type: object, x-kubernetes-immutable: true, additionalProperties: {type: string}}
              labels: {type: object, x-kubernetes-immutable-keys: true, additionalProperties: {type: string}}
`

func claimType(t *testing.T) typed.ParseableType {
	t.Helper()
	catalog := openapi.New(openapi.Options{})
	if err := catalog.AddCRD("claims.yaml", []byte(claimCRD)); err != nil {
		t.Fatal(err)
	}
	pt, ok := catalog.Type("ex.io/v1", "Claim")
	if !ok {
		t.Fatal("no Claim")
	}
	return pt
}

func claim(spec map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "ex.io/v1", "kind": "Claim", "metadata": map[string]any{"name": "c"}, "spec": spec,
	}
}

// An error of package fieldmanager has the same text as the error that an API server
// returns for the same field errors.
func TestFieldErrorsHaveServerText(t *testing.T) {
	old := map[string]any{
		"class": "gold", "size": int64(3), "selector": map[string]any{"app": "x"}, "labels": map[string]any{"a": "b"},
	}
	for name, spec := range map[string]map[string]any{
		"changed": {"class": "iron", "size": int64(3), "selector": map[string]any{"app": "x"}, "labels": map[string]any{"a": "b"}},
		"removed": {"size": int64(3), "selector": map[string]any{"app": "x"}, "labels": map[string]any{"a": "b"}},
		"keys":    {"class": "gold", "size": int64(3), "selector": map[string]any{"app": "x"}, "labels": map[string]any{"c": "d"}},
		"all":     {"class": `a"b<c>`, "size": int64(4), "selector": map[string]any{"app": "<y>", "z": "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := fieldmanager.CheckTransition(claimType(t), claim(old), claim(spec), typed.TransitionOptions{})
			var found typed.TransitionErrors
			if !errors.As(err, &found) {
				t.Fatalf("got %v, want TransitionErrors", err)
			}
			server := apierrors.NewInvalid(schema.GroupKind{Group: "ex.io", Kind: "Claim"}, "c", crd.FieldErrors(found))
			if got, want := err.Error(), server.Error(); got != want {
				t.Errorf("fieldmanager: %s\na server:    %s", got, want)
			}
		})
	}
}
