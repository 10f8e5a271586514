// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/gate"
)

func TestPredict(t *testing.T) {
	g := newGate(t, gate.Options{})
	live := object(t, configMap(`, "uid": "u", "resourceVersion": "7", "labels": {"team": "a"}, "managedFields": [`+entry+`,`+other+`]`, `"a": "1"`))
	taking := object(t, configMap(`, "labels": {"team": "b"}`, `"a": "1"`))
	if _, err := g.Predict(live, taking, "shop", false); !apierrors.IsConflict(err) || !apierrors.HasStatusCause(err, "FieldManagerConflict") {
		t.Errorf("a conflict: %v", err)
	}
	if got, err := g.Predict(live, taking, "shop", true); err != nil || !strings.Contains(text(t, got), `"team":"b"`) || !strings.Contains(text(t, got), `"resourceVersion":"7"`) {
		t.Errorf("by force: %v, %s", err, text(t, got))
	}
	if got, err := g.Predict(nil, taking, "shop", false); err != nil || strings.Contains(text(t, got), "resourceVersion") {
		t.Errorf("a new one: %v, %s", err, text(t, got))
	}
	if _, err := g.Predict(live, object(t, configMap(`, "managedFields": [`+entry+`]`, "")), "shop", true); !apierrors.IsBadRequest(err) {
		t.Errorf("managed fields: %v", err)
	}
	unknown := object(t, strings.Replace(configMap("", ""), "ConfigMap", "ConfigMop", 1))
	if _, err := g.Predict(nil, unknown, "shop", true); !errors.Is(err, fieldmanager.ErrUnknownType) {
		t.Errorf("an unknown type: %v", err)
	}
}

// If the server would reject the merged object, Predict must return the server's error.
// The cases are changes of immutable fields in built-in kinds, and values that a
// definition forbids.
func TestPredictIsValidated(t *testing.T) {
	g := newGate(t, gate.Options{})
	if err := g.Define(&unstructured.Unstructured{Object: object(t, strings.NewReplacer("%S", "None", `"default": 3`, `"default": 3, "maximum": 10`).Replace(widgets))}); err != nil {
		t.Fatal(err)
	}
	secret := func(value, managed string) map[string]any {
		return object(t, `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "default"`+managed+`}, "immutable": true, "type": "Opaque", "data": {"a": "`+value+`"}}`)
	}
	for _, c := range []struct {
		what          string
		live, applied map[string]any
		want          string
	}{
		{"an immutable Secret", secret("MQ==", `, "uid": "u"`), secret("Mg==", ""), `Secret "s" is invalid: data: Forbidden: field is immutable when ` + "`immutable` is set"},
		{"the same again", secret("MQ==", `, "uid": "u"`), secret("MQ==", ""), ""},
		{"a custom resource", nil, object(t, `{"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "default"}, "spec": {"size": 11}}`),
			`Widget.ex.io "w" is invalid: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10`},
	} {
		_, err := g.Predict(c.live, c.applied, "shop", true)
		if c.want == "" && err != nil || c.want != "" && (!apierrors.IsInvalid(err) || err.Error() != c.want) {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
}

// server stands in for an API server and handles requests for kinds that the gate does not
// know.
type server struct{}

func (server) Run(context.Context, *unstructured.Unstructured, string) (string, error) {
	return "the server's", nil
}

func TestDryRunner(t *testing.T) {
	var live *unstructured.Unstructured
	d := &gate.DryRunner{Gate: newGate(t, gate.Options{}), Live: func(context.Context, *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return live, nil
	}}
	config := &unstructured.Unstructured{Object: object(t, configMap("", `"a": "2"`))}
	for _, l := range []*unstructured.Unstructured{nil, {Object: object(t, configMap(`, "uid": "u", "managedFields": [`+entry+`]`, `"a": "1", "b": "1"`))}} {
		live = l
		got, err := d.Run(t.Context(), config, "shop")
		if err != nil || !strings.Contains(got, `"a":"2"`) || strings.Contains(got, `"b":"1"`) != (l != nil) {
			t.Errorf("got %v, %s", err, got)
		}
	}
	config.SetKind("ConfigMop")
	live = nil
	if _, err := d.Run(t.Context(), config, "shop"); err == nil {
		t.Error("the gate knows the type")
	}
	d.Server = server{}
	if got, err := d.Run(t.Context(), config, "shop"); err != nil || got != "the server's" {
		t.Errorf("got %v, %s", err, got)
	}
}
