// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/dovetail-ssa/dovetail/kube/publish"
	"github.com/dovetail-ssa/dovetail/typed"
)

// immutableDefinitions returns definitions with immutable fields, as a generator would write them.
func immutableDefinitions(refer common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	var all map[string]spec.Schema
	if err := json.Unmarshal([]byte(`{
	"io.example/ConfigMap": {"type": "object", "properties": {
		"apiVersion": {"type": "string"}, "kind": {"type": "string"},
		"metadata": {"type": "object", "properties": {"name": {"type": "string"}, "labels": {"type": "object", "additionalProperties": {"type": "string"}}}},
		"immutable": {"type": "boolean", "x-kubernetes-immutable": true},
		"data": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-immutable-keys": true}
	}},
	"io.example/Service": {"type": "object", "properties": {
		"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}, "status": {"type": "object"}
	}},
	"io.example/ServiceSpec": {"type": "object", "properties": {
		"type": {"type": "string", "default": "ClusterIP", "x-kubernetes-immutable": true},
		"ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"], "x-kubernetes-immutable-keys": true,
			"items": {"type": "object", "required": ["port"], "properties": {
				"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}, "targetPort": {"type": "integer"}}}}
	}}}`), &all); err != nil {
		panic(err)
	}
	all["io.example/Service"].Properties["spec"] = spec.Schema{SchemaProps: spec.SchemaProps{Ref: refer("io.example/ServiceSpec")}}
	definitions := map[string]common.OpenAPIDefinition{}
	for name, s := range all {
		definitions[name] = common.OpenAPIDefinition{Schema: s}
	}
	return definitions
}

// immutableType returns the type of a kind in immutableDefinitions.
func immutableType(t *testing.T, definitions common.GetOpenAPIDefinitions, kind string) typed.ParseableType {
	t.Helper()
	typ, err := typeOf(definitions, "io.example/"+kind, corev1.SchemeGroupVersion.WithKind(kind))
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// coreScheme returns a scheme with the Go types of the core group.
func coreScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// errorsOf returns the text of the errors for an update.
func errorsOf(t *testing.T, s strategy, object, old runtime.Object) string {
	if err := s.ValidateUpdate(t.Context(), object, old).ToAggregate(); err != nil {
		return err.Error()
	}
	return ""
}

// TestStrategy tests the update strategy of the guide for API servers, with the Go types and the
// scheme of Kubernetes.
func TestStrategy(t *testing.T) {
	s := strategy{coreScheme(t), corev1.SchemeGroupVersion, immutableType(t, immutableDefinitions, "ConfigMap")}
	yes, no := true, false
	old := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Immutable: &no, Data: map[string]string{"a": "1"}}
	for _, tc := range []struct {
		name   string
		change func(*corev1.ConfigMap)
		want   string
	}{
		{"no change", func(*corev1.ConfigMap) {}, ""},
		{"other fields", func(c *corev1.ConfigMap) { c.Labels, c.Data["a"] = map[string]string{"x": "y"}, "2" }, ""},
		{"immutable value", func(c *corev1.ConfigMap) { c.Immutable = &yes }, "immutable: Invalid value: true: field is immutable"},
		{"removed value", func(c *corev1.ConfigMap) { c.Immutable = nil }, "immutable: Invalid value: null: field is immutable"},
		{"new key", func(c *corev1.ConfigMap) { c.Data["b"] = "1" }, "data[b]: Forbidden: item may not be added"},
	} {
		object := old.DeepCopy()
		tc.change(object)
		if got := errorsOf(t, s, object, old); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestStrategyDefaults checks the update strategy with objects that lack defaults. It accepts them
// only if the schema has the defaults, as the definitions do. Schemas from /openapi/v2 lack them.
func TestStrategyDefaults(t *testing.T) {
	pruned := func(refer common.ReferenceCallback) map[string]common.OpenAPIDefinition {
		definitions := immutableDefinitions(refer)
		for name, d := range definitions {
			d.Schema = *publish.V2.Schema(&d.Schema)
			definitions[name] = d
		}
		return definitions
	}
	port := func(protocol corev1.Protocol) corev1.ServiceSpec {
		return corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80, Protocol: protocol}}}
	}
	for _, tc := range []struct {
		name         string
		old, updated corev1.ServiceSpec
		want, bare   string
	}{
		{"default of a field", corev1.ServiceSpec{}, corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP}, "", `spec.type: Invalid value: "ClusterIP": field is immutable`},
		{"default of a key", port(""), port("TCP"), "", "may not be"},
		{"another key", port(""), port("UDP"), "may not be", "may not be"},
		{"duplicate item", port("TCP"), corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80, Protocol: "TCP"}, {Port: 80, Protocol: "TCP", Name: "b"}}}, "", ""},
	} {
		old, updated := &corev1.Service{Spec: tc.old}, &corev1.Service{Spec: tc.updated}
		check := func(definitions common.GetOpenAPIDefinitions, want string) {
			s := strategy{coreScheme(t), corev1.SchemeGroupVersion, immutableType(t, definitions, "Service")}
			if got := errorsOf(t, s, updated, old); got != want && !(want == "may not be" && strings.Contains(got, want)) {
				t.Errorf("%s: got %q, want %q", tc.name, got, want)
			}
		}
		check(immutableDefinitions, tc.want)
		check(pruned, tc.bare)
	}
}

// TestStrategyInGuide checks that the guide shows the code of guide_test.go.
func TestStrategyInGuide(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, code, ok := strings.Cut(read("guide_test.go"), "\nimport (")
	if !ok || !strings.Contains(read("../../docs/for-api-servers.md"), "```go\nimport ("+code+"```\n") {
		t.Error("docs/for-api-servers.md does not contain the code of guide_test.go")
	}
}
