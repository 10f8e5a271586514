// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// frozen is a schema with a pod template, and with the labels of a selector, which an update
// must not change. The benchmark replaces TEMPLATE and SELECTOR by a marker, or by a CEL rule
// as in current clusters.
const frozen = `{"type": "object", "properties": {"spec": {"type": "object", "properties": {
  "replicas": {"type": "integer"},
  "selector": {"type": "object" SELECTOR, "properties": {"matchLabels": {"type": "object", "additionalProperties": {"type": "string"}}}},
  "template": {"type": "object" TEMPLATE, "properties": {"containers": {"type": "array", "maxItems": 100, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
    "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "image": {"type": "string"},
      "args": {"type": "array", "items": {"type": "string"}},
      "env": {"type": "array", "maxItems": 100, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "value": {"type": "string"}}}}}}}}}}}}}`

func frozenBy(place, how string) string {
	s := frozen
	for _, p := range []string{"SELECTOR", "TEMPLATE"} {
		with := ""
		if p == place {
			with = ", " + how
		}
		s = strings.Replace(s, " "+p, with, 1)
	}
	return s
}

func frozenObject(replicas int64) map[string]any {
	var containers []any
	for i := range 4 {
		var env []any
		for j := range 12 {
			env = append(env, map[string]any{"name": fmt.Sprintf("CATALOGUE_SETTING_%d", j), "value": fmt.Sprintf("https://settings.example.com/%d/%d", i, j)})
		}
		containers = append(containers, map[string]any{
			"name": fmt.Sprintf("container-%d", i), "image": "registry.example.com/store/image:1.27.3",
			"args": []any{"--verbose=2", "--listen=0.0.0.0:8080"}, "env": env,
		})
	}
	return map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "spec": map[string]any{
		"replicas": replicas, "selector": map[string]any{"matchLabels": map[string]any{"app": "shop", "tier": "web", "part-of": "store", "env": "prod"}},
		"template": map[string]any{"containers": containers},
	}}
}

// BenchmarkImmutable compares the cost of an immutability marker with the cost of the CEL rule
// self == oldSelf.
func BenchmarkImmutable(b *testing.B) {
	old, next := frozenObject(1), frozenObject(2)
	for _, place := range []string{"SELECTOR", "TEMPLATE"} {
		b.Run(strings.ToLower(place)+"/mark", func(b *testing.B) {
			c := openapi.New(openapi.Options{})
			if err := c.AddCRD("crd", []byte(`{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"group": "example.com", "scope": "Namespaced",
				"names": {"kind": "Widget", "plural": "widgets"}, "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": `+frozenBy(place, `"x-kubernetes-immutable": true`)+`}}]}}`)); err != nil {
				b.Fatal(err)
			}
			pt, ok := c.Type("example.com/v1", "Widget")
			if !ok {
				b.Fatal("no Widget")
			}
			x := typed.AsTypedUnvalidated(value.NewValueInterface(old), pt.Schema, pt.TypeRef)
			y := typed.AsTypedUnvalidated(value.NewValueInterface(next), pt.Schema, pt.TypeRef)
			b.ReportAllocs()
			for b.Loop() {
				if err := x.CheckTransition(y, typed.TransitionOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(strings.ToLower(place)+"/rule", func(b *testing.B) {
			var v1 apiextensionsv1.JSONSchemaProps
			if err := json.Unmarshal([]byte(frozenBy(place, `"x-kubernetes-validations": [{"rule": "self == oldSelf"}]`)), &v1); err != nil {
				b.Fatal(err)
			}
			var props apiextensions.JSONSchemaProps
			if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &props, nil); err != nil {
				b.Fatal(err)
			}
			s, err := structuralschema.NewStructural(&props)
			if err != nil {
				b.Fatal(err)
			}
			rules := cel.NewValidator(s, true, celconfig.PerCallLimit)
			b.ReportAllocs()
			for b.Loop() {
				if errs, _ := rules.Validate(context.Background(), nil, s, next, old, celconfig.RuntimeCELCostBudget); len(errs) > 0 {
					b.Fatal(errs)
				}
			}
		})
	}
}
