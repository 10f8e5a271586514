// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaulting

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// thing has fields whose types, from apimachinery, have their own JSON conversion.
type thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              thingSpec `json:"spec,omitempty"`
}

type thingSpec struct {
	Port       intstr.IntOrString           `json:"port"`
	Ports      []*intstr.IntOrString        `json:"ports,omitempty"`
	Memory     resource.Quantity            `json:"memory"`
	Large      *resource.Quantity           `json:"large,omitempty"`
	Limits     map[string]resource.Quantity `json:"limits,omitempty"`
	Since      metav1.Time                  `json:"since,omitempty"`
	Timeout    metav1.Duration              `json:"timeout"`
	Selector   *metav1.LabelSelector        `json:"selector,omitempty"`
	Strategies []string                     `json:"strategies,omitempty"`
}

var thingSchema = map[string]any{
	"type": "object", "default": map[string]any{},
	"properties": map[string]any{
		"port":    map[string]any{"x-kubernetes-int-or-string": true, "default": "http"},
		"ports":   map[string]any{"type": "array", "items": map[string]any{"x-kubernetes-int-or-string": true, "default": int64(80)}},
		"memory":  map[string]any{"type": "string", "default": "100Mi"},
		"large":   map[string]any{"type": "string", "default": "123456789012345678901234567890"},
		"limits":  map[string]any{"type": "object", "default": map[string]any{"cpu": "1"}, "additionalProperties": map[string]any{"x-kubernetes-int-or-string": true}},
		"since":   map[string]any{"type": "string", "default": "2020-01-02T03:04:05Z"},
		"timeout": map[string]any{"type": "string", "default": "1m0s"},
		"selector": map[string]any{"type": "object", "default": map[string]any{"matchLabels": map[string]any{"a": "b"}}, "properties": map[string]any{
			"matchLabels": map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}}},
		"strategies": map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "default": []any{"a", "b"}},
	},
}

// TestDefaultOfMachineryTypes checks that fields of types with their own JSON conversion get
// their defaults, which are JSON.
func TestDefaultOfMachineryTypes(t *testing.T) {
	ours := parseable(t, thingSchema)
	for _, test := range []struct{ in, want string }{
		{`{}`, `{"port":"http","memory":"100Mi","large":"123456789012345678901234567890","limits":{"cpu":"1"},
			"since":"2020-01-02T03:04:05Z","timeout":"1m0s","selector":{"matchLabels":{"a":"b"}},"strategies":["a","b"]}`},
		{`{"port":1,"ports":[null,"x"],"memory":"1","large":"2","limits":{},"since":"2021-01-02T03:04:05Z","timeout":"2s","selector":{},"strategies":["c"]}`,
			`{"port":1,"ports":[80,"x"],"memory":"1","large":"2","since":"2021-01-02T03:04:05Z","timeout":"2s","selector":{},"strategies":["c"]}`},
	} {
		for range 2 {
			object := &thing{}
			if err := json.Unmarshal([]byte(test.in), &object.Spec); err != nil {
				t.Fatal(err)
			}
			if _, err := ours.Default(object); err != nil {
				t.Fatal(err)
			}
			var got, want any
			if err := json.Unmarshal([]byte(plain.Text(object.Spec)), &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.in, diff)
			}
			// A change of a default in one object must not change other objects. This quantity
			// is so large that it is stored behind a pointer, which objects could share.
			object.Spec.Large.Add(resource.MustParse("1"))
			if len(object.Spec.Limits) > 0 {
				object.Spec.Selector.MatchLabels["a"] = "mine"
				object.Spec.Limits["cpu"] = resource.MustParse("2")
				object.Spec.Strategies[0] = "mine"
			}
		}
	}
}
