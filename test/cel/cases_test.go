// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"encoding/json"
	"maps"
	"os"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// casesFile has the test cases for immutability markers.
const casesFile = "../../spec/testdata/immutability.yaml"

// least is the percentage of the cases in which CEL rules and markers must give the same
// verdict.
const least = 93

// TestCases checks the update of each case. Either the rules give the expected verdict, or the
// translation reports a doubt about the path of the change.
func TestCases(t *testing.T) {
	data, err := os.ReadFile(casesFile)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := manifest.ReadValues(casesFile, data)
	if err != nil {
		t.Fatal(err)
	}
	file := docs[0].(map[string]any)
	schemas, cases := file["schemas"].(map[string]any), file["cases"].([]any)
	for _, r := range releases {
		for _, dialect := range r.dialects {
			t.Run(r.name+string(dialect), func(t *testing.T) {
				var (
					requests []request
					made     []*cel.Translation
				)
				for _, c := range cases {
					c := c.(map[string]any)
					doc, m, err := translate(t, []byte(plain.Text(document(schemas[c["schema"].(string)]))), cel.Options{Dialect: dialect})
					if err != nil || len(m.Missing) > 0 {
						t.Fatalf("%v: %v %v", c["id"], err, m.Missing)
					}
					made = append(made, m)
					requests = append(requests, request{doc, [][2]json.RawMessage{{side(t, c, "old"), side(t, c, "new")}}})
				}
				exact := 0
				for i, a := range r.judge(t, requests) {
					c := cases[i].(map[string]any)
					if len(a.Refused) > 0 || a.Verdicts[0].Invalid != "" {
						t.Errorf("%v: the server rejects the CRD (%v) or an object (%v)", c["id"], a.Refused, a.Verdicts)
						continue
					}
					expect := c["expect"].(map[string]any)
					if (len(a.Verdicts[0].Errors) == 0) == (expect["allowed"] == true) {
						exact++
						continue
					}
					var fields []string
					errs, _ := expect["errors"].([]any)
					for _, e := range errs {
						fields = append(fields, e.(map[string]any)["path"].(string))
					}
					t.Logf("%v: want %q, got %q", c["id"], fields, a.Verdicts[0].Errors)
					if !announced(made[i].Doubts, fields) {
						t.Errorf("%v: the verdict is wrong, and no doubt explains it: %v", c["id"], made[i].Doubts)
					}
				}
				t.Logf("the rules give the expected verdict in %d of %d cases", exact, len(cases))
				if exact*100 < len(cases)*least {
					t.Errorf("the rules must give the expected verdict in %d %% of the cases", least)
				}
			})
		}
	}
}

// side returns the old or the new object of a case.
func side(t *testing.T, c map[string]any, name string) json.RawMessage {
	t.Helper()
	object := map[string]json.RawMessage{}
	switch v := c[name].(type) {
	case map[string]any:
		for k, part := range v {
			object[k] = json.RawMessage(plain.Text(part))
		}
	default:
		if err := json.Unmarshal([]byte(c[name+"JSON"].(string)), &object); err != nil {
			t.Fatal(err)
		}
	}
	meta := map[string]any{}
	if own, ok := c[name].(map[string]any); ok {
		given, _ := own["metadata"].(map[string]any)
		maps.Copy(meta, given)
	}
	maps.Copy(meta, map[string]any{"name": "x", "resourceVersion": "1"})
	object["apiVersion"], object["kind"] = json.RawMessage(`"example.com/v1"`), json.RawMessage(`"Thing"`)
	object["metadata"] = json.RawMessage(plain.Text(meta))
	return json.RawMessage(plain.Text(object))
}
