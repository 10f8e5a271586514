// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
)

// strategy is an update strategy. Embed your strategy to get the other methods.
type strategy struct {
	scheme  *runtime.Scheme
	version schema.GroupVersion // a version whose schema has the markers
	typ     typed.ParseableType // the type of the objects in this version
}

// ValidateUpdate returns an error for each change of an immutable field.
func (s strategy) ValidateUpdate(_ context.Context, object, old runtime.Object) field.ErrorList {
	after, err := s.plain(object)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	before, err := s.plain(old)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	err = fieldmanager.CheckTransition(s.typ, before, after, typed.TransitionOptions{})
	var immutable *fieldmanager.ImmutableError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &immutable):
		return field.ErrorList{field.InternalError(nil, err)}
	}
	var errs field.ErrorList
	for _, f := range immutable.Fields {
		e := &field.Error{Type: field.ErrorTypeForbidden, Field: f.Field, Detail: f.Message}
		if f.Type != typed.TransitionForbidden {
			e.Type = field.ErrorTypeInvalid
			if f.New != nil {
				e.BadValue = f.New.Unstructured()
			}
		}
		errs = append(errs, e)
	}
	return errs
}

// plain converts an object to the version of the schema, and then to plain data. A strategy gets
// objects of the internal version, whose fields have no JSON names.
func (s strategy) plain(object runtime.Object) (map[string]any, error) {
	versioned, err := s.scheme.ConvertToVersion(object, s.version)
	if err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(versioned)
}

// immutableDocument declares immutable fields in a part of the type ConfigMap.
const immutableDocument = `{"swagger": "2.0", "info": {"title": "t", "version": "v1"}, "paths": {}, "definitions": {"ConfigMap": {
	"type": "object",
	"properties": {
		"apiVersion": {"type": "string"}, "kind": {"type": "string"},
		"metadata": {"type": "object", "properties": {"name": {"type": "string"}, "labels": {"type": "object", "additionalProperties": {"type": "string"}}}},
		"immutable": {"type": "boolean", "x-kubernetes-immutable": true},
		"data": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-immutable-keys": true}
	},
	"x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "ConfigMap"}]
}}}`

// TestStrategy tests the update strategy of the guide for API servers, with the Go types and the
// scheme of Kubernetes.
func TestStrategy(t *testing.T) {
	catalog := openapi.New(openapi.Options{})
	if err := catalog.AddOpenAPI("openapi.json", []byte(immutableDocument)); err != nil {
		t.Fatal(err)
	}
	typ, ok := catalog.Type("v1", "ConfigMap")
	if !ok {
		t.Fatal("the document has no ConfigMap")
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	s := strategy{scheme, corev1.SchemeGroupVersion, typ}
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
		var got string
		if err := s.ValidateUpdate(t.Context(), object, old).ToAggregate(); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestStrategyInGuide checks that the guide shows the code of this file.
func TestStrategyInGuide(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, code, _ := strings.Cut(read("strategy_test.go"), "\n// strategy is")
	code, _, ok := strings.Cut("// strategy is"+code, "\n// immutableDocument")
	if !ok || !strings.Contains(read("../../docs/for-api-servers.md"), "```go\n"+code+"```\n") {
		t.Error("docs/for-api-servers.md does not contain the code of strategy_test.go")
	}
}
