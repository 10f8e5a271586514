// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
)

// RemovableParents lists an object if and only if the generated rules accept an update that removes
// the object or sets it to null, and a later update that adds it with another value.
func TestRemovableParents(t *testing.T) {
	type content = map[string]any
	for _, c := range []struct {
		name, root, spec   string
		optional, nullable bool
	}{
		{"optional", "", "", true, false},
		{"required", "required: [spec], ", "", false, false},
		{"default", "", "default: {class: b}, ", false, false},
		{"optional and nullable", "", "nullable: true, ", true, true},
		{"required and nullable", "required: [spec], ", "nullable: true, ", false, true},
		{"default and nullable", "", "nullable: true, default: {class: b}, ", false, true},
		{"marked and nullable", "", "nullable: true, x-kubernetes-immutable: true, ", false, false},
		{"marked, required and nullable", "required: [spec], ", "nullable: true, x-kubernetes-immutable: true, ", false, false},
	} {
		doc, translation := translated(t, crdtest.Document("{type: object, "+c.root+"properties: {spec: {type: object, "+c.spec+
			"required: [class], properties: {class: {type: string, maxLength: 9, x-kubernetes-immutable: true}}}}}"), cel.Options{})
		var want []cel.RemovableParent
		if c.optional || c.nullable {
			want = []cel.RemovableParent{{
				Document: "crd.yaml", Line: 14, Version: "v1", Name: "spec", Field: ".spec", Marked: []string{".spec.class"},
				Optional: c.optional, Nullable: c.nullable,
			}}
		}
		if got := translation.RemovableParents(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}

		v, _ := crdtest.Read(t, doc).Version("v1")
		object := func(spec any) content {
			o := content{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": content{"name": "x", "namespace": "d"}}
			if spec != "absent" {
				o["spec"] = spec
			}
			return o
		}
		accepts := func(now, old content) bool {
			found, err := v.Validate(now, old)
			if err != nil {
				t.Fatal(err)
			}
			return len(found) == 0
		}
		// In an optional object that is not nullable, the server drops the null.
		first, second := object(content{"class": "a"}), object(content{"class": "z"})
		for _, without := range []struct {
			spec any
			want bool
		}{{"absent", c.optional}, {nil, c.optional || c.nullable}} {
			removed := object(without.spec)
			if got := accepts(removed, first) && accepts(second, removed); got != without.want {
				t.Errorf("%s: spec %v: accepted: %v, want %v", c.name, without.spec, got, without.want)
			}
		}
		if accepts(second, first) {
			t.Errorf("%s: the rules accept a direct change", c.name)
		}
	}
}

// RemovableParents lists nested objects from the outermost inward, each with all markers in it. It
// leaves out objects without markers.
func TestRemovableParentsNested(t *testing.T) {
	_, translation := translated(t, crdtest.Document(`type: object
properties:
  status: {type: object, nullable: true, properties: {a: {type: string}}}
  spec:
    type: object
    properties:
      class: {type: string, maxLength: 9, x-kubernetes-immutable: true}
      backup:
        type: object
        default: {}
        nullable: true
        properties:
          bucket: {type: string, maxLength: 9, x-kubernetes-immutable: true}`), cel.Options{})
	var got []string
	for _, p := range translation.RemovableParents() {
		got = append(got, fmt.Sprintf("%d %s %v %v %v", p.Line, p.Field, p.Marked, p.Optional, p.Nullable))
	}
	want := []string{"17 .spec [.spec.backup.bucket .spec.class] true false", "21 .spec.backup [.spec.backup.bucket] false true"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
