// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// clientSide returns the object that kubectl creates by a client-side apply of config.
func clientSide(t *testing.T, m *fieldmanager.FieldManager, config string) map[string]any {
	t.Helper()
	o := objects.Object(t, config)
	o["metadata"].(map[string]any)["annotations"] = map[string]any{fieldmanager.LastAppliedAnnotation: objects.AsJSON(o) + "\n"}
	r, err := m.Update(nil, o, "kubectl-client-side-apply")
	if err != nil {
		t.Fatal(err)
	}
	return r.Object
}

func TestKubectlUpgrade(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := clientSide(t, m, `"replicas":1,"type":"NodePort"`)

	if _, err := m.Apply(live, objects.Object(t, `"replicas":2`), "other", false); err == nil {
		t.Error("another manager may take what client-side apply wrote")
	}
	r := objects.Apply(t, m, live, "kubectl", `"replicas":2`)
	want := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"replicas":2}}` + "\n"
	if got := objects.Annotation(r.Object); got != want {
		t.Errorf("got %s", got)
	}
	if got := objects.Owners(r.Managed)[0]; got != `kubectl Apply v1 03:04:05 {"f:spec":{"f:replicas":{}}}` {
		t.Errorf("got %s", got)
	}
	// The new annotation must not contain an earlier annotation.
	r, err := m.Apply(live, objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"x","a":"<b>"}}}`), "kubectl", true)
	if err != nil {
		t.Fatal(err)
	}
	want = `{"apiVersion":"v1","kind":"Service","metadata":{"annotations":{"a":"\u003cb\u003e"},"name":"web"}}` + "\n"
	if got := objects.Annotation(r.Object); got != want {
		t.Errorf("got %s", got)
	}
	// Only the manager kubectl changes the annotation.
	r = objects.Apply(t, m, live, "other", `"replicas":1`)
	if objects.Annotation(r.Object) != objects.Annotation(live) {
		t.Errorf("got %s", objects.Annotation(r.Object))
	}
	// An object without the annotation does not get one.
	if r = objects.Apply(t, m, nil, "kubectl", `"replicas":1`); objects.Annotation(r.Object) != "" {
		t.Errorf("got %s", objects.Annotation(r.Object))
	}
}

// TestKubectlConflicts checks that a field conflicts if it was changed after the client-side
// apply.
func TestKubectlConflicts(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := clientSide(t, m, `"replicas":1,"type":"NodePort"`)
	live = objects.Update(t, m, live, "hpa", strings.Replace(objects.AsJSON(live), `"replicas":1,`, `"replicas":5,`, 1)).Object
	conflict := objects.ConflictsOf(t, m, live, "kubectl", `"replicas":2,"type":"ClusterIP"`)
	if got := conflict.Error(); got != `Apply failed with 1 conflict: conflict with "hpa" using v1: .spec.replicas` {
		t.Errorf("got %s", got)
	}
	// An invalid annotation is ignored.
	for _, text := range []string{"{", "null", "3", "{} {}", `{"apiVersion":"v2"}`, `{"apiVersion":"v1","kind":"Service","spec":{"nope":1}}`} {
		broken := edit(t, live)
		broken["metadata"].(map[string]any)["annotations"] = map[string]any{fieldmanager.LastAppliedAnnotation: text}
		if got := objects.ConflictsOf(t, m, broken, "kubectl", `"replicas":2,"type":"ClusterIP"`); len(got.Conflicts) != 2 {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestAnnotationTooLarge(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := clientSide(t, m, `"replicas":1`)
	selector, err := json.Marshal(map[string]string{"a": strings.Repeat("x", 257<<10)})
	if err != nil {
		t.Fatal(err)
	}
	r := objects.Apply(t, m, live, "kubectl", `"selector":`+string(selector))
	if objects.Annotation(r.Object) != "" {
		t.Error("the annotation is kept")
	}
}

// TestAnnotationJustFits checks that the annotation is written up to the size limit of
// annotations, and not beyond it.
func TestAnnotationJustFits(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	const limit = 256 << 10
	config := func(n int) string { return `"selector":{"a":"` + strings.Repeat("x", n) + `"}` }
	live := clientSide(t, m, `"replicas":1`)
	least := len(fieldmanager.LastAppliedAnnotation) + len(objects.Annotation(objects.Apply(t, m, live, "kubectl", config(0)).Object))
	for n, kept := range map[int]bool{limit - least: true, limit - least + 1: false} {
		r := objects.Apply(t, m, live, "kubectl", config(n))
		if got := objects.Annotation(r.Object); (got != "") != kept {
			t.Errorf("of %d bytes: kept is %v", least+n, !kept)
		}
	}
}

// TestAnnotationOfNullAnnotations applies a config with "annotations: null". The object in
// the annotation of client-side apply must then have no annotations.
func TestAnnotationOfNullAnnotations(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := clientSide(t, m, `"replicas":1`)
	for _, null := range []any{nil, map[string]any(nil)} {
		config := objects.Object(t, `"replicas":2`)
		config["metadata"].(map[string]any)["annotations"] = null
		r, err := m.Apply(live, config, "kubectl", false)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"replicas":2}}` + "\n"
		if got := objects.Annotation(r.Object); got != want {
			t.Errorf("%T: got %s", null, got)
		}
	}
}

// TestUpgrade checks a manager that migrated from client-side apply. If its next manifest
// omits a field, the field must be removed.
func TestUpgrade(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	const both = `"ports":[{"port":80},{"port":9999,"name":"legacy"}]`
	live := objects.Update(t, m, nil, "kubectl-client-side-apply", both).Object
	live = objects.Apply(t, m, live, "kubectl", both).Object

	managed, err := managedfields.Decode(live)
	if err != nil {
		t.Fatal(err)
	}
	upgraded, changed, err := managed.Upgrade([]string{"kubectl-client-side-apply", "before-first-apply"}, "kubectl", "")
	if err != nil || !changed || upgraded.Len() != 1 {
		t.Fatalf("%q, %v, %v", objects.Owners(upgraded), changed, err)
	}
	r := objects.Apply(t, m, upgraded.EncodeInto(live), "kubectl", `"ports":[{"port":80}]`)
	if got := objects.AsJSON(r.Object["spec"]); got != `{"ports":[{"port":80}]}` {
		t.Errorf("got %s", got)
	}
	again, changed, err := upgraded.Upgrade([]string{"kubectl-client-side-apply"}, "kubectl", "")
	if err != nil || changed || again != upgraded {
		t.Errorf("%v, %v", changed, err)
	}
	// If there was no server-side apply yet, the migration only changes the owner of the
	// entry.
	live = objects.Update(t, m, nil, "kubectl-client-side-apply", both).Object
	if managed, err = managedfields.Decode(live); err != nil {
		t.Fatal(err)
	}
	upgraded, changed, err = managed.Upgrade([]string{"x", "kubectl-client-side-apply"}, "gitops", "")
	want := []string{`gitops Apply v1 03:04:05 {"f:spec":{".":{},"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}},"k:{\"port\":9999,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{}}}}}`}
	if got := objects.Owners(upgraded); err != nil || !changed || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, %v", got, changed, err)
	}
	if _, changed, err := managed.Upgrade([]string{"kubectl-client-side-apply"}, "gitops", "status"); err != nil || changed {
		t.Errorf("another subresource: %v, %v", changed, err)
	}
}

func TestExtract(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Converter: objects.Renaming})
	const config = `{"apiVersion":"v1","kind":"Service","metadata":{"labels":{"a":"b"},"name":"web","namespace":"prod"},"spec":{"ports":[{"port":80},{"name":"dns","port":53,"protocol":"UDP"}],"replicas":2}}`
	live := objects.Apply(t, m, nil, "a", config).Object
	live = objects.Apply(t, m, live, "b", `"ports":[{"port":80,"name":"http"}],"type":"NodePort"`).Object
	got, err := ownership.Extract(m, live, "a")
	if err != nil || objects.AsJSON(got) != config {
		t.Errorf("got %s, %v", objects.AsJSON(got), err)
	}
	again, err := m.Apply(live, got, "a", false)
	if err != nil || again.Changed {
		t.Errorf("applied again: %v, %v", again, err)
	}
	if got, err := ownership.Extract(m, live, "nobody"); err != nil || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
	// The entry keeps the API version in which it was applied.
	live = objects.Apply(t, m, live, "c", `{"apiVersion":"v1beta1","kind":"Service","metadata":{"name":"web"},"spec":{"replicas":20}}`).Object
	live = objects.Apply(t, m, live, "a", config).Object
	if got, err = ownership.Extract(m, live, "c"); err != nil || objects.AsJSON(got["apiVersion"])+objects.AsJSON(got["spec"]) != `"v1beta1"{"replicas":20}` {
		t.Errorf("got %s, %v", objects.AsJSON(got), err)
	}
	if _, err := ownership.Extract(m, objects.Object(t, `{"metadata":{"managedFields":3}}`), "a"); !errors.As(err, new(*managedfields.EntryError)) {
		t.Error(err)
	}
}
