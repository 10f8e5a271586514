// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"strings"
	"testing"
)

// The type of a CRD must record which unknown fields the API server keeps.
func TestCRDUnknownFields(t *testing.T) {
	for _, test := range []struct{ name, spec, in, want string }{{
		name: "properties",
		spec: `{type: object, properties: {a: {type: string}}}`,
		in:   `{"a":"x","b":"y"}`, want: `{"a":"x"}`,
	}, {
		name: "an object without properties keeps no fields",
		spec: `{type: object}`,
		in:   `{"a":"x"}`, want: `{}`,
	}, {
		name: "additionalProperties",
		spec: `{type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}`,
		in:   `{"x":{"a":"x","b":"y"}}`, want: `{"x":{"a":"x"}}`,
	}, {
		name: "values of additionalProperties without a schema keep no fields",
		spec: `{type: object, additionalProperties: true}`,
		in:   `{"x":{"a":"x"},"y":"z","l":[{"a":1}]}`, want: `{"x":{},"y":"z","l":[{}]}`,
	}, {
		name: "preserve",
		spec: `{type: object, x-kubernetes-preserve-unknown-fields: true}`,
		in:   `{"a":{"b":[{"c":1}]}}`, want: `{"a":{"b":[{"c":1}]}}`,
	}, {
		name: "preserve without a type",
		spec: `{x-kubernetes-preserve-unknown-fields: true}`,
		in:   `[{"a":{"b":1}}]`, want: `[{"a":{"b":1}}]`,
	}, {
		name: "preserve ends at properties",
		spec: `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: object, properties: {a: {type: string}, sub: {type: object}}}}}`,
		in:   `{"known":{"a":"x","b":"y","sub":{"c":1}},"other":{"b":"y"}}`, want: `{"known":{"a":"x","sub":{}},"other":{"b":"y"}}`,
	}, {
		name: "preserve on a list applies to its items",
		spec: `{type: array, x-kubernetes-preserve-unknown-fields: true, items: {type: object, properties: {a: {type: object}}}}`,
		in:   `[{"a":{"b":1},"b":"y"}]`, want: `[{"a":{},"b":"y"}]`,
	}, {
		name: "a number or a string",
		spec: `{x-kubernetes-int-or-string: true}`,
		in:   `{"a":[{"b":1}]}`, want: `{}`,
	}, {
		name: "an embedded resource keeps the fields of every object",
		spec: `{type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object, properties: {a: {type: string}}}}}`,
		in:   `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","labels":{"l":"m"},"odd":1},"spec":{"a":"x","b":1},"status":{}}`,
		want: `{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"l":"m"},"name":"x"},"spec":{"a":"x"}}`,
	}} {
		t.Run(test.name, func(t *testing.T) {
			c := New(Options{})
			if err := c.AddCRD("crd.yaml", crd(`{type: object, properties: {spec: `+test.spec+`}}`)); err != nil {
				t.Fatal(err)
			}
			widget, ok := c.Type("example.com/v1", "Widget")
			if !ok {
				t.Fatal("no Widget")
			}
			var object any
			if err := json.Unmarshal([]byte(`{"kind":"Widget","metadata":{"name":"x"},"odd":1,"spec":`+test.in+`}`), &object); err != nil {
				t.Fatal(err)
			}
			got, err := widget.Prune(object)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			var want any
			if err := json.Unmarshal([]byte(`{"kind":"Widget","metadata":{"name":"x"},"spec":`+test.want+`}`), &want); err != nil {
				t.Fatal(err)
			}
			wantText, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			if string(text) != string(wantText) {
				t.Errorf("got\n%s\nwant\n%s", text, wantText)
			}
		})
	}
}

// spec.preserveUnknownFields turns off pruning for the whole CRD.
func TestCRDThatPreservesUnknownFields(t *testing.T) {
	doc := strings.Replace(string(crd(`{type: object, properties: {spec: {type: object}}}`)), "  scope:", "  preserveUnknownFields: true\n  scope:", 1)
	c := New(Options{})
	if err := c.AddCRD("crd.yaml", []byte(doc)); err != nil {
		t.Fatal(err)
	}
	widget, _ := c.Type("example.com/v1", "Widget")
	unknown, err := widget.UnknownFields(map[string]any{"spec": map[string]any{"a": int64(1)}, "odd": int64(1)})
	if err != nil || unknown != nil {
		t.Errorf("got %v, %v", unknown, err)
	}
}
