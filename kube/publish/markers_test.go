// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"encoding/json"
	"reflect"
	"testing"

	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/dovetail-ssa/dovetail/schema"
)

const marked = `{
  "type": "object",
  "properties": {
    "mode": {"type": "string", "default": "fast", "x-kubernetes-immutable": true},
    "gone": {"type": "string", "x-kubernetes-immutable": true},
    "address": {"type": "string", "x-kubernetes-set-once": true},
    "plain": {"type": "object", "properties": {"a": {"type": "string"}}},
    "labels": {"type": "object", "x-kubernetes-immutable-keys": true, "additionalProperties": {"type": "string", "x-kubernetes-immutable": true}},
    "ports": {
      "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"], "x-kubernetes-addition-only": true,
      "items": {"type": "object", "properties": {"port": {"type": "integer", "x-kubernetes-immutable": true}}}
    },
    "set": {"type": "array", "x-kubernetes-list-type": "set", "x-kubernetes-deletion-only": true, "items": {"type": "string"}}
  }
}`

// unmarked returns the schema as an API server publishes it: without the markers, and
// without one of its fields.
func unmarked(t *testing.T) *spec.Schema {
	var v map[string]any
	if err := json.Unmarshal([]byte(marked), &v); err != nil {
		t.Fatal(err)
	}
	delete(v["properties"].(map[string]any), "gone")
	var strip func(v any)
	strip = func(v any) {
		m, _ := v.(map[string]any)
		for name, c := range m {
			for _, rule := range schema.Transitions() {
				if name == rule.Extension() {
					delete(m, name)
				}
			}
			strip(c)
		}
	}
	strip(v)
	return schemaOf(t, v)
}

func schemaOf(t *testing.T, v any) *spec.Schema {
	t.Helper()
	var s spec.Schema
	if err := json.Unmarshal(must(json.Marshal(v))(t), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// TestMarkers checks that Markers restores the markers on all published parts and changes
// nothing else.
func TestMarkers(t *testing.T) {
	crd := schemaOf(t, json.RawMessage(marked))
	published := unmarked(t)
	before, was := encode(t, published), encode(t, crd)
	got := Markers(published, crd)

	want := encode(t, crd)
	delete(want.(map[string]any)["properties"].(map[string]any), "gone")
	if !reflect.DeepEqual(encode(t, got), want) {
		t.Errorf("got\n%v\nwant\n%v", encode(t, got), want)
	}
	if !reflect.DeepEqual(encode(t, published), before) || !reflect.DeepEqual(encode(t, crd), was) {
		t.Error("an argument has changed")
	}
	if !sameMap(got.Properties["plain"].Properties, published.Properties["plain"].Properties) {
		t.Error("parts without markers are copied")
	}
	if again := Markers(got, crd); !reflect.DeepEqual(encode(t, again), encode(t, got)) {
		t.Error("a second call changes the result")
	}
}

func TestNoMarkers(t *testing.T) {
	published := unmarked(t)
	for _, crd := range []*spec.Schema{nil, {}, unmarked(t)} {
		if Markers(published, crd) != published {
			t.Errorf("copied for %v", crd)
		}
	}
	if Markers(nil, published) != nil {
		t.Error("Markers of nil is not nil")
	}
}
