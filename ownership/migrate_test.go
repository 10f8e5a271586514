// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
)

func migrate(t *testing.T, m *fieldmanager.FieldManager, live map[string]any, mg ownership.MigrateOptions, want ...string) *ownership.MigrateResult {
	t.Helper()
	before := objects.AsJSON(live)
	out, err := ownership.Migrate(m, live, mg)
	if err != nil {
		t.Fatal(err)
	}
	if got := objects.Owners(out.Managed); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if objects.AsJSON(live) != before {
		t.Error("the live object was modified")
	}
	return out
}

// TestMigrateClientSideApply migrates the fields of client-side apply. The next apply must
// remove the fields that its config omits.
func TestMigrateClientSideApply(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	const both = `"ports":[{"port":80},{"port":9999,"name":"legacy"}]`
	live := objects.Update(t, m, nil, "kubectl-client-side-apply", both).Object
	live = objects.Apply(t, m, live, "kubectl", both).Object
	mg := ownership.MigrateOptions{From: []string{"kubectl-client-side-apply"}, To: "kubectl"}
	out := migrate(t, m, live, mg,
		`kubectl Apply v1 - {"f:spec":{".":{},"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}},"k:{\"port\":9999,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{}}}}}`)
	if !out.Changed || len(out.Transfers) != 1 || out.Transfers[0].From.Manager != "kubectl-client-side-apply" || out.Transfers[0].Fields.Size() != 7 {
		t.Errorf("%+v", out)
	}
	r := objects.Apply(t, m, out.Object, "kubectl", `"ports":[{"port":80}]`)
	if got := objects.AsJSON(r.Object["spec"]); got != `{"ports":[{"port":80}]}` {
		t.Errorf("got %s", got)
	}
	if again, err := ownership.Migrate(m, out.Object, mg); err != nil || again.Changed || objects.AsJSON(again.Object) != objects.AsJSON(out.Object) {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// TestMigrateLastApplied checks that To gets the fields in the annotation that nobody owns
// any more. It does not matter which manager owned these fields before.
func TestMigrateLastApplied(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort","ports":[{"port":80}]`,
		objects.StoredEntry("kubectl", "Apply", "v1", `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}`),
		objects.StoredEntry("other", "Update", "v1", `{"f:spec":{"f:replicas":{}}}`))
	live["metadata"].(map[string]any)["annotations"] = map[string]any{
		fieldmanager.LastAppliedAnnotation: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"type":"NodePort","replicas":1,"selector":{"gone":"x"}}}`,
	}
	out := migrate(t, m, live, ownership.MigrateOptions{From: []string{"kubectl-client-side-apply"}, To: "kubectl"},
		`kubectl Apply v1 00:00:00 {"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:type":{}}}`,
		`other Update v1 00:00:00 {"f:spec":{"f:replicas":{}}}`)
	if out.Recalled == nil || !out.Recalled.Equals(objects.Paths(fieldpath.MakePathOrDie("spec", "type"))) {
		t.Errorf("recalled %v", out.Recalled)
	}
	// If the annotation cannot be decoded, the entries are still migrated.
	live["metadata"].(map[string]any)["annotations"] = map[string]any{fieldmanager.LastAppliedAnnotation: `{`}
	out = migrate(t, m, live, ownership.MigrateOptions{From: []string{"other", "kubectl-client-side-apply"}, To: "kubectl"},
		`kubectl Apply v1 00:00:00 {"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:replicas":{}}}`)
	if len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0].Path, fieldmanager.LastAppliedAnnotation) {
		t.Errorf("%+v", out.Warnings)
	}
}

// TestMigrateLastAppliedOfOthers checks that the annotation is used only for a migration of
// the main resource from client-side apply. If the annotation cannot be used, a warning must
// state the reason.
func TestMigrateLastAppliedOfOthers(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	status := strings.Replace(objects.StoredEntry("kubectl-client-side-apply", "Update", "v1", `{"f:status":{"f:phase":{}}}`), `"operation"`, `"subresource":"status","operation"`, 1)
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort"`,
		objects.StoredEntry("other", "Update", "v1", `{"f:spec":{"f:replicas":{}}}`), status)
	annotations := map[string]any{
		fieldmanager.LastAppliedAnnotation: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"type":"NodePort"}}`,
	}
	live["metadata"].(map[string]any)["annotations"] = annotations
	for _, mg := range []ownership.MigrateOptions{
		{From: []string{"other"}, To: "kubectl"},
		{From: []string{"kubectl-client-side-apply"}, To: "kubectl", Subresource: "status"},
	} {
		out, err := ownership.Migrate(m, live, mg)
		if err != nil || !out.Changed || out.Recalled != nil {
			t.Errorf("from %q: %+v, %v", mg.From, out, err)
		}
	}
	for text, want := range map[string]string{
		`{`: "last-applied annotation: unexpected EOF",
		`{"apiVersion":"v1","kind":"Service","spec":{"type":"NodePort","nope":1}}`: "the annotation or the object does not match the type of the object; the first error is at .spec.nope",
	} {
		annotations[fieldmanager.LastAppliedAnnotation] = text
		out, err := ownership.Migrate(m, live, ownership.MigrateOptions{From: []string{"kubectl-client-side-apply"}, To: "kubectl"})
		if err != nil || len(out.Warnings) != 1 || out.Warnings[0].Message != "cannot be used to find fields without an owner: "+want {
			t.Errorf("%s: %+v, %v", text, out, err)
		}
	}
}

// TestMigrateVersion checks the API version of migrated fields. If To has no Apply entry yet,
// the fields keep the version in which they are owned. If To has an Apply entry, the fields
// get the version of that entry.
func TestMigrateVersion(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Converter: objects.Renaming})
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort"`,
		objects.StoredEntry("b", "Apply", "v1", `{"f:spec":{"f:type":{}}}`),
		objects.StoredEntry("a", "Update", "v1beta1", `{"f:spec":{"f:replicas":{}}}`))
	migrate(t, m, live, ownership.MigrateOptions{From: []string{"a"}, To: "c"},
		`b Apply v1 00:00:00 {"f:spec":{"f:type":{}}}`,
		`c Apply v1beta1 00:00:00 {"f:spec":{"f:replicas":{}}}`)
	out := migrate(t, m, live, ownership.MigrateOptions{From: []string{"a"}, To: "b"}, objects.Owners(must(managedfields.Decode(live)))...)
	if len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0].Message, "cannot be converted from v1beta1 to v1 (the API version of b)") {
		t.Errorf("%+v", out.Warnings)
	}
}

// TestMigrateEntries checks that Migrate moves the Apply and the Update entries of a manager
// for one subresource. It also tests the case in which From and To are the same manager.
// Entries in versions with the same fields are merged, and other entries stay.
func TestMigrateEntries(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	status := strings.Replace(objects.StoredEntry("a", "Update", "v1", `{"f:status":{"f:phase":{}}}`), `"operation"`, `"subresource":"status","operation"`, 1)
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort"`,
		objects.StoredEntry("a", "Apply", "v1", `{"f:spec":{"f:type":{}}}`),
		objects.StoredEntry("a", "Update", "v1", `{"f:spec":{"f:replicas":{}}}`), status)
	migrate(t, m, live, ownership.MigrateOptions{From: []string{"a"}, To: "b"},
		`b Apply v1 00:00:00 {"f:spec":{"f:replicas":{},"f:type":{}}}`,
		`status of a Update v1 00:00:00 {"f:status":{"f:phase":{}}}`)
	migrate(t, m, live, ownership.MigrateOptions{From: []string{"a"}, To: "a"},
		`a Apply v1 00:00:00 {"f:spec":{"f:replicas":{},"f:type":{}}}`,
		`status of a Update v1 00:00:00 {"f:status":{"f:phase":{}}}`)
	migrate(t, m, live, ownership.MigrateOptions{From: []string{"a"}, To: "b", Subresource: "status"},
		`a Apply v1 00:00:00 {"f:spec":{"f:type":{}}}`,
		`status of b Apply v1 00:00:00 {"f:status":{"f:phase":{}}}`,
		`a Update v1 00:00:00 {"f:spec":{"f:replicas":{}}}`)
	migrate(t, m, live, ownership.MigrateOptions{From: []string{"nobody"}, To: "b"}, objects.Owners(must(managedfields.Decode(live)))...)

	live = objects.ManagedBy(t, `"replicas":1,"type":"NodePort"`,
		objects.StoredEntry("a", "Update", "v1", `{"f:spec":{"f:type":{}}}`),
		objects.StoredEntry("a", "Update", "v1beta1", `{"f:spec":{"f:replicas":{}}}`))
	sameShape := objects.NewManager(t, fieldmanager.Options{Converter: fieldmanager.NoneConverter})
	migrate(t, sameShape, live, ownership.MigrateOptions{From: []string{"a"}, To: "b"},
		`b Apply v1 00:00:00 {"f:spec":{"f:replicas":{},"f:type":{}}}`)
	out := migrate(t, objects.NewManager(t, fieldmanager.Options{Converter: objects.Renaming}), live, ownership.MigrateOptions{From: []string{"a"}, To: "b"},
		`b Apply v1 00:00:00 {"f:spec":{"f:type":{}}}`,
		`a Update v1beta1 00:00:00 {"f:spec":{"f:replicas":{}}}`)
	if len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0].Message, `"a" using v1beta1 (Update) keeps its entry`) {
		t.Errorf("%+v", out.Warnings)
	}
}

func TestMigrateErrors(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.ManagedBy(t, `"replicas":1`)
	for _, mg := range []ownership.MigrateOptions{{}, {From: []string{"a"}}, {To: "b"}, {From: []string{"a"}, To: "b\n"}} {
		if _, err := ownership.Migrate(m, live, mg); !errors.As(err, new(*fieldmanager.RequestError)) {
			t.Errorf("%+v: %v", mg, err)
		}
	}
	mg := ownership.MigrateOptions{From: []string{"a"}, To: "b"}
	if _, err := ownership.Migrate(m, objects.Object(t, `{"metadata":{"managedFields":3}}`), mg); !errors.As(err, new(*managedfields.EntryError)) {
		t.Error(err)
	}
	if _, err := ownership.Migrate(m, objects.Object(t, `{"apiVersion":"v1","kind":"Other"}`), mg); !errors.Is(err, fieldmanager.ErrUnknownType) {
		t.Error(err)
	}
}

// TestMigratedFieldsAreRemoved checks the owners after a migration. To must own the fields of
// both managers, and all other managers must own the same fields as before. If To then
// applies only a part of its fields, the server must remove the other fields, unless another
// manager owns them.
func TestMigratedFieldsAreRemoved(t *testing.T) {
	handed, gone := 0, 0
	for _, o := range objects.OwnedObjects(t) {
		if _, err := o.Typ.FromUnstructured(objects.WithoutManagedFields(o.Live)); err != nil {
			continue
		}
		managed, err := managedfields.Decode(o.Live)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range managed.Entries() {
			if e.Subresource != "" || e.APIVersion != o.Live["apiVersion"] {
				continue
			}
			out, err := ownership.Migrate(o.Fm, o.Live, ownership.MigrateOptions{From: []string{e.Manager}, To: "heir"})
			if err != nil {
				t.Errorf("%s: %v", o.Name, err)
				continue
			}
			if !out.Changed || objects.AsJSON(objects.WithoutManagedFields(out.Object)) != objects.AsJSON(objects.WithoutManagedFields(o.Live)) {
				t.Errorf("%s: %v: changed %v, %s", o.Name, e.Owner, out.Changed, objects.AsJSON(out.Object))
			}
			got := ownedPlaces(t, o.Fm, out.Object)
			want := renamed(ownedPlaces(t, o.Fm, o.Live), e.Manager)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v:\n%s\nwant\n%s", o.Name, e.Owner, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			handed++

			name := map[string]any{"name": o.Live["metadata"].(map[string]any)["name"]}
			if ns := o.Live["metadata"].(map[string]any)["namespace"]; ns != nil {
				name["namespace"] = ns
			}
			r, err := o.Fm.Apply(out.Object, map[string]any{"apiVersion": o.Live["apiVersion"], "kind": o.Live["kind"], "metadata": name}, "heir", false)
			if err != nil {
				t.Errorf("%s: %v", o.Name, err)
				continue
			}
			for _, line := range ownedPlaces(t, o.Fm, r.Object) {
				if strings.Contains(line, "heir") {
					t.Errorf("%s: still owned: %s", o.Name, line)
				}
			}
			if objects.AsJSON(objects.WithoutManagedFields(r.Object)) != objects.AsJSON(objects.WithoutManagedFields(o.Live)) {
				gone++
			}
		}
	}
	if handed < 200 || gone < 100 {
		t.Errorf("%d migrations, of which %d applies then removed something: the objects show too little", handed, gone)
	}
}

// renamed replaces a manager by the owner heir in lines, a result of ownedPlaces. It removes
// duplicate owners.
func renamed(lines []string, manager string) []string {
	var out []string
	for _, line := range lines {
		parts := strings.Split(line, "\x00")
		for i, owner := range parts[1:] {
			if owner == manager+" Apply " || owner == manager+" Update " {
				parts[i+1] = "heir Apply "
			}
		}
		slices.Sort(parts[1:])
		out = append(out, strings.Join(append(parts[:1:1], slices.Compact(parts[1:])...), "\x00"))
	}
	return out
}

// TestMigratedThenApplied extracts migrated fields and applies them. No field may change. An
// Update owns the path of a list itself, for example .items, but an Apply of the same list does
// not. So the first apply gives up this path. Later applies must change nothing.
func TestMigratedThenApplied(t *testing.T) {
	for _, gate := range []bool{true, false} {
		m, _ := objects.KeysManager(t, gate, false)
		created := objects.Object(t, `{"apiVersion":"v1","kind":"object","metadata":{"name":"x","labels":{"a":"b"},"annotations":{}},
			"items":[{"port":1,"name":"n"},{"port":2,"protocol":"UDP"}]}`)
		live := objects.Update(t, m, nil, "creator", objects.AsJSON(created)).Object
		grown := objects.Deep(created).(map[string]any)
		grown["items"] = append(grown["items"].([]any), map[string]any{"port": int64(3), "secure": false})
		grown["metadata"].(map[string]any)["managedFields"] = live["metadata"].(map[string]any)["managedFields"]
		live = objects.Update(t, m, live, "other", objects.AsJSON(grown)).Object
		migrated, err := ownership.Migrate(m, live, ownership.MigrateOptions{From: []string{"creator", "other"}, To: "gitops"})
		if err != nil {
			t.Fatal(err)
		}
		config, err := ownership.Extract(m, migrated.Object, "gitops")
		if err != nil {
			t.Fatal(err)
		}
		again := objects.Apply(t, m, migrated.Object, "gitops", objects.AsJSON(config))
		was, is := migrated.Managed.Entries()[0].Set, again.Managed.Entries()[0].Set
		given := was.Difference(is)
		if given.Empty() || !is.Difference(was).Empty() {
			t.Errorf("gate %v: owned were %v, and are %v", gate, was, is)
		}
		for path := range given.All() {
			below := is
			for _, e := range path {
				below = below.WithPrefix(e)
			}
			if below.Empty() {
				t.Errorf("gate %v: %v is given up, with all that is in it", gate, path)
			}
		}
		if third := objects.Apply(t, m, again.Object, "gitops", objects.AsJSON(config)); third.Changed {
			t.Errorf("gate %v: the next apply changes owners to %q", gate, objects.Owners(third.Managed))
		}
		if objects.AsJSON(objects.WithoutManagedFields(again.Object)) != objects.AsJSON(objects.WithoutManagedFields(live)) {
			t.Errorf("gate %v: the apply changed the object", gate)
		}
		if objects.AsJSON(objects.WithoutManagedFields(migrated.Object)) != objects.AsJSON(objects.WithoutManagedFields(live)) {
			t.Errorf("gate %v: the object changed", gate)
		}
	}
}

// TestMigrateKeepsLatestTime checks that the entry of the new owner gets the latest time of
// the entries that it replaces.
func TestMigrateKeepsLatestTime(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	early := objects.StoredEntry("a", "Update", "v1", `{"f:spec":{"f:type":{}}}`)
	late := strings.Replace(objects.StoredEntry("b", "Update", "v1", `{"f:spec":{"f:replicas":{}}}`), "00:00:00", "07:00:00", 1)
	for _, entries := range [][]string{{early, late}, {late, early}} {
		live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort"`, entries...)
		migrate(t, m, live, ownership.MigrateOptions{From: []string{"a", "b"}, To: "c"},
			`c Apply v1 07:00:00 {"f:spec":{"f:replicas":{},"f:type":{}}}`)
	}
}

// TestMigrateVersionLacksField checks an entry of To in a version that does not declare a
// field of the object. Such an entry blocks every apply, so Migrate must change the version
// of the entry.
func TestMigrateVersionLacksField(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Types: v1alpha2Types, Converter: fieldmanager.NoneConverter})
	mg := ownership.MigrateOptions{From: []string{"a"}, To: "b"}
	from := objects.StoredEntry("a", "Apply", "v1alpha2", `{"f:spec":{"f:replicas":{}}}`)
	to := objects.StoredEntry("b", "Apply", "v1alpha2", `{"f:spec":{"f:selector":{}}}`)
	other := objects.StoredEntry("c", "Update", "v1alpha2", `{"f:spec":{"f:replicas":{}}}`)
	const spec = `"replicas":1,"type":"NodePort"`

	migrate(t, m, objects.ManagedBy(t, spec, from), mg, `b Apply v1 00:00:00 {"f:spec":{"f:replicas":{}}}`)
	migrate(t, m, objects.ManagedBy(t, spec, from, to), mg, `b Apply v1 00:00:00 {"f:spec":{"f:replicas":{},"f:selector":{}}}`)
	// Without the field type, the version does not block an apply.
	migrate(t, m, objects.ManagedBy(t, `"replicas":1`, from), mg, `b Apply v1alpha2 00:00:00 {"f:spec":{"f:replicas":{}}}`)

	out := migrate(t, m, objects.ManagedBy(t, spec, from, other), mg,
		`b Apply v1 00:00:00 {"f:spec":{"f:replicas":{}}}`, `c Update v1alpha2 00:00:00 {"f:spec":{"f:replicas":{}}}`)
	if len(out.Warnings) != 1 || out.Warnings[0].Path != ".metadata.managedFields[1]" || !strings.Contains(out.Warnings[0].Message, "v1alpha2, which does not declare .spec.type") {
		t.Errorf("got %+v", out.Warnings)
	}
}
