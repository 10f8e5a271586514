// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// document returns a CRD in which spec has the given schema, as JSON.
func document(t *testing.T, spec string) (*crd.Definition, map[string]any) {
	t.Helper()
	g := map[string]any{}
	doc := fmt.Sprintf(`{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": {"name": "things.example.com"},
		"spec": {"group": "example.com", "scope": "Cluster", "names": {"kind": "Thing", "plural": "things"},
			"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
				{"type": "object", "properties": {"spec": %s}}}}]}}`, spec)
	fromText(t, doc, &g)
	defs, err := crd.Read("crd", []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return defs[0], g
}

// TestIntended checks CRDs that the API server accepts and that package kube/crd must reject.
func TestIntended(t *testing.T) {
	deep := strings.Repeat(`{"type": "array", "items": `, 600) + `{"type": "string"}` + strings.Repeat("}", 600)
	for _, c := range []struct {
		id, spec string
		rule     crd.Rule
	}{
		{"map-value-defaults", `{"type": "object", "additionalProperties": {"type": "string", "default": 5}}`, openapi.DefaultValue},
		{"default-duplicates", `{"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}, "default": ["a", "a"]}`, crd.DefaultDuplicate},
		{"schema-depth", deep, crd.TooDeep},
		{"immutability", `{"type": "string", "x-kubernetes-immutable": false}`, crd.MarkerValue},
		{"immutability", `{"type": "string", "x-kubernetes-immutable-keys": true}`, crd.MarkerPlace},
	} {
		t.Run(c.id, func(t *testing.T) {
			d, doc := document(t, c.spec)
			if errs, err := upstream(t, doc); len(errs) > 0 || err != nil {
				t.Fatalf("the API server rejects the CRD, too: %v %v", errs, err)
			}
			if found := d.Validate(); len(found) != 1 || found[0].Rule != c.rule {
				t.Errorf("got %v, want one finding %s", found, c.rule)
			}
		})
	}
}

// TestServerPanics checks CEL rules below the items of a value that is not a list. kube/crd
// must reject such rules, because they make the API server panic (server-panics in
// DIFFERENCES.md).
func TestServerPanics(t *testing.T) {
	const rule = `"x-kubernetes-validations": [{"rule": "true"}]`
	d, doc := document(t, `{"type": "object", `+rule+`, "items": {"type": "object", "properties": {"a": {"type": "string", `+rule+`}}}}`)
	if _, err := upstream(t, doc); !errors.Is(err, errPanic) {
		t.Fatalf("the API server does not panic: %v", err)
	}
	if found := d.Validate(); len(found) != 1 || found[0].Rule != crd.Validations {
		t.Errorf("got %v, want one finding %s", found, crd.Validations)
	}
}
