// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/fixture"
)

// goldenDir contains requests to a real kube-apiserver, recorded with its answers.
const goldenDir = "../../../spec/testdata/requests"

// notLikeServer lists recorded steps for which the command's answer differs from the server's, with
// the reason.
var notLikeServer = map[string]string{
	"m1 nested removal":       "an emptied collection that was applied is kept and owned",
	"managedFields set":       "the command removes managed fields from the config, with a warning",
	"wrong kind":              "the command has no URL to compare the object with",
	"name differs":            "the command has no URL to compare the object with",
	"duplicate YAML key":      "the command rejects duplicate keys",
	"uid on a missing object": "the command reports only conflicts between managers with status 2",
	"stale resourceVersion":   "the command reports only conflicts between managers with status 2",
}

type goldenStep struct {
	Note    string
	Request struct {
		Method, Path, ContentType string
		Query                     map[string]string
		Body                      json.RawMessage
	}
	Response struct {
		Status int
		Body   map[string]any
	}
}

// TestApplyLikeServer runs the command for every recorded apply to a whole object, with the live
// object of the server. It compares conflicts and managed fields with the answer of the server. It
// compares the stored object only for custom resources.
func TestApplyLikeServer(t *testing.T) {
	files, err := filepath.Glob(goldenDir + "/*.json*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded requests in %s: %v", goldenDir, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := fixture.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var scenario struct{ Steps []goldenStep }
			if err := json.Unmarshal(data, &scenario); err != nil {
				t.Fatal(err)
			}
			if replayApplies(t, scenario.Steps) == 0 {
				t.Error("no apply was compared")
			}
		})
	}
}

// resourcePath removes the version from a URL path, because an object is the same in all versions.
func resourcePath(path string) string {
	steps := strings.Split(path, "/")
	if len(steps) > 3 && steps[1] == "apis" {
		steps[3] = "*"
	}
	return strings.Join(steps, "/")
}

// predicted returns an object without the metadata that only a server knows.
func predicted(object map[string]any) map[string]any {
	object = maps.Clone(object)
	metadata, _ := object["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	for _, field := range []string{"creationTimestamp", "managedFields", "namespace", "resourceVersion", "uid"} {
		delete(metadata, field)
	}
	object["metadata"] = metadata
	return object
}

func replayApplies(t *testing.T, steps []goldenStep) (compared int) {
	live := map[string]string{} // files of live objects by resource
	var types []string
	for _, s := range steps {
		if s.Request.ContentType == "application/apply-patch+yaml" && s.Request.Query["fieldManager"] != "" {
			// This test covers only requests to whole objects.
			if notLikeServer[s.Note] == "" && !strings.HasSuffix(s.Request.Path, "/status") {
				compareApply(t, &s, live[resourcePath(s.Request.Path)], types)
				compared++
			}
		}
		kind := s.Response.Body["kind"]
		switch body := toJSON(t, s.Response.Body); {
		case kind == "CustomResourceDefinition" && s.Request.Method == "POST":
			types = []string{"--crd", write(t, "crd.json", string(s.Request.Body))}
		case s.Response.Status < 300 && kind != "Status" && kind != "Scale":
			url := strings.TrimSuffix(s.Request.Path, "/status")
			if s.Request.Method == "POST" {
				url += "/" + s.Response.Body["metadata"].(map[string]any)["name"].(string)
			}
			live[resourcePath(url)] = write(t, "live.json", body)
		}
	}
	return compared
}

func compareApply(t *testing.T, s *goldenStep, live string, types []string) {
	t.Helper()
	config := string(s.Request.Body)
	var text string
	if json.Unmarshal(s.Request.Body, &text) == nil {
		config = text // the config is YAML, not JSON
	}
	managed, newest := managedFields(s.Response.Body)
	// Compare one request only, without the further requests of kubectl.
	args := append([]string{"apply", "-f", "-", "-o", "report", "--kubectl=false", "--allow-missing-managed-fields",
		"--field-manager", s.Request.Query["fieldManager"], "--time", newest}, types...)
	if live != "" {
		args = append(args, "--live", live)
	}
	if s.Request.Query["force"] == "true" {
		args = append(args, "--force-conflicts")
	}
	status, stdout, stderr := run(config, false, args...)
	type applied struct {
		Object    map[string]any
		Conflicts []struct{ Path string }
	}
	got, err := reportedObject[applied](stdout)
	if err != nil {
		t.Errorf("%s: %v: %s%s", s.Note, err, stdout, stderr)
		return
	}
	switch s.Response.Status {
	case 200, 201:
		if len(types) > 0 {
			// The whole custom resource is predicted, except for values that the server generates.
			if have, want := predicted(got.Object), predicted(s.Response.Body); !reflect.DeepEqual(have, want) {
				t.Errorf("%s: stored is\n%s\nwant\n%s", s.Note, toJSON(t, have), toJSON(t, want))
			}
		}
		if have, _ := managedFields(got.Object); status != 0 || !reflect.DeepEqual(have, managed) {
			t.Errorf("%s: status %d, managed fields\n%s\nwant\n%s\n%s", s.Note, status, toJSON(t, have), toJSON(t, managed), stderr)
		}
	case 409:
		message, _ := s.Response.Body["message"].(string)
		if status != 2 || len(got.Conflicts) == 0 {
			t.Errorf("%s: status %d, want a conflict: %s", s.Note, status, message)
		}
		for _, c := range got.Conflicts {
			if !strings.Contains(message, c.Path) {
				t.Errorf("%s: conflict on %s is not in %s", s.Note, c.Path, message)
			}
		}
	default:
		if status != 3 {
			t.Errorf("%s: status %d, want 3 for %d", s.Note, status, s.Response.Status)
		}
	}
}

// managedFields returns the managed fields of an object, and the newest time in
// these managed fields.
func managedFields(object map[string]any) (list any, newest string) {
	newest = "2026-01-01T00:00:00Z"
	metadata, _ := object["metadata"].(map[string]any)
	entries, _ := metadata["managedFields"].([]any)
	for _, e := range entries {
		if at, ok := e.(map[string]any)["time"].(string); ok && at > newest {
			newest = at
		}
	}
	return metadata["managedFields"], newest
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
