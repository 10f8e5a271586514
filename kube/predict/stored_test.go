// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"maps"
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

const knobs = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "knobs.example.com"}, "spec": {
	"group": "example.com", "names": {"kind": "Knob", "plural": "knobs"}, "scope": "Namespaced", "versions": [
		{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
			"spec": {"type": "object", "properties": {"mode": {"type": "string"}, "size": {"type": "string"}, "count": {"type": "integer"}}}}}}},
		{"name": "v2", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
			"spec": {"type": "object", "properties": {"mode": {"type": "string"}, "size": {"type": "string"}, "count": {"type": "integer"}, "new": {"type": "string"}}}}}}}]}}`

// knob is the definition of version v2. The map own contains the defaults of v2, and
// the map stored contains the defaults of the storage version v1. Version v1 lacks the
// field "new".
type knob struct{ own, stored map[string]string }

func (k knob) Default(o map[string]any) (map[string]any, error) { return withSpec(o, k.own, ""), nil }

func (k knob) ReadBack(o map[string]any) (map[string]any, error) {
	return withSpec(o, k.stored, "new"), nil
}

// withSpec returns an object with values added to its spec, and without the spec field removed.
func withSpec(o map[string]any, values map[string]string, removed string) map[string]any {
	o = maps.Clone(o)
	spec, _ := o["spec"].(map[string]any)
	if spec = maps.Clone(spec); spec == nil {
		return o
	}
	for name, v := range values {
		if spec[name] == nil {
			spec[name] = v
		}
	}
	delete(spec, removed)
	o["spec"] = spec
	return o
}

func knobServer(t *testing.T, d predict.Definition, o openapi.Options) *predict.Server {
	t.Helper()
	catalog := openapi.New(o)
	if err := catalog.AddCRD("knobs", []byte(knobs)); err != nil {
		t.Fatal(err)
	}
	return &predict.Server{
		FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(catalog.Type), Converter: fieldmanager.NoneConverter},
		Kind:         catalog.Kind,
		Custom:       func(string, string) (predict.Definition, bool) { return d, true },
	}
}

func knobOf(spec string) string {
	return `{"apiVersion": "example.com/v2", "kind": "Knob", "metadata": {"name": "a"}, "spec": ` + spec + `}`
}

// After a request in version v2, the object must have the defaults of the storage
// version v1. These defaults must have no owner.
func TestDefaultsOfStoredVersion(t *testing.T) {
	s := knobServer(t, knob{stored: map[string]string{"mode": "slow"}}, openapi.Options{})
	for _, verb := range []predict.Verb{predict.Create, predict.Apply} {
		p := predictRequest(t, s, verb, "", knobOf(`{"size": "1"}`), nil)
		if got, want := p.Object["spec"], map[string]any{"mode": "slow", "size": "1"}; !reflect.DeepEqual(got, any(want)) {
			t.Errorf("verb %d: got %v, want %v", verb, got, want)
		}
		if got := at(t, p.Object, ".metadata.managedFields[0].fieldsV1"); !reflect.DeepEqual(got, map[string]any{"f:spec": map[string]any{"f:size": map[string]any{}}}) &&
			!reflect.DeepEqual(got, map[string]any{"f:spec": map[string]any{".": map[string]any{}, "f:size": map[string]any{}}}) {
			t.Errorf("verb %d: owned: %v", verb, got)
		}
		if got := p.Filled.After["spec"]; !reflect.DeepEqual(got, p.Object["spec"]) {
			t.Errorf("verb %d: filled: %v", verb, got)
		}
		again := predictRequest(t, s, predict.Apply, "", knobOf(`{"size": "1"}`), p.Object)
		if verb == predict.Apply && again.Changed {
			t.Errorf("sending the same object again counts as a change: %v", again.Object)
		}
	}
}

// The live object comes from the store, so it lacks defaults of fields that only the
// version of the request declares. Each request sets these defaults again. The
// generation therefore increases each time, although the server does not store the
// values.
func TestFieldUnknownToStoredVersion(t *testing.T) {
	s := knobServer(t, knob{own: map[string]string{"new": "x"}}, openapi.Options{})
	live := predictRequest(t, s, predict.Create, "", knobOf(`{"size": "1"}`), nil).Object
	if got := live["spec"]; !reflect.DeepEqual(got, any(map[string]any{"size": "1"})) {
		t.Errorf("created: %v", got)
	}
	p := predictRequest(t, s, predict.Update, "", knobOf(`{"size": "1"}`), live)
	if got := p.Object["spec"]; !reflect.DeepEqual(got, any(map[string]any{"size": "1"})) || !p.Changed {
		t.Errorf("updated: %v, changed %v", got, p.Changed)
	}
	if got := at(t, p.Object, ".metadata.generation"); got != int64(2) {
		t.Errorf("generation %v, want 2", got)
	}
	if got := p.Live["spec"]; !reflect.DeepEqual(got, any(map[string]any{"size": "1"})) {
		t.Errorf("live: %v", got)
	}
}

// If both versions have a default, a live object without the value must get the default of
// the storage version.
func TestLiveGetsDefaultsOfStoredVersion(t *testing.T) {
	s := knobServer(t, knob{own: map[string]string{"mode": "fast"}, stored: map[string]string{"mode": "slow"}}, openapi.Options{})
	live := object(t, knobOf(`{"size": "1"}`))
	p := predictRequest(t, s, predict.Apply, "", knobOf(`{"size": "1"}`), live)
	if got := at(t, p.Live, ".spec.mode"); got != "slow" {
		t.Errorf("live: %v, want slow", got)
	}
	if got := at(t, p.Object, ".spec.mode"); got != "slow" {
		t.Errorf("stored: %v, want slow", got)
	}
}
