// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
)

const things = `type: object
required: [spec]
properties:
  spec:
    type: object
    required: [mode]
    properties:
      mode: {type: string, enum: [fast, safe], default: fast}
      size: {type: integer, minimum: 1, maximum: 10}
      until: {type: string, format: date-time}
      name: {type: string, maxLength: 8, x-kubernetes-validations: [{rule: self == oldSelf, message: cannot be changed}]}
      tags: {type: array, x-kubernetes-list-type: set, maxItems: 3, items: {type: string}}
      a.b: {type: object, additionalProperties: {type: integer}}
      template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
    x-kubernetes-validations: [{rule: "self.mode != 'safe' || has(self.size)", message: safe needs a size, fieldPath: .size}]
`

// Each case has one object, or an old and a new object.
func TestObjects(t *testing.T) {
	v, _ := crdtest.Read(t, crdtest.Document(things)).Version("v1")
	crdtest.CheckBlocks(t, "testdata/objects.txt", func(t *testing.T, in string) string {
		docs := crdtest.Values(t, in)
		var old map[string]any
		if len(docs) == 2 {
			old = docs[0]
		}
		before, err := yaml.Marshal(docs)
		if err != nil {
			t.Fatal(err)
		}
		found, err := v.Validate(docs[len(docs)-1], old)
		if err != nil {
			t.Fatal(err)
		}
		if after, err := yaml.Marshal(docs); err != nil || string(after) != string(before) {
			t.Error("Validate changed an object")
		}
		var lines []string
		for _, f := range found {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", f.Path, f.Rule, f.Message))
		}
		return strings.Join(lines, "\n")
	})
}

// ServerErrors returns the groups of errors in the server's order, and sorts the fields of a map.
func TestServerErrors(t *testing.T) {
	v, _ := crdtest.Read(t, crdtest.Document(`type: object
properties:
  spec:
    type: object
    required: [colour, z]
    properties:
      a: {type: array, minItems: 12, items: {type: object, required: [k], properties: {k: {type: string}, s: {type: string, pattern: "^[a-z]+$"}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}
      name: {type: string, pattern: "^[a-z]+$"}
      colour: {type: string, enum: [red, blue], default: red}
      min: {type: integer, default: 0}
      size: {type: integer, default: 0}
      z: {type: integer, default: 0}
      pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
    x-kubernetes-validations: [{rule: self.size >= self.min, message: size must be at least min}, {rule: self.z < 1, message: a small z}]
`)).Version("v1")
	for _, test := range []struct {
		name, metadata, spec, old string
		want                      []string
	}{
		{"schema, then rules", "name: x", "size: 1, min: 5, name: B, z: 2", "", []string{
			"spec.name: Invalid value: spec.name in body should match '^[a-z]+$'",
			"spec: Invalid value: size must be at least min", "spec: Invalid value: a small z"}},
		{"an update", "name: x", "size: 1, min: 5, name: B", "name: b", []string{
			"spec.name: Invalid value: spec.name in body should match '^[a-z]+$'",
			"spec: Invalid value: size must be at least min"}},
		{"an error that is not changed", "name: x", "size: 1, min: 5, colour: pink", "colour: pink", []string{"spec: Invalid value: size must be at least min"}},
		{"rules that are not checked", "name: X", "size: 1, min: 5, colour: pink", "", []string{
			"metadata.name: Invalid value: a lowercase RFC 1123 subdomain must",
			`spec.colour: Unsupported value: supported values: "red", "blue"`,
			"<nil>: Invalid value: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"}},
		{"metadata that is missing", "ownerReferences: [{}], name: x", "{min: 5}", "", []string{
			"metadata.ownerReferences[0].apiVersion: Required value", "metadata.ownerReferences[0].kind: Required value",
			"metadata.ownerReferences[0].name: Required value", "metadata.ownerReferences[0].uid: Required value", "<nil>: Invalid value"}},
		{"metadata in the library's order", "name: X, labels: {b c: d, a b: c}", "{}", "", []string{
			"metadata.name: ", "metadata.labels: Invalid value", "metadata.labels: Invalid value"}},
		{"embedded resources, then lists", "name: x", "min: 5, pod: {kind: '5'}, name: B, a: [{k: x}, {k: x, s: B}]", "", []string{
			"spec.a[1].s: Invalid value: spec.a[1].s in body should match '^[a-z]+$'", "spec.a: Invalid value: spec.a in body should have at least 12 items",
			"spec.name: Invalid value", "spec.pod.apiVersion: Required value: ", "spec.pod.kind: Invalid value", "spec.a[1]: Duplicate value: ", "<nil>: Invalid value"}},
		{"an item with the index 10", "name: x", "a: [{k: a}, {k: b}, {k: c, s: B}, {k: d}, {k: e}, {k: f}, {k: g}, {k: h}, {k: i}, {k: j}, {k: k, s: B}, {k: l}]", "", []string{
			"spec.a[2].s: ", "spec.a[10].s: "}},
		{"a generated name", "generateName: x", "min: 5", "", []string{"metadata.name: Required value", "spec: Invalid value: size must be at least min"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			object := func(spec string) map[string]any {
				return crdtest.Values(t, "{apiVersion: example.com/v1, kind: Thing, metadata: {"+test.metadata+"}, spec: {"+strings.Trim(spec, "{}")+"}}")[0]
			}
			var old map[string]any
			if test.old != "" {
				old = object(test.old)
			}
			for range 20 { // the API server's libraries walk through maps in a random order
				errs, err := v.ServerErrors(object(test.spec), old)
				if err != nil || len(errs) != len(test.want) {
					t.Fatalf("got %v, %v", errs, err)
				}
				for i, e := range errs {
					if got := fmt.Sprintf("%s: %v: %s", e.Field, e.Type, e.Detail); !strings.HasPrefix(got, test.want[i]) {
						t.Fatalf("error %d of %v: got %s, want %s", i, errs, got, test.want[i])
					}
				}
			}
		})
	}
	errs, err := v.ServerErrors(crdtest.Values(t, "{apiVersion: example.com/v2, kind: Thing, spec: {min: 5}}")[0], nil)
	if want := `[apiVersion: Invalid value: "example.com/v2": must be example.com/v1, spec: Invalid value: size must be at least min]`; err != nil || errs.ToAggregate().Error() != want {
		t.Errorf("got %v, %v, want %s", errs.ToAggregate(), err, want)
	}
}

func TestObjectsOfABadSchema(t *testing.T) {
	v, _ := crdtest.Read(t, crdtest.Document("{type: object, properties: {a: {}}}")).Version("v1")
	_, err := v.Validate(map[string]any{}, nil)
	if err == nil || !strings.Contains(err.Error(), "the schema of example.com/v1 is invalid: crd.yaml:14: ") {
		t.Errorf("got %v", err)
	}
	// Errors outside of the schemas do not prevent objects from being validated.
	d := crdtest.Read(t, strings.Replace(crdtest.Document(things), "name: things.example.com", "name: x", 1))
	if len(d.Validate()) != 1 {
		t.Fatalf("got %v", d.Validate())
	}
	v, _ = d.Version("v1")
	if _, err := v.Validate(map[string]any{}, nil); err != nil {
		t.Error(err)
	}
	good, _ := crdtest.Read(t, crdtest.Document(things)).Version("v1")
	if _, err := good.Validate(map[string]any{"spec": func() {}}, nil); err == nil {
		t.Error("an object with a function was accepted, although it is not JSON")
	}
}

func TestDefault(t *testing.T) {
	v, _ := crdtest.Read(t, crdtest.Document(things)).Version("v1")
	got, err := v.Default(map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "spec": map[string]any{"mode": nil, "other": 1, "size": 5}})
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprint(got); s != "map[apiVersion:example.com/v1 kind:Thing spec:map[mode:fast size:5]]" {
		t.Errorf("got %s", s)
	}
	typ, err := v.Type()
	if err != nil || !typ.IsValid() {
		t.Errorf("got %v, %v", typ, err)
	}
}

// Defaults in the metadata of embedded resources lose the fields that metadata does not
// have.
func TestDefaultInMetadata(t *testing.T) {
	d := crdtest.Read(t, crdtest.Document(`type: object
properties:
  pod:
    type: object
    x-kubernetes-embedded-resource: true
    x-kubernetes-preserve-unknown-fields: true
    properties: {metadata: {type: object, default: {labels: {a: b}, unknown: 1}}}`))
	if found := d.Validate(); len(found) > 0 {
		t.Fatal(found)
	}
	v, _ := d.Version("v1")
	got, err := v.Default(map[string]any{"pod": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprint(got); s != "map[pod:map[metadata:map[labels:map[a:b]]]]" {
		t.Errorf("got %s", s)
	}
}

// CheckNulls rejects a null in a merged object, unless the field is nullable, undeclared,
// or has a default.
func TestCheckNulls(t *testing.T) {
	v, _ := crdtest.Read(t, crdtest.Document(`type: object
properties:
  spec:
    type: object
    properties:
      tags: {type: array, items: {type: string}}
      size: {type: integer, default: 1}
      note: {type: string, nullable: true}
      port: {x-kubernetes-int-or-string: true}
      any: {type: object, x-kubernetes-preserve-unknown-fields: true}
      labels: {type: object, additionalProperties: {type: string}}`)).Version("v1")
	for spec, want := range map[string]string{
		"{size: null, note: null, unknown: null, any: {x: null}}": "",
		"{tags: [a]}":       "",
		"{size: text}":      "", // the object has no null
		"{tags: null}":      `Thing.example.com "x" is invalid: spec.tags: Invalid value: "null": spec.tags in body must be of type array: "null"`,
		"{port: null}":      `Thing.example.com "x" is invalid: spec.port: Invalid value: "null": spec.port in body must be of type integer,string: "null"`,
		"{tags: [a, null]}": `Thing.example.com "x" is invalid: spec.tags[1]: Invalid value: "null": spec.tags[1] in body must be of type string: "null"`,
		"{labels: {a: null}, tags: null}": `Thing.example.com "x" is invalid: [` +
			`spec.labels.a: Invalid value: "null": spec.labels.a in body must be of type string: "null", ` +
			`spec.tags: Invalid value: "null": spec.tags in body must be of type array: "null"]`,
	} {
		object := crdtest.Values(t, "{apiVersion: example.com/v1, kind: Thing, metadata: {name: x}, spec: "+spec+"}")[0]
		got := ""
		if err := v.CheckNulls(object); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", spec, got, want)
		}
		if again := crdtest.Values(t, "{apiVersion: example.com/v1, kind: Thing, metadata: {name: x}, spec: "+spec+"}")[0]; !reflect.DeepEqual(object, again) {
			t.Errorf("%s: the object was changed: %v", spec, object)
		}
	}
}

// Default converts the metadata of an object and of its embedded resources to the form in which a
// server stores it.
func TestDefaultDecodesMetadata(t *testing.T) {
	v, _ := crdtest.Read(t, crdtest.Document(things)).Version("v1")
	for metadata, want := range map[string]string{
		"{name: x}": "{name: x}",
		"{name: x, labels: {a: null, b: c}, annotations: {d: null}}":                                 `{name: x, labels: {a: "", b: c}, annotations: {d: ""}}`,
		"{name: x, labels: null, annotations: {}, finalizers: null}":                                 "{name: x}",
		`{name: x, generateName: "", selfLink: "", unknown: y}`:                                      "{name: x}",
		"{name: x, creationTimestamp: null, deletionTimestamp: null}":                                "{name: x}",
		"{name: x, ownerReferences: [{apiVersion: v1, kind: A, name: b, uid: c, controller: null}]}": "{name: x, ownerReferences: [{apiVersion: v1, kind: A, name: b, uid: c}]}",
		"{name: x, labels: {a: 1}, generateName: null}":                                              "{name: x, labels: {a: 1}}", // a server rejects this label
	} {
		parse := func(metadata string) map[string]any {
			return crdtest.Values(t, "{apiVersion: example.com/v1, kind: Thing, metadata: "+metadata+", spec: {mode: safe, template: {apiVersion: v1, kind: Pod, metadata: "+metadata+"}}}")[0]
		}
		object := parse(metadata)
		got, err := v.Default(object)
		if err != nil || !reflect.DeepEqual(got, parse(want)) {
			t.Errorf("%s: got %v, %v", metadata, got, err)
		}
		if !reflect.DeepEqual(object, parse(metadata)) {
			t.Errorf("%s: the object was changed: %v", metadata, object)
		}
	}
}

// Several goroutines can validate objects with one Definition.
func TestConcurrency(t *testing.T) {
	d := crdtest.Read(t, crdtest.Document(things))
	object := crdtest.Values(t, "{apiVersion: example.com/v1, kind: Thing, metadata: {name: x}, spec: {size: 50}}")[0]
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			v, _ := d.Version("v1")
			found, err := v.Validate(object, nil)
			if err != nil || len(found) != 1 || found[0].Rule != crd.ObjectValue || len(d.Validate()) > 0 {
				t.Errorf("got %v, %v", found, err)
			}
		})
	}
	wg.Wait()
}

// A rule is stopped if it costs too much at run time, even if its estimated cost
// is low.
func TestRuntimeBudget(t *testing.T) {
	v, _ := crdtest.Read(t, crdtest.Document("type: object\nproperties:\n  l: {type: string, x-kubernetes-validations: [{rule: \"!self.contains('x')\"}]}\n")).Version("v1")
	for size, want := range map[int]string{1000: "", 30 << 20: "cost"} {
		object := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "x", "namespace": "ns"}, "l": strings.Repeat("a", size)}
		found, err := v.Validate(object, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 != (want != "") || want != "" && !strings.Contains(found[0].Error(), want) {
			t.Errorf("%d bytes: %.1000v", size, found)
		}
	}
}
