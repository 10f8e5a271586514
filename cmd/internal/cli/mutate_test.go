// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/fixture"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// liveObjects returns objects with managed fields. Some are recorded answers of a real API
// server, and some are examples.
func liveObjects(t testing.TB) (objects []map[string]any) {
	t.Helper()
	files, err := filepath.Glob(goldenDir + "/*.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := fixture.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		values, err := manifest.ReadValues(file, data)
		if err != nil {
			t.Fatal(err)
		}
		scenario, _ := values[0].(map[string]any)
		steps, _ := scenario["steps"].([]any)
		for _, s := range steps {
			response, _ := s.(map[string]any)["response"].(map[string]any)
			body, _ := response["body"].(map[string]any)
			metadata, _ := body["metadata"].(map[string]any)
			if metadata["managedFields"] != nil && body["kind"] != "CustomResourceDefinition" {
				objects = append(objects, body)
			}
		}
	}
	for _, name := range []string{"service", "database"} {
		file := "../../../examples/" + name + "/live.yaml"
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		values, err := manifest.ReadValues(file, data)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, values[0].(map[string]any))
	}
	if len(objects) < 50 {
		t.Fatalf("only %d live objects in %s", len(objects), goldenDir)
	}
	return objects
}

// hostile lists strings that often break programs.
var hostile = []string{
	"", " ", "\n", "# x", "a: b", "- x", "true", "null", "80", "~", "'", "\"", "</script><script>alert(1)</script>",
	"\x1b[2J", "\u2028", "<b onload=x>", "{{.}}", "two\nlines\n", "\ttab", strings.Repeat("long ", 40), "ä€😀", "`", "javascript:x", "\x00",
	"f:a", "k:{}", `k:{"a":1}`, "v:1", "i:0", ".", "Apply", "Update", "2026-01-01T00:00:00Z", "v1", "ex.io/v0",
}

// mutate returns a copy of object with a few random changes.
func mutate(r *rand.Rand, object map[string]any) map[string]any {
	var copied any
	text, _ := json.Marshal(object) // plain data can always be encoded
	_ = json.Unmarshal(text, &copied)
	for range 1 + r.IntN(4) {
		copied = mutateOne(r, copied, 0)
	}
	if m, ok := copied.(map[string]any); ok {
		return m
	}
	return map[string]any{"apiVersion": "v1", "kind": "Service", "spec": copied}
}

func mutateOne(r *rand.Rand, v any, depth int) any {
	if depth > 1 && r.IntN(6) == 0 {
		return someValue(r, depth)
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 || r.IntN(12) == 0 {
			v[hostile[r.IntN(len(hostile))]] = someValue(r, depth)
			return v
		}
		names := slices.Sorted(maps.Keys(v))
		name := names[r.IntN(len(names))]
		switch {
		case depth > 0 && r.IntN(10) == 0:
			delete(v, name)
		case depth > 0 && r.IntN(10) == 0:
			v[hostile[r.IntN(len(hostile))]] = v[name]
		default:
			v[name] = mutateOne(r, v[name], depth+1)
		}
		return v
	case []any:
		if len(v) == 0 || r.IntN(12) == 0 {
			return append(v, someValue(r, depth))
		}
		i := r.IntN(len(v))
		switch r.IntN(8) {
		case 0:
			return slices.Delete(v, i, i+1)
		case 1:
			return append(v, v[i])
		}
		v[i] = mutateOne(r, v[i], depth+1)
		return v
	}
	return someValue(r, depth)
}

func someValue(r *rand.Rand, depth int) any {
	switch r.IntN(8) {
	case 0:
		return nil
	case 1:
		return r.IntN(3)
	case 2:
		return r.IntN(2) == 0
	case 3:
		return 1.5
	case 4:
		return map[string]any{}
	case 5:
		if depth < 8 {
			return []any{someValue(r, depth+1)}
		}
		return []any{}
	case 6:
		if depth < 8 {
			return map[string]any{hostile[r.IntN(len(hostile))]: someValue(r, depth+1)}
		}
	}
	return hostile[r.IntN(len(hostile))]
}

// reports reports whether a command line prints reports, which contain the errors.
func reports(command []string) bool {
	return slices.Contains(command, "report") || slices.Contains(command, "ndjson")
}

// checkOrderly fails unless a command has ended properly: with a result, or without one and with
// errors on standard error.
func checkOrderly(t *testing.T, input string, command []string, status int, stdout, stderr string) {
	t.Helper()
	switch {
	case strings.Contains(stderr, "internal error") || strings.Contains(stderr, "goroutine "):
		t.Fatalf("%q: %.2000s\nof %s", command, stderr, input)
	case status < 0 || status > 3:
		t.Fatalf("%q: status %d\nof %s", command, status, input)
	case status == 3 && stdout != "" && !reports(command):
		t.Fatalf("%q: status 3 with a result: %.500s\nof %s", command, stdout, input)
	case status == 3 && stderr == "" && !reports(command):
		t.Fatalf("%q: status 3 without a reason\nof %s", command, input)
	case strings.ContainsAny(stderr, "\x1b\x00") || strings.ContainsAny(stdout, "\x1b\x00"):
		t.Fatalf("%q: control characters: %.500q %q\nof %s", command, stdout, stderr, input)
	case strings.Contains(stderr, "map[") || strings.Contains(stderr, "interface {}"):
		t.Fatalf("%q: a Go value in the message: %s\nof %s", command, stderr, input)
	}
}
