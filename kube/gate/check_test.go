// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dovetail-ssa/dovetail/kube/gate"
)

func newGate(t testing.TB, o gate.Options) *gate.Gate {
	t.Helper()
	if o.Release == "" {
		o.Release = "v1.37.2"
	}
	g, err := gate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func object(t testing.TB, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	var o map[string]any
	if err := utiljson.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

// The live ConfigMap has data that the manager shop applied, and a label of another
// manager.
const (
	config = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": "n"%M}, "data": {%D}}`
	entry  = `{"manager": "shop", "operation": "Apply", "apiVersion": "v1", "time": "2026-03-01T10:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:a": {}}}}`
	other  = `{"manager": "kubectl", "operation": "Update", "apiVersion": "v1", "time": "2026-03-01T10:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:team": {}}}}}`
)

func configMap(metadata, data string) string {
	return strings.NewReplacer("%M", metadata, "%D", data).Replace(config)
}

func TestCheck(t *testing.T) {
	live := configMap(`, "uid": "u", "resourceVersion": "7", "labels": {"team": "a"}, "managedFields": [`+entry+`,`+other+`]`, `"a": "1"`)
	for _, c := range []struct {
		name, live, applied string
		want                gate.Reason
	}{
		{"the same", live, configMap(``, `"a": "1"`), gate.Unchanged},
		{"another value", live, configMap(``, `"a": "2"`), gate.Changed},
		{"one more field", live, configMap(``, `"a": "1", "b": "1"`), gate.Changed},
		{"one field less", live, configMap(``, ``), gate.Changed},
		{"a field of another owner, as it is", live, configMap(`, "labels": {"team": "a"}`, `"a": "1"`), gate.Changed},
		{"a field of another owner", live, configMap(`, "labels": {"team": "b"}`, `"a": "1"`), gate.Conflict},
		{"no live object", "", configMap(``, `"a": "1"`), gate.NotFound},
		{"a version", live, configMap(`, "resourceVersion": "7"`, `"a": "1"`), gate.Versioned},
		{"an unknown field", live, strings.Replace(configMap(``, `"a": "1"`), `"data"`, `"date"`, 1), gate.Refused},
		{"an unknown type", live, strings.Replace(configMap(``, `"a": "1"`), `ConfigMap`, `ConfigMop`, 1), gate.UnknownType},
		{"being deleted", strings.Replace(live, `"uid"`, `"deletionTimestamp": "2026-03-01T10:00:00Z", "uid"`, 1), configMap(``, `"a": "1"`), gate.Ending},
		{"stripped", configMap(`, "uid": "u"`, `"a": "1"`), configMap(``, `"a": "1"`), gate.Unowned},
		{"a field of a newer release", strings.Replace(live, `"data"`, `"newer": "1", "data"`, 1), configMap(``, `"a": "1"`), gate.Unsure},
		{"managed fields that cannot be read", strings.Replace(live, `"f:a"`, `"x"`, 1), configMap(``, `"a": "1"`), gate.Refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, sent := object(t, c.live), object(t, c.applied)
			d := newGate(t, gate.Options{}).Check(before, sent, "shop", "")
			if d.Reason != c.want || d.Send() != (c.want != gate.Unchanged) {
				t.Errorf("got %v, want %s", d, c.want)
			}
			if text(t, before) != text(t, object(t, c.live)) || text(t, sent) != text(t, object(t, c.applied)) {
				t.Error("Check modified an argument")
			}
		})
	}
}

func text(t testing.TB, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Adding an empty map that is not stored counts as a change for the server. If this
// changes the order of the entries, the applier's entry gets the time of the request.
func TestEntriesInAnotherOrder(t *testing.T) {
	mine := strings.Replace(entry, `"f:data"`, `"f:metadata": {"f:annotations": {}}, "f:data"`, 1)
	second := strings.NewReplacer(`"shop"`, `"zoo"`, `"f:a"`, `"f:z"`).Replace(entry)
	applied := object(t, configMap(`, "annotations": {}`, `"a": "1"`))
	for entries, want := range map[string]gate.Reason{mine: gate.Unchanged, mine + "," + second: gate.Changed} {
		live := object(t, configMap(`, "uid": "u", "managedFields": [`+entries+`]`, `"a": "1", "z": "1"`))
		if d := newGate(t, gate.Options{}).Check(live, applied, "shop", ""); d.Reason != want {
			t.Errorf("got %v, want %s", d, want)
		}
	}
}

func TestAlwaysSend(t *testing.T) {
	live := object(t, configMap(`, "managedFields": [`+entry+`]`, `"a": "1"`))
	g := newGate(t, gate.Options{AlwaysSend: []schema.GroupKind{{Kind: "ConfigMap"}}})
	if d := g.Check(live, object(t, configMap(``, `"a": "1"`)), "shop", ""); d.Reason != gate.Asked {
		t.Errorf("got %v", d)
	}
}

func TestReleaseIsKnown(t *testing.T) {
	if _, err := gate.New(gate.Options{Release: "1.12"}); err == nil {
		t.Error("1.12 is known")
	}
}

const widgets = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.ex.io"}, "spec": {
	"group": "ex.io", "names": {"kind": "Widget", "plural": "widgets"}, "scope": "Namespaced", "conversion": {"strategy": "%S"}, "versions": [
	{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
		"spec": {"type": "object", "properties": {"size": {"type": "integer", "default": 3}, "colour": {"type": "string"}}},
		"status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}}}}},
	{"name": "v2", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}`

// Applies of a custom resource are always sent until its definition is known. A new
// definition can change the decision.
func TestDefine(t *testing.T) {
	g := newGate(t, gate.Options{})
	define := func(text string) {
		t.Helper()
		if err := g.Define(&unstructured.Unstructured{Object: object(t, text)}); err != nil {
			t.Fatal(err)
		}
	}
	const (
		head = `{"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "n"`
		own  = `{"manager": "shop", "operation": "Apply", "apiVersion": "ex.io/%V", "time": "2026-03-01T10:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:colour": {}}}}`
		rest = `, "spec": {"colour": "red", "size": 3}, "status": {"ready": true}}`
	)
	live := object(t, head+`, "managedFields": [`+strings.Replace(own, "%V", "v1", 1)+`]}`+rest)
	otherVersion := object(t, head+`, "managedFields": [`+strings.Replace(own, "%V", "v2", 1)+`,`+strings.NewReplacer("%V", "v1", "colour", "size").Replace(own)+`]}`+rest)
	applied := object(t, head+`}, "spec": {"colour": "red"}}`)
	check := func(name string, live map[string]any, want gate.Reason) {
		t.Helper()
		if d := g.Check(live, applied, "shop", ""); d.Reason != want {
			t.Errorf("%s: got %v, want %s", name, d, want)
		}
	}
	check("no definition", live, gate.UnknownType)
	none := strings.Replace(widgets, "%S", "None", 1)
	define(none)
	check("defined", live, gate.Unchanged)
	check("in another version", otherVersion, gate.Changed)
	status := object(t, head+`}, "status": {"ready": true}}`)
	if d := g.Check(live, status, "shop", "status"); d.Reason != gate.Changed {
		t.Errorf("status that nobody owns yet: %v", d)
	}
	withStatus := maps.Clone(live)
	withStatus["metadata"] = map[string]any{"name": "w", "namespace": "n", "managedFields": []any{object(t, strings.NewReplacer(
		"%V", "v1", `{"f:spec": {"f:colour": {}}}`, `{"f:status": {"f:ready": {}}}`, `"operation"`, `"subresource": "status", "operation"`).Replace(own))}}
	if d := g.Check(withStatus, status, "shop", "status"); d.Reason != gate.Unchanged {
		t.Errorf("status as it is: %v", d)
	}
	define(strings.Replace(none, `"size": {"type": "integer", "default": 3}, `, "", 1))
	check("the definition has lost a field", live, gate.Unsure)
	define(strings.Replace(widgets, "%S", "Webhook", 1))
	check("a webhook converts", otherVersion, gate.Changed)
	g.Forget("widgets.ex.io")
	check("forgotten", live, gate.UnknownType)
	if err := g.Define(&unstructured.Unstructured{Object: object(t, configMap("", ""))}); err == nil {
		t.Error("a ConfigMap is a definition")
	}
}
