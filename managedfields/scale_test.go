// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields_test

import (
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

func TestScale(t *testing.T) {
	replicas := fieldpath.MakePathOrDie("spec", "replicas")
	scale := managedfields.Scale{APIVersion: "apps/v1", Replicas: map[string]fieldpath.Path{"apps/v1": replicas, "apps/v1beta1": replicas, "apps/v0": nil}}
	entry := func(manager, operation, version string, fields ...string) string {
		set := fieldpath.NewSet()
		for _, f := range fields {
			set.Insert(fieldpath.MakePathOrDie("spec", f))
		}
		text, err := set.ToJSON()
		if err != nil {
			t.Fatal(err)
		}
		return `{"manager":"` + manager + `","operation":"` + operation + `","apiVersion":"` + version + `","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":` + string(text) + `}`
	}
	parent, err := managedfields.DecodeEntries(list(t, "["+
		entry("gitops", "Apply", "apps/v1", "paused", "replicas")+","+
		entry("only", "Apply", "apps/v1beta1", "replicas")+","+
		entry("creator", "Update", "apps/v1", "replicas", "selector")+","+
		entry("other", "Update", "apps/v0", "replicas")+","+
		entry("without", "Update", "apps/v1", "selector")+","+
		entry("gone", "Update", "apps/v9", "replicas")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	inScale, err := scale.ToSubresource(parent)
	if err != nil {
		t.Fatal(err)
	}
	const one = ` autoscaling/v1 00:00:00 {"f:spec":{"f:replicas":{}}}`
	want := []string{"gitops Apply" + one, "only Apply" + one, "creator Update" + one}
	if got := objects.Owners(inScale); !slices.Equal(got, want) {
		t.Errorf("in scale: %q", got)
	}

	back, err := scale.ToParent(parent, inScale)
	if err != nil {
		t.Fatal(err)
	}
	want = []string{
		`gitops Apply apps/v1 00:00:00 {"f:spec":{"f:paused":{},"f:replicas":{}}}`,
		`only Apply apps/v1beta1 00:00:00 {"f:spec":{"f:replicas":{}}}`,
		`creator Update apps/v1 00:00:00 {"f:spec":{"f:replicas":{},"f:selector":{}}}`,
		`other Update apps/v0 00:00:00 {"f:spec":{"f:replicas":{}}}`,
		`without Update apps/v1 00:00:00 {"f:spec":{"f:selector":{}}}`,
	}
	if got := objects.Owners(back); !slices.Equal(got, want) {
		t.Errorf("unchanged: %q", got)
	}

	// If an entry of the scale object does not have the replicas, the manager of the entry
	// must not become an owner of the replicas.
	idle := "["
	for _, manager := range []string{"a", "b", "c", "d"} {
		idle += entry(manager, "Update", "autoscaling/v1", "other") + ","
	}
	others, err := managedfields.DecodeEntries(list(t, idle+entry("hpa", "Update", "autoscaling/v1", "replicas")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	nothing, err := managedfields.DecodeEntries(list(t, "["+entry("nothing", "Update", "apps/v1")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // repeated, because the order of a Go map differs each time
		if back, err = scale.ToParent(nothing, others); err != nil {
			t.Fatal(err)
		}
		if len(objects.Owners(back)) != 2 {
			t.Fatalf("one of several: %q", objects.Owners(back))
		}
	}
	if got := objects.Owners(back); !slices.Equal(got, []string{`hpa Update apps/v1 - {"f:spec":{"f:replicas":{}}}`, `nothing Update apps/v1 00:00:00 {}`}) {
		t.Errorf("one of several: %q", got)
	}

	// Now another manager scales.
	taken, err := managedfields.DecodeEntries(list(t, `[{"manager":"hpa","operation":"Update","apiVersion":"autoscaling/v1","subresource":"scale","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}}]`))
	if err != nil {
		t.Fatal(err)
	}
	if back, err = scale.ToParent(parent, taken); err != nil {
		t.Fatal(err)
	}
	want = []string{
		`gitops Apply apps/v1 00:00:00 {"f:spec":{"f:paused":{}}}`,
		`scale of hpa Update apps/v1 - {"f:spec":{"f:replicas":{}}}`,
		`creator Update apps/v1 00:00:00 {"f:spec":{"f:selector":{}}}`,
		`other Update apps/v0 00:00:00 {"f:spec":{"f:replicas":{}}}`,
		`without Update apps/v1 00:00:00 {"f:spec":{"f:selector":{}}}`,
	}
	if got := objects.Owners(back); !slices.Equal(got, want) {
		t.Errorf("taken: %q", got)
	}
}

// TestScaleOfTwoVersions checks a manager with entries in two versions of the resource. It
// must have only one entry in the scale object.
func TestScaleOfTwoVersions(t *testing.T) {
	replicas := fieldpath.MakePathOrDie("spec", "replicas")
	scale := managedfields.Scale{APIVersion: "apps/v1", Replicas: map[string]fieldpath.Path{"apps/v1": replicas, "apps/v1beta1": replicas}}
	parent, err := managedfields.DecodeEntries(list(t, "["+
		objects.StoredEntry("creator", "Update", "apps/v1", `{"f:spec":{"f:replicas":{}}}`)+","+
		objects.StoredEntry("creator", "Update", "apps/v1beta1", `{"f:spec":{"f:replicas":{}}}`)+"]"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := scale.ToSubresource(parent)
	if err != nil {
		t.Fatal(err)
	}
	want := managedfields.Owner{Manager: "creator", Operation: managedfields.OperationUpdate, APIVersion: managedfields.ScaleVersion}
	if e, ok := got.Find(want.ID()); got.Len() != 1 || !ok || e.Owner != want {
		t.Errorf("got %q, of which one is %v", objects.Owners(got), e.Owner)
	}
}
