// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// TestConflictDetails checks that a conflict has the owner, the operation, the time, the
// path, and both values.
func TestConflictDetails(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, m, nil, "argocd", `"replicas":2,"ports":[{"port":80,"name":"http"}],"selector":{"a":"b"}`).Object
	live = objects.Update(t, m, live, "kubectl-edit", strings.Replace(objects.AsJSON(live), `"replicas":2`, `"replicas":2,"type":"NodePort"`, 1)).Object

	conflict := objects.ConflictsOf(t, m, live, "helm", `"replicas":3,"type":"LoadBalancer","ports":[{"port":80,"protocol":"TCP","name":"web"}]`)
	wantText := "Apply failed with 3 conflicts: conflicts with \"argocd\":\n- .spec.replicas\n- .spec.ports[port=80,protocol=\"TCP\"].name\n" +
		"conflicts with \"kubectl-edit\" using v1:\n- .spec.type"
	if conflict.Error() != wantText {
		t.Errorf("got %s", conflict.Error())
	}
	for i, want := range []fieldmanager.Conflict{
		{Owner: managedfields.Owner{Manager: "argocd", Operation: "Apply", APIVersion: "v1"}, Yours: int64(3), Live: int64(2)},
		{Owner: managedfields.Owner{Manager: "argocd", Operation: "Apply", APIVersion: "v1"}, Yours: "web", Live: "http"},
		{Owner: managedfields.Owner{Manager: "kubectl-edit", Operation: "Update", APIVersion: "v1"}, Yours: "LoadBalancer", Live: "NodePort"},
	} {
		got := conflict.Conflicts[i]
		if got.Owner != want.Owner || got.Yours != want.Yours || got.Live != want.Live || !got.HasYours || !got.HasLive || got.Hint != "" {
			t.Errorf("got %+v", got)
		}
		if got.Time == nil || got.Time.Unix() != objects.At("2026-01-02T03:04:05Z")().Unix() {
			t.Errorf("time %v", got.Time)
		}
	}
}

// TestForce checks that an apply with force changes a field of another manager and takes its
// ownership.
func TestForce(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, m, nil, "argocd", `"replicas":2`).Object
	r, err := m.Apply(live, objects.Object(t, `"replicas":3`), "helm", true)
	if err != nil {
		t.Fatal(err)
	}
	if got := objects.Owners(r.Managed); len(got) != 1 || got[0] != `helm Apply v1 03:04:05 {"f:spec":{"f:replicas":{}}}` {
		t.Errorf("got %q", got)
	}
}

func TestConflictHints(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	for _, tc := range []struct{ name, owner, object, manager, config, want string }{
		{"C33: the same manager through update", "helm", `"replicas":2`, "helm", `"replicas":3`,
			`helm already owns this field through an earlier Update (create, PUT or patch), and its Update and Apply count as two owners: migrate the fields from Update to Apply, or force once`},
		{"C31: a default", "kubectl-create", `"type":"ClusterIP"`, "gitops", `"type":"NodePort"`,
			`the live value ClusterIP is the default of the schema`},
		{"C31 and C33", "helm", `"type":"ClusterIP"`, "helm", `"type":"NodePort"`,
			`helm already owns this field through an earlier Update (create, PUT or patch), and its Update and Apply count as two owners: migrate the fields from Update to Apply, or force once; the live value ClusterIP is the default of the schema`},
		{"neither", "operator", `"replicas":4`, "helm", `"replicas":2`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			live := objects.Update(t, m, nil, tc.owner, tc.object).Object
			c := objects.ConflictsOf(t, m, live, tc.manager, tc.config).Conflicts[0]
			if c.Hint != tc.want {
				t.Errorf("got %q", c.Hint)
			}
			if c.SameManager != (tc.owner == tc.manager) || c.LiveIsDefault != strings.Contains(tc.object, "ClusterIP") {
				t.Errorf("same manager %v, default %v", c.SameManager, c.LiveIsDefault)
			}
		})
	}
}

// TestConflictOverChangedValue checks two managers that both apply the value x. A webhook
// changes x to z, so the second apply has a conflict. The hint must say that both managers
// applied the same value.
func TestConflictOverChangedValue(t *testing.T) {
	rewriting := func(o map[string]any) (map[string]any, error) {
		o, spec := maps.Clone(o), maps.Clone(objects.SpecOf(o))
		if spec["type"] == "x" {
			spec["type"] = "z"
		}
		o["spec"] = spec
		return o, nil
	}
	m := objects.NewManager(t, fieldmanager.Options{Defaulter: rewriting})
	live := objects.Apply(t, m, nil, "m1", `"type":"x","replicas":1`).Object
	if objects.SpecOf(live)["type"] != "z" {
		t.Fatalf("got %s", objects.AsJSON(live))
	}
	e := objects.ConflictsOf(t, m, live, "m2", `"type":"x","replicas":2`)
	if got := e.Conflicts[1].Hint; got != "the server replaces your value with the live value, so m1 may have applied the same value as you" {
		t.Errorf("got %q", got)
	}
	if got := e.Conflicts[0].Hint; got != "" {
		t.Errorf("replicas: got %q", got)
	}

	m = objects.NewManager(t, fieldmanager.Options{})
	created := objects.Object(t, `"type":"z"`)
	created["metadata"].(map[string]any)["annotations"] = map[string]any{
		fieldmanager.LastAppliedAnnotation: `{"apiVersion":"v1","kind":"Service","spec":{"type":"x"}}`}
	r, err := m.Update(nil, created, "kubectl-client-side-apply")
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"x": "kubectl-client-side-apply applied the same value as you; a later request changed it", "y": "",
	} {
		e := objects.ConflictsOf(t, m, r.Object, "m2", `"type":"`+value+`"`)
		if got := e.Conflicts[0].Hint; got != want {
			t.Errorf("%s: got %q", value, got)
		}
	}
}

// TestConflictOverMissingDefault checks a config whose atomic value lacks only a default. The merge
// compares the value before the server adds the default, so the apply conflicts.
func TestConflictOverMissingDefault(t *testing.T) {
	adding := func(o map[string]any) (map[string]any, error) {
		o, spec := maps.Clone(o), maps.Clone(objects.SpecOf(o))
		if selector, ok := spec["selector"].(map[string]any); ok && selector["class"] == nil {
			selector = maps.Clone(selector)
			selector["class"] = "standard"
			spec["selector"] = selector
		}
		o["spec"] = spec
		return o, nil
	}
	m := objects.NewManager(t, fieldmanager.Options{Defaulter: adding})
	live := objects.Apply(t, m, nil, "m1", `"selector":{"size":"20Gi","class":"standard"}`).Object
	for config, want := range map[string]string{
		`"selector":{"size":"20Gi"}`: "the server adds defaults to your value only after the merge, and the result is the live value: to avoid the conflict, write these defaults in your config",
		`"selector":{"size":"30Gi"}`: "",
	} {
		if got := objects.ConflictsOf(t, m, live, "m2", config).Conflicts[0].Hint; got != want {
			t.Errorf("%s: got %q", config, got)
		}
	}
}

// TestConflictOverDuplicate checks conflicts over an item that the live object contains twice. The
// values can be equal, because the config can contain the item only once.
func TestConflictOverDuplicate(t *testing.T) {
	defaulter := func(o map[string]any) (map[string]any, error) { return o, nil }
	m := objects.NewManager(t, fieldmanager.Options{Defaulter: defaulter})
	live, err := m.Update(nil, objects.Object(t, `"ports":[{"port":80,"protocol":"TCP","name":"a"},{"port":80,"protocol":"TCP","name":"a"}]`), "m1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range objects.ConflictsOf(t, m, live.Object, "m2", `"ports":[{"port":80,"protocol":"TCP","name":"a"}]`).Conflicts {
		want := "the live list has this item 2 times: remove the duplicate first"
		if len(c.Path) > 3 {
			want = `the live list has the item .spec.ports[port=80,protocol="TCP"] 2 times: remove the duplicate first`
		}
		if c.Hint != want {
			t.Errorf("%v: got %q, want %q", c.Path, c.Hint, want)
		}
	}
}

// TestConflictAcrossVersions checks that the path and the values of a conflict are in the
// version of the owner.
func TestConflictAcrossVersions(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Converter: objects.Renaming})
	live := objects.Apply(t, m, nil, "old", `{"apiVersion":"v1beta1","kind":"Service","metadata":{"name":"web"},"spec":{"replicas":20}}`).Object
	conflict := objects.ConflictsOf(t, m, live, "new", `"replicas":3`).Conflicts[0]
	if conflict.Path.String() != ".spec.replicas" || conflict.Live != int64(20) || conflict.Yours != int64(30) || conflict.APIVersion != "v1beta1" {
		t.Errorf("got %+v", conflict)
	}
}
