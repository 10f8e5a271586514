// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// TestDevices converts objects of resource.k8s.io to newer versions and back.
func TestDevices(t *testing.T) {
	for _, c := range []struct{ kind, beta, newer string }{
		{"ResourceClaim", `{"devices":{"requests":[{"allocationMode":"ExactCount","count":2,"deviceClassName":"c","name":"r"},{"name":"empty"},{"firstAvailable":[{"deviceClassName":"c","name":"s"}],"name":"t"}]}}`,
			`{"devices":{"requests":[{"exactly":{"allocationMode":"ExactCount","count":2,"deviceClassName":"c"},"name":"r"},{"name":"empty"},{"firstAvailable":[{"deviceClassName":"c","name":"s"}],"name":"t"}]}}`},
		{"ResourceClaim", `{}`, `{}`},
		{"ResourceClaimTemplate", `{"spec":{"devices":{"requests":[{"deviceClassName":"c","name":"r"}]}}}`, `{"spec":{"devices":{"requests":[{"exactly":{"deviceClassName":"c"},"name":"r"}]}}}`},
		{"ResourceSlice", `{"devices":[{"basic":{"attributes":{"a":{"int":1}}},"name":"d"},{"basic":{},"name":"e"}],"driver":"x","nodeName":"n"}`, `{"devices":[{"attributes":{"a":{"int":1}},"name":"d"},{"name":"e"}],"driver":"x","nodeName":"n"}`},
	} {
		text := func(version, spec string) string {
			return `{"apiVersion":"resource.k8s.io/` + version + `","kind":"` + c.kind + `","spec":` + spec + `}`
		}
		for _, newer := range []string{"v1beta2", "v1"} {
			if got, want := converted(t, text("v1beta1", c.beta), "resource.k8s.io/"+newer), text(newer, c.newer); got != want {
				t.Errorf("in %s:\n%s\nwant\n%s", newer, got, want)
			}
			if got, want := converted(t, text(newer, c.newer), "resource.k8s.io/v1beta1"), text("v1beta1", c.beta); got != want {
				t.Errorf("from %s:\n%s\nwant\n%s", newer, got, want)
			}
		}
	}
}

// TestAlphaSlice converts a ResourceSlice of Kubernetes 1.33 to newer versions and back.
func TestAlphaSlice(t *testing.T) {
	types, err := openapi.BuiltinRelease("1.33", openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	slice := func(version, devices string) (object map[string]any) {
		text := `{"apiVersion":"resource.k8s.io/` + version + `","kind":"ResourceSlice","spec":{"devices":[` + devices + `]}}`
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		return object
	}
	all := []map[string]any{
		slice("v1alpha3", `{"basic":{"capacity":{"a":"1Gi"}},"name":"d"}`),
		slice("v1beta1", `{"basic":{"capacity":{"a":{"value":"1Gi"}}},"name":"d"}`),
		slice("v1beta2", `{"capacity":{"a":{"value":"1Gi"}},"name":"d"}`),
	}
	for _, from := range all {
		for _, to := range all {
			if got, err := Builtin(types, from, to["apiVersion"].(string)); err != nil || !reflect.DeepEqual(got, to) {
				t.Errorf("got %v, %v\nwant %v", got, err, to)
			}
		}
	}
}

// TestAllVersions checks that Builtin can convert between all versions of a kind in a release.
func TestAllVersions(t *testing.T) {
	for _, release := range openapi.Releases() {
		types, err := openapi.BuiltinRelease(release, openapi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		versions := map[string][]string{}
		for _, k := range types.Kinds() {
			if k.Resource != "" {
				id := group(k.APIVersion) + " " + k.Kind
				versions[id] = append(versions[id], k.APIVersion)
			}
		}
		for id, all := range versions {
			_, kind, _ := strings.Cut(id, " ")
			for _, from := range all {
				for _, to := range all {
					if _, err := Builtin(types, map[string]any{"apiVersion": from, "kind": kind}, to); errors.Is(err, ErrUnknown) {
						t.Errorf("%s: %v", release, err)
					}
				}
			}
		}
	}
}

// TestOtherItems checks that items that are not maps stay as they are.
func TestOtherItems(t *testing.T) {
	m := map[string]any{"items": []any{nil, "x", map[string]any{"a": "b"}}}
	replaceItems(m, "items", func(item map[string]any) { item["a"] = "c" })
	if want := []any{nil, "x", map[string]any{"a": "c"}}; !reflect.DeepEqual(m["items"], want) {
		t.Errorf("got %#v, want %#v", m["items"], want)
	}
}
