// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/typed"
)

const beta = `{"apiVersion":"v1beta1","kind":"Service","metadata":{"name":"web"},"spec":{"replicas":20,"type":"NodePort"}}`

// TestTypesOf checks that a TypeSource returns the error ErrUnknownType for a type that its
// lookup function does not find.
func TestTypesOf(t *testing.T) {
	types := fieldmanager.NewTypeSource(func(_, kind string) (typed.ParseableType, bool) {
		return typed.DeducedParseableType, kind == "Known"
	})
	if found, err := types("v1", "Known"); err != nil || !found.IsValid() {
		t.Errorf("got %v, %v", found, err)
	}
	if _, err := types("v1", "Other"); !errors.Is(err, fieldmanager.ErrUnknownType) || err.Error() != "v1 Other: unknown type" {
		t.Errorf("got %v", err)
	}
}

// TestApplyInAnotherVersion checks a manager that applies first in one version, and then in
// another. The manager must give up the fields that it applied only in the first version.
func TestApplyInAnotherVersion(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Converter: objects.Renaming})
	live := objects.Apply(t, m, nil, "a", beta).Object
	r := objects.Apply(t, m, live, "a", `"replicas":2`)
	if got := objects.AsJSON(r.Object["apiVersion"]) + objects.AsJSON(r.Object["spec"]); got != `"v1"{"replicas":2}` {
		t.Errorf("got %s", got)
	}
	if got := objects.Owners(r.Managed); !slices.Equal(got, []string{`a Apply v1 03:04:05 {"f:spec":{"f:replicas":{}}}`}) {
		t.Errorf("got %q", got)
	}
	// The result always has the version of the endpoint, even if the sent object has
	// another version.
	v1 := objects.NewManager(t, fieldmanager.Options{Converter: objects.Renaming, APIVersion: "v1"})
	u, err := v1.Update(live, objects.Object(t, strings.Replace(beta, "20", "30", 1)), "u")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`a Apply v1beta1 03:04:05 {"f:spec":{"f:type":{}}}`,
		`u Update v1 03:04:05 {"f:spec":{"f:replicas":{}}}`,
	}
	if got := objects.Owners(u.Managed); !slices.Equal(got, want) || objects.AsJSON(u.Object["spec"]) != `{"replicas":3,"type":"NodePort"}` {
		t.Errorf("got %q, %s", got, objects.AsJSON(u.Object))
	}
}

// TestNoChangeInAnotherVersion checks that an unchanged object stays in its stored version.
func TestNoChangeInAnotherVersion(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Converter: objects.Renaming})
	live := objects.Apply(t, m, nil, "a", beta).Object
	r := objects.Apply(t, m, live, "b", `"replicas":2`)
	if r.Object["apiVersion"] != "v1" || objects.AsJSON(r.Object["spec"]) != `{"replicas":2,"type":"NodePort"}` {
		t.Errorf("got %s", objects.AsJSON(r.Object))
	}
	again, err := objects.NewManager(t, fieldmanager.Options{Converter: objects.Renaming, APIVersion: "v1"}).Update(r.Object, objects.Object(t, beta), "c")
	if err != nil || again.Changed {
		t.Errorf("%v, %v", again, err)
	}
}

// TestRemovedVersion checks that an entry of a version that no longer exists is removed with
// a warning. All managers must be able to apply afterwards.
func TestRemovedVersion(t *testing.T) {
	live := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","managedFields":[
		{"manager":"new","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:type":{}}}},
		{"manager":"old","operation":"Apply","apiVersion":"v1alpha1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}}
	]},"spec":{"type":"NodePort","replicas":1}}`)
	gone := func(object map[string]any, apiVersion string) (map[string]any, error) {
		return nil, fmt.Errorf("%s: %w", apiVersion, fieldmanager.ErrUnknownVersion)
	}
	all := func(apiVersion, kind string) (typed.ParseableType, error) { return objects.ServiceType("v1", kind) }
	for name, o := range map[string]fieldmanager.Options{
		"type":      {},
		"converter": {Types: all, Converter: gone},
	} {
		t.Run(name, func(t *testing.T) {
			m := objects.NewManager(t, o)
			r := objects.Apply(t, m, live, "new", `"type":"LoadBalancer"`)
			if got := objects.Owners(r.Managed); !slices.Equal(got, []string{`new Apply v1 03:04:05 {"f:spec":{"f:type":{}}}`}) {
				t.Errorf("got %q", got)
			}
			if got := objects.AsJSON(r.Object["spec"]); got != `{"replicas":1,"type":"LoadBalancer"}` {
				t.Errorf("got %s", got)
			}
			if len(r.Warnings) != 1 || r.Warnings[0].Path != ".metadata.managedFields[1]" ||
				!strings.HasPrefix(r.Warnings[0].Message, `"old" (Apply) is removed, because its API version does not exist: `) {
				t.Errorf("warnings %+v", r.Warnings)
			}
			u, err := m.Update(live, edit(t, live, `"NodePort"`, `"ClusterIP"`), "u")
			if err != nil || len(u.Warnings) != 1 || u.Managed.Len() != 1 {
				t.Errorf("%v, %v", u, err)
			}
			// The manager of the removed entry applies again, in an existing version. It does
			// not get its old fields back.
			r = objects.Apply(t, m, live, "old", `"replicas":1`)
			if got := objects.Owners(r.Managed); !slices.Contains(got, `old Apply v1 - {"f:spec":{"f:replicas":{}}}`) || len(r.Warnings) != 1 {
				t.Errorf("got %q, %v", got, r.Warnings)
			}
		})
	}
}

// TestConversionFails checks that no manager loses fields if a conversion fails temporarily.
func TestConversionFails(t *testing.T) {
	webhook := errors.New("webhook does not answer")
	m := objects.NewManager(t, fieldmanager.Options{Converter: objects.Renaming})
	live := objects.Apply(t, m, nil, "a", beta).Object
	live = objects.Apply(t, m, live, "b", `"selector":{"x":"y"}`).Object
	down := objects.NewManager(t, fieldmanager.Options{Converter: func(map[string]any, string) (map[string]any, error) { return nil, webhook }})
	if _, err := down.Apply(live, objects.Object(t, `"replicas":2`), "c", false); !errors.Is(err, webhook) {
		t.Error(err)
	}
	if _, err := down.Update(live, edit(t, live, `"x":"y"`, `"x":"z"`), "c"); !errors.Is(err, webhook) {
		t.Error(err)
	}
	none := objects.NewManager(t, fieldmanager.Options{})
	if _, err := none.Apply(live, objects.Object(t, `"replicas":2`), "c", false); err == nil || !strings.Contains(err.Error(), "Service cannot be converted from v1 to v1beta1: no converter") {
		t.Error(err)
	}
	unreachable := errors.New("no types today")
	types := func(apiVersion, kind string) (typed.ParseableType, error) {
		if apiVersion == "v1" {
			return objects.ServiceType(apiVersion, kind)
		}
		return typed.ParseableType{}, unreachable
	}
	if _, err := objects.NewManager(t, fieldmanager.Options{Types: types}).Apply(live, objects.Object(t, `"replicas":2`), "c", false); !errors.Is(err, unreachable) {
		t.Error(err)
	}
	liar := objects.NewManager(t, fieldmanager.Options{Converter: func(o map[string]any, _ string) (map[string]any, error) { return o, nil }})
	if _, err := liar.Apply(live, objects.Object(t, `"replicas":2`), "c", false); err == nil || !strings.Contains(err.Error(), "convert Service from v1 to v1beta1: got v1 Service") {
		t.Error(err)
	}
}
