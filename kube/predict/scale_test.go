// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// sized is a definition with another replicas field.
type sized struct{ knob }

func (sized) ReplicasPath() fieldpath.Path { return fieldpath.MakePathOrDie("spec", "size") }

// A scale is merged as a Scale object, which only has the owners of the replicas.
func TestScaleOwners(t *testing.T) {
	builtin, err := openapi.BuiltinRelease("1.37", openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	deployments := &predict.Server{FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(builtin.Type)}, Kind: builtin.Kind}
	const (
		selector = `"f:selector":{}`
		at       = `"time":"2026-01-01T00:00:00Z"`
	)
	entry := func(manager, operation, fields string, more ...string) string {
		return `{"apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{` + fields + `}},"manager":"` + manager + `","operation":"` + operation + `"` +
			strings.Join(append([]string{""}, more...), ",") + `}`
	}
	for _, c := range []struct {
		what, before string
		replicas     int64
		after        string
		unchanged    bool
	}{
		{"others lose what it sets", entry("creator", "Update", `"f:replicas":{},`+selector, at), 3,
			entry("scaler", "Update", `"f:replicas":{}`, `"subresource":"scale"`) + "," + entry("creator", "Update", selector, at), false},
		{"who has nothing else has no entry", entry("gitops", "Apply", `"f:replicas":{}`, at), 3,
			entry("scaler", "Update", `"f:replicas":{}`, `"subresource":"scale"`), false},
		{"nobody owns them", entry("gitops", "Apply", selector, at), 3, entry("gitops", "Apply", selector, at), false},
		{"nobody owns anything", "", 3, "", false},
		{"who updated keeps them in an entry of its own", entry("creator", "Update", `"f:replicas":{},`+selector, at), 2,
			entry("creator", "Update", `"f:replicas":{}`) + "," + entry("creator", "Update", selector, at), false},
		{"who applied keeps them", entry("gitops", "Apply", `"f:replicas":{},`+selector, at), 2, entry("gitops", "Apply", `"f:replicas":{},`+selector, at), true},
		{"the scaler keeps them", entry("scaler", "Update", `"f:replicas":{}`, `"subresource":"scale"`), 2, entry("scaler", "Update", `"f:replicas":{}`, `"subresource":"scale"`), true},
	} {
		t.Run(c.what, func(t *testing.T) {
			read := func(replicas int64, managed string) (o map[string]any) {
				text := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"b","uid":"1","managedFields":[` + managed + `]},"spec":{}}`
				if err := json.Unmarshal([]byte(text), &o); err != nil {
					t.Fatal(err)
				}
				o["spec"].(map[string]any)["replicas"] = replicas
				if managed == "" {
					delete(o["metadata"].(map[string]any), "managedFields")
				}
				return o
			}
			got, err := deployments.Predict(&predict.Request{
				Subresource: "scale", Manager: "scaler", Time: time.Unix(1_800_000_000, 0), Live: read(2, c.before), Object: read(c.replicas, c.before),
			})
			if err != nil {
				t.Fatal(err)
			}
			metadata := func(o map[string]any) any { return o["metadata"].(map[string]any)["managedFields"] }
			if diff := cmp.Diff(metadata(read(0, c.after)), metadata(got.Object)); diff != "" || got.Changed == c.unchanged {
				t.Errorf("changed %v %s", got.Changed, diff)
			}
		})
	}
}

// If the replicas field has no owner, or is unknown, a scale adds no owners.
func TestScaleOfCustomResources(t *testing.T) {
	live := map[string]any{"apiVersion": "example.com/v2", "kind": "Knob", "spec": map[string]any{"size": "1", "mode": "a"}, "metadata": map[string]any{"name": "a", "managedFields": []any{
		map[string]any{"apiVersion": "example.com/v2", "manager": "gitops", "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:spec": map[string]any{"f:mode": map[string]any{}}}},
	}}}
	object := map[string]any{"apiVersion": "example.com/v2", "kind": "Knob", "spec": map[string]any{"size": "2", "mode": "a"}, "metadata": live["metadata"]}
	for _, c := range []struct {
		d        predict.Definition
		managers string
	}{{sized{}, "gitops"}, {knob{}, "gitops scaler"}, {nil, "gitops scaler"}} {
		got, err := knobServer(t, c.d, openapi.Options{}).Predict(&predict.Request{Subresource: "scale", Manager: "scaler", Live: live, Object: object})
		if err != nil {
			t.Fatal(err)
		}
		var managers []string
		for _, e := range got.Managed.Entries() {
			managers = append(managers, e.Manager)
		}
		if strings.Join(managers, " ") != c.managers {
			t.Errorf("%T: got %v", c.d, managers)
		}
	}
}
