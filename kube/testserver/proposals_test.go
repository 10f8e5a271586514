// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"encoding/json"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"

	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

const doors = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "doors.example.com"},
	"spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Door", "plural": "doors"}, "versions": [
		{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
			"wood": {"type": "string", "x-kubernetes-immutable": true},
			"color": {"type": "string", "default": "red"},
			"locks": {"type": "object", "x-kubernetes-immutable-keys": true, "additionalProperties": {"type": "object", "properties": {"key": {"type": "string", "x-kubernetes-set-once": true}}}}}}}}}}]}}`

var (
	definitionResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	door               = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "doors"}
)

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return u
}

func markersIn(t *testing.T, v any) int {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(data), `"x-kubernetes-immutable":true`) + strings.Count(string(data), `"x-kubernetes-immutable-keys":true`) + strings.Count(string(data), `"x-kubernetes-set-once":true`)
}

// dropsMarkers is a native program that stores every definition without markers.
type dropsMarkers struct{}

func (dropsMarkers) Ask(r *native.Request) (*native.Response, error) {
	if r.Object["kind"] != "CustomResourceDefinition" {
		return &native.Response{Unknown: true}, nil
	}
	data, err := json.Marshal(r.Object)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	err = json.Unmarshal([]byte(strings.ReplaceAll(string(data), "x-kubernetes-immutable", "x-kubernetes-other")), &object)
	return &native.Response{Object: object}, err
}

// With ImmutabilityMarkers, clients can create a definition with markers by every kind of
// request. The server stores, publishes and enforces the markers. Without the option, it
// drops them.
func TestImmutabilityMarkers(t *testing.T) {
	ctx := t.Context()
	for _, o := range []testserver.Options{{}, {ImmutabilityMarkers: true}, {ImmutabilityMarkers: true, Native: dropsMarkers{}}, {ImmutabilityMarkers: true, Release: "1.36"}} {
		want := 0
		if o.ImmutabilityMarkers {
			want = 3
		}
		s := start(t, o)
		c, err := dynamic.NewForConfig(s.Config())
		if err != nil {
			t.Fatal(err)
		}
		crds := c.Resource(definitionResource)
		_, err = crds.Create(ctx, parse(t, doors), metav1.CreateOptions{FieldValidation: "Strict"})
		if !o.ImmutabilityMarkers {
			if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), "x-kubernetes-immutable") {
				t.Errorf("a strict create: %v", err)
			}
			if _, err = crds.Create(ctx, parse(t, doors), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := crds.Apply(ctx, "doors.example.com", parse(t, doors), metav1.ApplyOptions{FieldManager: "a", Force: true}); err == nil || !strings.Contains(err.Error(), "field not declared in schema") {
				t.Errorf("an apply of markers: %v", err)
			}
		} else {
			if err != nil {
				t.Fatal(err)
			}
			applied, err := crds.Apply(ctx, "doors.example.com", parse(t, doors), metav1.ApplyOptions{FieldManager: "a", Force: true})
			if err != nil || markersIn(t, applied.Object) != want {
				t.Errorf("an apply: %v, %v", err, applied)
			}
		}
		stored, err := crds.Get(ctx, "doors.example.com", metav1.GetOptions{})
		if err != nil || markersIn(t, stored.Object["spec"]) != want {
			t.Errorf("stored: %v, %v", err, stored)
		}
		if _, err := crds.Update(ctx, stored, metav1.UpdateOptions{}); err != nil {
			t.Error(err)
		}

		documents, err := discovery.NewDiscoveryClientForConfig(s.Config())
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/openapi/v2", "/openapi/v3/apis/example.com/v1"} {
			data, err := documents.RESTClient().Get().AbsPath(path).DoRaw(ctx)
			if err != nil || markersIn(t, json.RawMessage(data)) != want {
				t.Errorf("%s: %v, %d markers, want %d", path, err, markersIn(t, json.RawMessage(data)), want)
			}
		}

		all := c.Resource(door).Namespace("default")
		const made = `{"apiVersion": "example.com/v1", "kind": "Door", "metadata": {"name": "d"}, "spec": {"wood": "oak", "locks": {"a": {}}}}`
		if _, err := all.Create(ctx, parse(t, made), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		patch := func(kind types.PatchType, text string) error {
			_, err := all.Patch(ctx, "d", kind, []byte(text), metav1.PatchOptions{FieldManager: "p", DryRun: []string{"All"}})
			return err
		}
		force := true
		apply := func(spec string) error {
			_, err := all.Patch(ctx, "d", types.ApplyPatchType, []byte(`{"apiVersion": "example.com/v1", "kind": "Door", "metadata": {"name": "d"}, "spec": `+spec+`}`),
				metav1.PatchOptions{FieldManager: "p", Force: &force, DryRun: []string{"All"}})
			return err
		}
		for request, err := range map[string]error{
			"apply":       apply(`{"wood": "elm"}`),
			"merge patch": patch(types.MergePatchType, `{"spec": {"wood": "elm"}}`),
			"JSON patch":  patch(types.JSONPatchType, `[{"op": "remove", "path": "/spec/wood"}]`),
			"added key":   apply(`{"locks": {"b": {}}}`),
		} {
			if o.ImmutabilityMarkers != apierrors.IsInvalid(err) || !o.ImmutabilityMarkers && err != nil {
				t.Errorf("markers %v: %s: got %v", o.ImmutabilityMarkers, request, err)
			}
			if err != nil && request != "added key" && !strings.Contains(err.Error(), "spec.wood: Invalid value") {
				t.Errorf("%s: got %v", request, err)
			}
		}
		// The markers allow these changes: another field, and a value that is set once.
		for request, err := range map[string]error{
			"color":    patch(types.MergePatchType, `{"spec": {"color": "blue"}}`),
			"set once": apply(`{"locks": {"a": {"key": "k"}}}`),
		} {
			if err != nil {
				t.Errorf("%s: %v", request, err)
			}
		}
	}
}

// With DeclarativeDefaults, an applied null stands for the default, so such an apply
// causes no conflict.
func TestDeclarativeDefaults(t *testing.T) {
	ctx := t.Context()
	for _, on := range []bool{false, true} {
		s := start(t, testserver.Options{DeclarativeDefaults: on, Definitions: [][]byte{[]byte(doors)}})
		c, err := dynamic.NewForConfig(s.Config())
		if err != nil {
			t.Fatal(err)
		}
		all := c.Resource(door).Namespace("default")
		apply := func(manager, spec string) error {
			_, err := all.Apply(ctx, "d", parse(t, `{"apiVersion": "example.com/v1", "kind": "Door", "metadata": {"name": "d"}, "spec": `+spec+`}`), metav1.ApplyOptions{FieldManager: manager})
			return err
		}
		if err := apply("one", `{"color": "red"}`); err != nil {
			t.Fatal(err)
		}
		if err := apply("two", `{"color": null}`); apierrors.IsConflict(err) == on || on && err != nil {
			t.Errorf("with declarative defaults %v: got %v", on, err)
		}
	}
}
