// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoncall

import (
	"encoding/json"
	"strings"
	"testing"
)

// callEngine calls an operation and returns its answer.
func callEngine(t *testing.T, e *Engine, op string, types int, args any) map[string]any {
	t.Helper()
	text, err := json.Marshal(map[string]any{"op": op, "types": types, "args": args})
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(e.Call(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// newTypes loads a set of types and returns its number.
func newTypes(t *testing.T, e *Engine, args any) int {
	t.Helper()
	a := callEngine(t, e, "types", 0, args)
	if a["ok"] != true {
		t.Fatalf("%v", a["errors"])
	}
	return int(a["types"].(float64))
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "web:1"}
`

// TestManagedFieldsInConfig checks that a config with managed fields is rejected, as by a server.
// An update may have managed fields.
func TestManagedFieldsInConfig(t *testing.T) {
	e := New()
	types := newTypes(t, e, map[string]any{})
	config := strings.Replace(deployment, "namespace: shop", "namespace: shop, managedFields: []", 1)
	out := callEngine(t, e, "apply", types, map[string]any{"config": config, "manager": "one"})
	if text, _ := json.Marshal(out["errors"]); out["ok"] != false || out["status"] != 400.0 || !strings.Contains(string(text), "metadata.managedFields must be nil") {
		t.Errorf("status %v: %s", out["status"], text)
	}
	if out := callEngine(t, e, "update", types, map[string]any{"object": config, "manager": "one"}); out["status"] != 201.0 {
		t.Errorf("an update: %v", out)
	}
}

func TestApplyConflictAndWaysOut(t *testing.T) {
	e := New()
	types := newTypes(t, e, map[string]any{})
	first := callEngine(t, e, "apply", types, map[string]any{"config": deployment, "manager": "one", "time": "2026-01-31T12:00:00Z"})
	if first["ok"] != true || first["changed"] != true {
		t.Fatalf("%v", first)
	}
	args := map[string]any{"config": strings.Replace(deployment, "replicas: 3", "replicas: 5", 1), "live": first["yaml"], "manager": "two"}
	second := callEngine(t, e, "apply", types, args)
	conflicts := second["conflicts"].([]any)
	if second["ok"] != false || second["object"] != nil || len(conflicts) != 1 {
		t.Fatalf("%v", second)
	}
	c := conflicts[0].(map[string]any)
	if c["path"] != ".spec.replicas" || c["manager"] != "one" || c["line"] != 5.0 {
		t.Errorf("conflict %v", c)
	}
	for _, choice := range []string{"force", "yield", "share"} {
		args[choice] = true
		out := callEngine(t, e, "apply", types, args)
		if out["ok"] != true || len(out["resolved"].([]any)) != 1 {
			t.Errorf("%s: %v", choice, out["errors"])
		}
		delete(args, choice)
	}
}

// TestStatusOfInvalidValue checks that the status of an object with an invalid value is 422, as on an
// API server.
func TestStatusOfInvalidValue(t *testing.T) {
	e := New()
	types := newTypes(t, e, map[string]any{})
	config := strings.Replace(deployment, "name: web, image", "name: Web_1, image", 1)
	out := callEngine(t, e, "apply", types, map[string]any{"config": config, "manager": "one"})
	if out["ok"] != false || out["status"] != 422.0 {
		t.Errorf("ok %v, status %v: %v", out["ok"], out["status"], out["errors"])
	}
}

// TestStatusOfMissingSubresource checks that a request to a subresource that the kind does not have gets
// 404, and that a request to scale with another object than a Scale gets 400.
func TestStatusOfMissingSubresource(t *testing.T) {
	e := New()
	types := newTypes(t, e, map[string]any{})
	for subresource, want := range map[string]float64{"resize": 404, "scale": 400, "status": 200} {
		out := callEngine(t, e, "update", types, map[string]any{"object": deployment, "live": deployment, "manager": "one", "subresource": subresource})
		if out["status"] != want {
			t.Errorf("%s: status %v: %v", subresource, out["status"], out["errors"])
		}
	}
}
