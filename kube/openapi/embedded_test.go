// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"strings"
	"testing"
)

// A CRD may declare defaults for the metadata of an embedded resource. Such defaults must
// apply only to fields that ObjectMeta has.
func TestDefaultsInEmbeddedMetadata(t *testing.T) {
	embedded := func(rest string) string {
		return `{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true` + rest + `}`
	}
	meta := func(rest string) string { return embedded(`, properties: {metadata: {type: object` + rest + `}}`) }
	for _, test := range []struct{ name, schema, in, want string }{{
		"around it", embedded(`, default: {apiVersion: v1, kind: Pod, metadata: {name: x, odd: 1, labels: 5, annotations: {}, ownerReferences: [{apiVersion: v1, kind: Pod, name: x, odd: 1, uid: u}]}, odd: 1}`),
		`{}`, `{"e":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"x","uid":"u"}]},"odd":1}}`,
	}, {
		"far around it", `{type: object, default: {l: [{m: {k: {metadata: {name: x, odd: 1}}}}]}, properties: {l: {type: array, items: {type: object, properties: {m: {type: object, additionalProperties: ` + embedded(``) + `}}}}}}`,
		`{}`, `{"e":{"l":[{"m":{"k":{"metadata":{"name":"x"}}}}]}}`,
	}, {
		"its own", meta(`, default: {name: x, odd: 1}`),
		`{"e":{}}`, `{"e":{"metadata":{"name":"x"}}}`,
	}, {
		"no metadata", meta(`, default: {odd: 1, generation: x, name: ""}`),
		`{"e":{}}`, `{"e":{"metadata":{}}}`,
	}, {
		"none without metadata", meta(`, properties: {name: {type: string, default: x}}`),
		`{"e":{}}`, `{"e":{}}`,
	}, {
		"of fields", meta(`, default: {}, properties: {name: {type: string, default: x}, labels: {type: object, additionalProperties: {type: string}, default: {a: b}}}`),
		`{"e":{}}`, `{"e":{"metadata":{"labels":{"a":"b"},"name":"x"}}}`,
	}, {
		"of fields of its own default", meta(`, default: {name: own}, properties: {name: {type: string, default: x}, namespace: {type: string, default: x}}`),
		`{"e":{}}`, `{"e":{"metadata":{"name":"own","namespace":"x"}}}`,
	}, {
		"within fields", meta(`, properties: {ownerReferences: {type: array, items: {type: object, properties: {controller: {type: boolean, default: false}, odd: {type: string, default: x}}}}}`),
		`{"e":{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"x","uid":"u"}]}}}`, `{"e":{"metadata":{"ownerReferences":[{"apiVersion":"v1","controller":false,"kind":"Pod","name":"x","uid":"u"}]}}}`,
	}, {
		"of fields that metadata does not have, or of another type", meta(`, properties: {odd: {type: string, default: x}, name: {type: integer, default: 5}, generateName: {type: string, default: ""}, labels: {type: object, default: {}, additionalProperties: {type: string}}}`),
		`{"e":{"metadata":{}}}`, `{"e":{"metadata":{}}}`,
	}, {
		"of apiVersion and kind", embedded(`, properties: {apiVersion: {type: string, default: v1}, kind: {type: string, default: Pod}}`),
		`{"e":{}}`, `{"e":{"apiVersion":"v1","kind":"Pod"}}`,
	}, {
		"of other metadata", `{type: object, properties: {metadata: {type: object, default: {odd: 1}, properties: {odd: {type: integer}}}}}`,
		`{"e":{}}`, `{"e":{"metadata":{"odd":1}}}`,
	}} {
		t.Run(test.name, func(t *testing.T) {
			c := New(Options{})
			if err := c.AddCRD("crd.yaml", crd(`{type: object, properties: {e: `+test.schema+`}}`)); err != nil {
				t.Fatal(err)
			}
			widget, _ := c.Type("example.com/v1", "Widget")
			var object any
			if err := json.Unmarshal([]byte(test.in), &object); err != nil {
				t.Fatal(err)
			}
			got, err := widget.Default(object)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if string(text) != test.want {
				t.Errorf("got %s, want %s", text, test.want)
			}
			if _, err := widget.FromUnstructured(got); err != nil {
				t.Error(err)
			}
		})
	}
}

// If a CRD has defaults for metadata, the type of metadata gets these defaults. All
// other fields and list types of metadata must stay the same.
func TestTypeOfEmbeddedMetadata(t *testing.T) {
	c := New(Options{})
	if err := c.AddCRD("crd.yaml", crd(`{type: object, properties: {e: {type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object, nullable: true,
 properties: {name: {type: string, default: x}, ownerReferences: {type: array, x-kubernetes-list-type: atomic, items: {type: object, properties: {controller: {type: boolean, default: true}}}}}}}}}}`)); err != nil {
		t.Fatal(err)
	}
	widget, _ := c.Type("example.com/v1", "Widget")
	v, err := widget.FromYAML(`{e: {metadata: {namespace: ns, labels: {a: b}, ownerReferences: [{uid: u, name: owner}], finalizers: [f]}}}`)
	if err != nil {
		t.Fatal(err)
	}
	set, err := v.ToFieldSet()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`.e.metadata.finalizers[="f"]`, `.e.metadata.labels.a`, `.e.metadata.ownerReferences[uid="u"]`} {
		if !strings.Contains(set.String(), want) {
			t.Errorf("got %s, want %s in it", set, want)
		}
	}
	if _, err := widget.FromYAML(`{e: {metadata: {odd: 1}}}`); err == nil {
		t.Error("an unknown field was accepted")
	}
	if _, err := widget.FromYAML(`{e: {metadata: {name: 5}}}`); err == nil {
		t.Error("a number was accepted as a name")
	}
}
