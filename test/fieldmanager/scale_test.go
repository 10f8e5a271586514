// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	upstream "k8s.io/apimachinery/pkg/util/managedfields"
	smdpath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// TestScale converts random managed fields to the scale subresource and back, with both field
// managers.
func TestScale(t *testing.T) {
	theirPaths := upstream.ResourcePathMappings{"apps/v1": smdpath.MakePathOrDie("spec", "replicas"), "apps/v1beta1": nil}
	ours := managedfields.Scale{APIVersion: "apps/v1", Replicas: map[string]fieldpath.Path{
		"apps/v1": fieldpath.MakePathOrDie("spec", "replicas"), "apps/v1beta1": nil,
	}}
	r := rand.New(rand.NewPCG(*seed, 1))
	for i := range 2000 {
		parent := randomEntries(r, []string{"apps/v1", "apps/v1", "apps/v1beta1", "apps/v1beta2"}, i)
		theirParent := entriesOf(parent)
		ourParent := decode(t, parent)
		h := upstream.NewScaleHandler(theirParent, schema.GroupVersion{Group: "apps", Version: "v1"}, theirPaths)
		theirs, err := h.ToSubresource()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ours.ToSubresource(ourParent)
		if err != nil {
			t.Fatal(err)
		}
		compareEntries(t, i, "to scale", got, theirs)

		scale := listOf(theirs)
		if r.IntN(2) == 0 {
			scale = append(scale, randomEntries(r, []string{"autoscaling/v1"}, i)...)
		}
		if len(scale) > 0 && r.IntN(2) == 0 {
			scale = scale[1:]
		}
		theirs, err = h.ToParent(entriesOf(scale))
		if err != nil {
			t.Fatal(err)
		}
		got, err = ours.ToParent(ourParent, decode(t, scale))
		if err != nil {
			t.Fatal(err)
		}
		theirs = join(t, theirs)
		compareEntries(t, i, plain.Text(parent)+" from scale "+plain.Text(scale), got, theirs)
		if t.Failed() {
			return
		}
	}
}

// join merges all entries of one owner. apimachinery may write several entries for one owner.
// When apimachinery reads these entries, it keeps only the last one.
func join(t *testing.T, entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	t.Helper()
	var joined []metav1.ManagedFieldsEntry
	for _, e := range entries {
		i := slices.IndexFunc(joined, func(o metav1.ManagedFieldsEntry) bool {
			return o.Manager == e.Manager && o.Operation == e.Operation && o.Subresource == e.Subresource &&
				(o.Operation == metav1.ManagedFieldsOperationApply || o.APIVersion == e.APIVersion)
		})
		if i < 0 {
			joined = append(joined, e)
			continue
		}
		var a, b smdpath.Set
		if err := a.FromJSON(joined[i].FieldsV1.GetRawReader()); err != nil {
			t.Fatal(err)
		}
		if err := b.FromJSON(e.FieldsV1.GetRawReader()); err != nil {
			t.Fatal(err)
		}
		union, err := a.Union(&b).ToJSON()
		if err != nil {
			t.Fatal(err)
		}
		joined[i].FieldsV1 = metav1.NewFieldsV1(string(union))
		if joined[i].Time == nil || e.Time != nil && joined[i].Time.Before(e.Time) {
			joined[i].Time = e.Time
		}
	}
	// Decode the entries in their stored order.
	m, err := managedfields.DecodeEntries(listOf(joined))
	if err != nil {
		t.Fatal(err)
	}
	return entriesOf(m.Encode())
}

func randomEntries(r *rand.Rand, versions []string, i int) []any {
	var list []any
	for _, manager := range []string{"a", "b", "c", "d"} {
		if r.IntN(3) == 0 {
			continue
		}
		operation := []string{"Apply", "Update"}[r.IntN(2)]
		fields := map[string]any{"f:replicas": map[string]any{}, "f:paused": map[string]any{}, "f:selector": map[string]any{}}
		for name := range fields {
			if len(fields) > 1 && r.IntN(2) == 0 {
				delete(fields, name)
			}
		}
		entry := map[string]any{
			"manager": manager, "operation": operation, "apiVersion": versions[r.IntN(len(versions))],
			"time":       time.Date(2020, 1, 1, 0, 0, i, 0, time.UTC).Add(time.Duration(r.IntN(60)) * time.Second).Format(time.RFC3339),
			"fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:spec": fields},
		}
		if r.IntN(5) == 0 {
			entry["subresource"] = "scale"
		}
		list = append(list, entry)
	}
	return list
}

func decode(t *testing.T, list []any) *managedfields.Managed {
	t.Helper()
	m, err := managedfields.DecodeEntries(list)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func entriesOf(list []any) []metav1.ManagedFieldsEntry {
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"managedFields": deepCopy(list)}}}
	return u.GetManagedFields()
}

func listOf(entries []metav1.ManagedFieldsEntry) []any {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetManagedFields(entries)
	list, _, _ := unstructured.NestedSlice(u.Object, "metadata", "managedFields")
	return list
}

func compareEntries(t *testing.T, i int, what string, ours *managedfields.Managed, theirs []metav1.ManagedFieldsEntry) {
	t.Helper()
	a, b := ours.Encode(), listOf(theirs)
	if len(a) == 0 && len(b) == 0 {
		return
	}
	if plain.Text(a) != plain.Text(b) {
		t.Errorf("round %d: %s:\nDovetail     %s\napimachinery %s", i, what, plain.Text(a), plain.Text(b))
	}
}
