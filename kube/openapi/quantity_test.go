// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

const quantityCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: apps.ex.io}
spec:
  group: ex.io
  names: {kind: App, plural: apps}
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
              size: &quantity
                anyOf: [{type: integer}, {type: string}]
                pattern: ^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$
                x-kubernetes-int-or-string: true
                default: 1Gi
                nullable: true
              limits: {type: object, additionalProperties: *quantity}
              sizes: {type: array, items: *quantity}
              port: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}
`

func TestQuantitiesOfACRD(t *testing.T) {
	for name, c := range map[string]*Catalog{"built-in": Builtin(Options{}), "alone": New(Options{})} {
		t.Run(name, func(t *testing.T) {
			if err := c.AddCRD("crd.yaml", []byte(quantityCRD)); err != nil {
				t.Fatal(err)
			}
			app, ok := c.Type("ex.io/v1", "App")
			if !ok {
				t.Fatal("no type")
			}
			root, _ := app.Schema.Resolve(app.TypeRef)
			field, _ := root.Map.FindField("spec")
			spec := field.Type.Inlined.Map
			is := func(r schema.TypeRef) bool { return r.NamedType != nil && *r.NamedType == schema.QuantityType }
			size, _ := spec.FindField("size")
			if !is(size.Type) || !size.Type.Nullable || size.Default != "1Gi" {
				t.Errorf("size: %v", size)
			}
			limits, _ := spec.FindField("limits")
			if !is(limits.Type.Inlined.Map.ElementType) {
				t.Errorf("limits: %v", limits)
			}
			sizes, _ := spec.FindField("sizes")
			if !is(sizes.Type.Inlined.List.ElementType) {
				t.Errorf("sizes: %v", sizes)
			}
			if port, _ := spec.FindField("port"); is(port.Type) {
				t.Error("a port is a quantity")
			}
			for _, object := range []typed.YAMLObject{`{spec: {size: 1, limits: {a: 1Gi, b: 0.5}, sizes: [1, 2Gi], port: 1}}`, `{spec: {size: null}}`} {
				if _, err := app.FromYAML(object); err != nil {
					t.Error(err)
				}
			}
			if _, err := app.FromYAML(`{spec: {size: {a: b}}}`); err == nil {
				t.Error("a map is a quantity")
			}
		})
	}
}

// All quantities in built-in types have the same type name.
func TestQuantitiesOfBuiltinTypes(t *testing.T) {
	pod, ok := Builtin(Options{}).Type("v1", "Pod")
	if !ok {
		t.Fatal("no Pod")
	}
	td, ok := pod.Schema.FindNamedType("io.k8s.api.core.v1.ResourceRequirements")
	if !ok {
		t.Fatal("no type")
	}
	limits, _ := td.Map.FindField("limits")
	if e := limits.Type.Inlined.Map.ElementType; e.NamedType == nil || *e.NamedType != schema.QuantityType {
		t.Errorf("got %v", limits)
	}
}

// A string field with the pattern of a quantity must remain a string field, as on an
// API server. The CRDs of volume snapshots have such fields.
func TestStringWithQuantityPattern(t *testing.T) {
	got := typeYAML(t, v3("  T: {type: object, properties: {restoreSize: {type: string, x-kubernetes-int-or-string: true, pattern: '"+quantityPattern+"'}}}\n"), "T")
	if !strings.Contains(got, "scalar: string") || strings.Contains(got, schema.QuantityType) {
		t.Errorf("got\n%s", got)
	}
}
