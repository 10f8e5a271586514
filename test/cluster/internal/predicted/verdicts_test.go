// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import "testing"

// TestSameStatus compares rejections. Only differences that are random on a server may be
// ignored.
func TestSameStatus(t *testing.T) {
	rejection := func(message string, causes ...string) answer {
		var list []any
		for _, c := range causes {
			list = append(list, object{"message": c})
		}
		return answer{status: 422, body: object{"message": message, "details": object{"causes": list}}}
	}
	const patch = "failed to create typed patch object (default/a; v1, Kind=Pod): "
	for _, c := range []struct {
		what              string
		server, predicted answer
		same              bool
	}{
		{"equal", rejection(`Pod "a" is invalid: spec: Required value`, "x"), rejection(`Pod "a" is invalid: spec: Required value`, "x"), true},
		{"another message", rejection(`Pod "a" is invalid: spec: Required value`, "x"), rejection(`Pod "a" is invalid: data: Required value`, "x"), false},
		{"null and {}", rejection(`Pod "a" is invalid: labels: Invalid value: {}`), rejection(`Pod "a" is invalid: labels: Invalid value: null`), false},
		{"other causes", rejection(`Pod "a" is invalid: spec: Required value`, "x"), rejection(`Pod "a" is invalid: spec: Required value`, "y"), false},
		{"random UIDs", rejection("uid 6f1c5d2e-0a0b-4c1d-8e2f-000000000001", "00000000-0000-0000-0000-00000000000a"), rejection("uid 00000000-0000-0000-0000-000000000002", "00000000-0000-0000-0000-00000000000b"), true},
		{"another order", rejection(`Pod "a" is invalid: [spec.a: Required value, spec.b: Invalid value: "x, y"]`, "a", "b"), rejection(`Pod "a" is invalid: [spec.b: Invalid value: "x, y", spec.a: Required value]`, "b", "a"), true},
		{"a missing error", rejection(`Pod "a" is invalid: [spec.a: Required value, spec.b: Required value]`), rejection(`Pod "a" is invalid: [spec.a: Required value, spec.c: Required value]`), false},
		{"the order of schema errors", rejection(patch + "errors:\n  .a: x\n  .b: y"), rejection(patch + "errors:\n  .b: y\n  .a: x"), true},
		{"a schema error less", rejection(patch + ".a: x"), rejection(patch + "errors:\n  .a: x\n  .b: y"), false},
		{"the server stops at an undeclared field", rejection(patch + ".b: field not declared in schema"), rejection(patch + "errors:\n  .a: x\n  .b: field not declared in schema"), true},
		{"an error that was not predicted", rejection(patch + "errors:\n  .b: field not declared in schema\n  .c: z"), rejection(patch + "errors:\n  .a: x\n  .b: field not declared in schema"), false},
		{"another object", rejection("failed to create typed patch object (default/b; v1, Kind=Pod): .a: x"), rejection(patch + ".a: x"), false},
	} {
		if got := sameStatus(c.server, c.predicted); got != c.same {
			t.Errorf("%s: %v, want %v", c.what, got, c.same)
		}
	}
}

// TestOtherFields compares objects that servers return. Fields that only a server knows must be
// ignored.
func TestOtherFields(t *testing.T) {
	job := func(uid string, parallelism int64) object {
		return object{"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": "a", "uid": uid}, "spec": object{
			"parallelism": parallelism,
			"selector":    object{"matchLabels": object{"batch.kubernetes.io/controller-uid": uid}},
			"template":    object{"metadata": object{"labels": object{"batch.kubernetes.io/controller-uid": uid}}},
		}}
	}
	if found := otherFields(job("1", 1), job("2", 1)); len(found) > 0 {
		t.Errorf("got %v, want no difference", found)
	}
	if found := otherFields(job("1", 1), job("2", 2)); len(found) != 1 || found[0].Path != ".spec.parallelism" {
		t.Errorf("got %v, want only parallelism", found)
	}
	service := func(node, port int64) object {
		return object{"apiVersion": "v1", "kind": "Service", "spec": object{"ports": []any{object{"nodePort": node, "port": port}}}}
	}
	if found := otherFields(service(30001, 80), service(30002, 81)); len(found) != 1 || found[0].Path != ".spec.ports[].port" {
		t.Errorf("got %v, want only the port", found)
	}
}
