// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          a.b: {type: string, x-kubernetes-immutable: true}
          list:
            type: array
            maxItems: 3
            x-kubernetes-list-type: map
            x-kubernetes-list-map-keys: [k]
            items: {type: object, properties: {k: {type: string}}, anyOf: [{required: [k]}]}
          map: {additionalProperties: {type: integer}, maxProperties: -1, x-kubernetes-deletion-only: true}
          wrong: {type: 5, properties: [x]}
  - name: v2
    subresources: {status: {}}
`

const oldDefinition = `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
spec:
  version: v1
  subresources: {status: {}}
  validation: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}
`

func read(t *testing.T, text string, report ReportFunc) (map[string]any, *Document) {
	t.Helper()
	docs, err := manifest.ReadValues("crd.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	content := docs[0].(map[string]any)
	return content, Read(content, report)
}

// The path in each node's place must lead to the node's own data in the document.
func TestNodesKnowTheirPlaces(t *testing.T) {
	for _, text := range []string{definition, oldDefinition} {
		content, doc := read(t, text, nil)
		count := 0
		var walk func(n *Node)
		walk = func(n *Node) {
			count++
			var v any = content
			for _, step := range n.At.Steps() {
				switch step := step.(type) {
				case string:
					v = v.(map[string]any)[step]
				case int:
					v = v.([]any)[step]
				}
			}
			if !reflect.DeepEqual(v, any(n.Raw)) {
				t.Errorf("%s: found %v, read %v", n.At, v, n.Raw)
			}
			n.Each(walk)
			n.Nested(walk)
		}
		for _, v := range doc.Versions {
			if v.Schema != nil {
				walk(v.Schema)
			}
		}
		if count < 2 {
			t.Errorf("only %d schemas were read", count)
		}
	}
}

func TestRead(t *testing.T) {
	var told []string
	_, doc := read(t, definition, func(why Problem, at *Place, format string, args ...any) {
		told = append(told, fmt.Sprintf("%s %s: %s", why, at, fmt.Sprintf(format, args...)))
	})
	want := []string{
		`malformed .spec.versions[0].schema.openAPIV3Schema.properties.wrong.type: want a string, found the number 5`,
		`malformed .spec.versions[0].schema.openAPIV3Schema.properties.wrong.properties: want a map, found a list`,
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
	v1, v2 := doc.Versions[0], doc.Versions[1]
	if v1.Name != "v1" || !v1.Served || v1.Storage || v1.Status || v2.Schema != nil || !v2.Status || doc.Beta {
		t.Errorf("versions %+v %+v", v1, v2)
	}
	if _, old := read(t, oldDefinition, nil); !old.Beta || !old.Versions[0].Status || old.Versions[0].Part("schema").String() != ".spec.validation" {
		t.Errorf("v1beta1: %+v", old.Versions[0])
	}
	if path := v1.Schema.Properties["a.b"].At.String(); path != `.spec.versions[0].schema.openAPIV3Schema.properties["a.b"]` {
		t.Errorf("path %s", path)
	}
}

func TestMarkers(t *testing.T) {
	_, doc := read(t, definition, nil)
	p := doc.Versions[0].Schema.Properties
	if m := p["a.b"].Marked(); !slices.Equal(m, []string{"x-kubernetes-immutable"}) || !p["a.b"].MarkedWhole() {
		t.Errorf("a.b is marked %q", m)
	}
	if m := p["map"].Marked(); !slices.Equal(m, []string{"x-kubernetes-deletion-only"}) || p["map"].MarkedWhole() || !RuleOf(m[0]).NoneAdded {
		t.Errorf("map is marked %q", m)
	}
	if p["list"].Marked() != nil || *RuleOf("x-kubernetes-list-type") != *RuleOf("") {
		t.Error("a keyword that is not a marker has a transition rule")
	}
}

// Multiply and Cost return their largest value instead of overflowing.
func TestCosts(t *testing.T) {
	_, doc := read(t, definition, nil)
	p := doc.Versions[0].Schema.Properties
	for name, want := range map[string]uint64{"a.b": 1, "list": 3, "map": 1} {
		if got := Elements(p[name]); got != want {
			t.Errorf("%s: %d elements, want %d", name, got, want)
		}
	}
	if n := (&Node{Kind: "array"}); Elements(n) != Unbounded || Elements(&Node{Kind: "object", AdditionalSet: true, Raw: map[string]any{"maxProperties": int64(-1)}}) != 0 {
		t.Error("a list without a bound got one, or a negative bound was used")
	}
	if Multiply(0, Unbounded) != Unbounded || Multiply(1<<40, 1<<40) != Unbounded-1 || Multiply(6, 7) != 42 {
		t.Error("wrong products")
	}
	if Cost(1<<40, 1<<40) != math.MaxUint64 || Cost(0, Unbounded) != 0 || Cost(6, 7) != 42 {
		t.Error("wrong costs")
	}
}
