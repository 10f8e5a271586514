// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// TestDifferences checks that differences include owners. They ignore values that only a server
// knows or counts, and do not reveal values of a Secret.
func TestDifferences(t *testing.T) {
	object := func(text string) map[string]any {
		t.Helper()
		var o map[string]any
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	entry := func(manager, fields string) string {
		return `{"manager": "` + manager + `", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": ` + fields + `}}`
	}
	config := func(kind, metadata, rest string) map[string]any {
		return object(`{"apiVersion": "v1", "kind": "` + kind + `", "metadata": {"name": "x"` + metadata + `}, ` + rest + `}`)
	}
	for _, c := range []struct {
		name               string
		predicted, answers map[string]any
		unknown            map[string]bool
		want               []string
	}{
		{"equal objects", config("ConfigMap", "", `"data": {"a": "1"}`), config("ConfigMap", `, "uid": "u", "resourceVersion": "7", "generation": 3`, `"data": {"a": "1"}`), nil, nil},
		{"a changed value, a missing one and an additional one", config("ConfigMap", "", `"data": {"a": "1", "b": "1"}`), config("ConfigMap", "", `"data": {"a": "2", "c": "1"}`), nil,
			[]string{`.data.a: predicted "1", server "2"`, `.data.b: predicted "1", server nothing`, `.data.c: predicted nothing, server "1"`}},
		{"an item, and a list of another length", config("X", "", `"l": [{"a": 1}], "m": [1]`), config("X", "", `"l": [{"a": 2}], "m": [1, 2]`), nil,
			[]string{".l[0].a: predicted 1, server 2", ".m: predicted [1], server [1, 2]"}},
		{"a value that only the server knows", config("X", "", `"spec": {"ip": ""}`), config("X", "", `"spec": {"ip": "10.0.0.1"}`), map[string]bool{".spec.ip": true}, nil},
		{"a Secret", config("Secret", "", `"data": {"a": "MQ=="}`), config("Secret", "", `"data": {"a": "Mg=="}`), nil,
			[]string{".data.a: the values differ (values of a Secret are not shown)"}},
		{"owners", config("ConfigMap", `, "managedFields": [`+entry("a", `{"f:x": {}}`)+`, `+entry("b", `{}`)+`]`, `"data": {}`), config("ConfigMap", `, "managedFields": [`+entry("a", `{"f:y": {}}`)+`]`, `"data": {}`), nil,
			[]string{"a (Apply, v1): only the prediction has these paths: .data.x", "a (Apply, v1): only the server has these paths: .data.y", "b (Apply, v1): predicted, but the server has no such entry"}},
	} {
		if got := Differences(c.predicted, c.answers, c.unknown); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

// A prediction and a server agree if both apply a request, or both reject it with the same HTTP
// status. If the predicted status is unknown, any status except 409 agrees with it.
func TestRefusalsAreCompared(t *testing.T) {
	refused := func(code int) *cluster.Refusal {
		return &cluster.Refusal{Problem: cluster.Problem{Code: code, Reason: "Why", Message: "no"}}
	}
	failed := func(status int) *Outcome {
		return &Outcome{Errors: manifest.Errors{{Message: "bad"}}, refusedStatus: status}
	}
	conflict := &Outcome{Conflicts: make([]fieldmanager.Conflict, 1)}
	fixed := &Outcome{Immutable: make([]fieldmanager.ImmutableField, 1)}
	for _, c := range []struct {
		ours   *Outcome
		theirs *cluster.Refusal
		want   string
	}{
		{&Outcome{}, nil, ""},
		{&Outcome{}, refused(422), "predicted: applied, server: refused: 422 Why: no"},
		{conflict, refused(409), ""},
		{conflict, refused(422), "predicted: a conflict, server: refused: 422 Why: no"},
		{conflict, nil, "predicted: a conflict, server: applied"},
		{fixed, refused(422), ""},
		{fixed, refused(403), "predicted: refused: 422: a change that is not allowed, server: refused: 403 Why: no"},
		{failed(422), refused(422), ""},
		{failed(409), refused(409), ""},
		{failed(422), refused(403), "predicted: refused: 422: bad, server: refused: 403 Why: no"},
		{failed(422), nil, "predicted: refused: 422: bad, server: applied"},
		{failed(0), refused(400), ""},
		{failed(0), refused(500), ""},
		{failed(0), refused(409), "predicted: refused: bad, server: refused: 409 Why: no"},
		{failed(0), nil, "predicted: refused: bad, server: applied"},
	} {
		if got := strings.Join(c.ours.compareRefusals(c.theirs), ", "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
