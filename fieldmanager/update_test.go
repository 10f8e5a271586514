// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// edit returns a copy of o with texts in its JSON replaced. pairs has an old text, its new
// text, the next old text, and so on.
func edit(t *testing.T, o map[string]any, pairs ...string) map[string]any {
	t.Helper()
	return objects.Object(t, strings.NewReplacer(pairs...).Replace(objects.AsJSON(o)))
}

func TestUpdate(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Update(t, m, nil, "creator", `"type":"NodePort","replicas":1`)
	want := []string{`creator Update v1 03:04:05 {"f:spec":{".":{},"f:replicas":{},"f:type":{}}}`}
	if got := objects.Owners(live.Managed); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	later := objects.NewManager(t, fieldmanager.Options{Clock: objects.At("2026-01-02T04:00:00Z")})
	r, err := later.Update(live.Object, edit(t, live.Object, `"replicas":1`, `"replicas":2`), "scaler")
	if err != nil {
		t.Fatal(err)
	}
	want = []string{
		`creator Update v1 03:04:05 {"f:spec":{".":{},"f:type":{}}}`,
		`scaler Update v1 04:00:00 {"f:spec":{"f:replicas":{}}}`,
	}
	if got := objects.Owners(r.Managed); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	same, err := later.Update(r.Object, edit(t, r.Object), "idle")
	if err != nil || same.Changed {
		t.Errorf("changed: %v, %v", same, err)
	}
	// Time stamps are whole seconds.
	fraction := objects.NewManager(t, fieldmanager.Options{Clock: objects.At("2026-01-02T05:00:00.75+01:00")})
	r, err = fraction.Update(live.Object, edit(t, live.Object, `"replicas":1`, `"replicas":2`), "scaler")
	if err != nil || !r.Managed.Entries()[1].Time.Equal(objects.At("2026-01-02T04:00:00Z")()) {
		t.Errorf("%v, %v", r, err)
	}
	// A manager keeps the fields of its earlier updates. An empty manager name means
	// "unknown".
	r, err = later.Update(live.Object, edit(t, live.Object, `"replicas":1`, `"replicas":2`), "")
	if err != nil || !slices.Contains(objects.Owners(r.Managed), `unknown Update v1 04:00:00 {"f:spec":{"f:replicas":{}}}`) {
		t.Errorf("%v, %v", objects.Owners(r.Managed), err)
	}
}

// TestUpdateOfManagedFields checks that an update uses the managed fields in its object,
// unless they are invalid.
func TestUpdateOfManagedFields(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, m, nil, "a", `"type":"NodePort"`).Object
	live = objects.Apply(t, m, live, "b", `"replicas":1`).Object
	live["metadata"].(map[string]any)["uid"] = "u"
	stored := live["metadata"].(map[string]any)["managedFields"].([]any)
	const a, b = `a Apply v1 03:04:05 {"f:spec":{"f:type":{}}}`, `b Apply v1 03:04:05 {"f:spec":{"f:replicas":{}}}`
	for _, tc := range []struct {
		name    string
		given   any
		want    []string
		warning string
	}{
		{"as stored", stored, []string{a, b}, ""},
		{"null", nil, []string{a, b}, ""},
		{"one left out", stored[:1], []string{a}, ""},
		{"empty", []any{}, nil, ""},
		{"an empty entry", []any{map[string]any{}}, nil, ""},
		{"broken", []any{map[string]any{"manager": "x"}}, []string{a, b},
			`invalid, so the managed fields of the live object stay: metadata.managedFields[0].operation: want Apply or Update, got ""`},
		{"no list", "x", []string{a, b}, `invalid, so the managed fields of the live object stay: metadata.managedFields: want a list, got a string`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sent := edit(t, live)
			sent["metadata"].(map[string]any)["managedFields"] = tc.given
			r, err := m.Update(live, sent, "u")
			if err != nil {
				t.Fatal(err)
			}
			if got := objects.Owners(r.Managed); !slices.Equal(got, tc.want) {
				t.Errorf("got %q", got)
			}
			if got := fmt.Sprint(r.Warnings); tc.warning == "" && got != "[]" || !strings.Contains(got, tc.warning) {
				t.Errorf("warnings %v", got)
			}
			if r.Changed != (len(tc.want) != 2) {
				t.Errorf("changed %v", r.Changed)
			}
		})
	}
	t.Run("a time more", func(t *testing.T) {
		sent := edit(t, live, `"replicas":1`, `"replicas":2`)
		old := edit(t, live)
		for _, e := range old["metadata"].(map[string]any)["managedFields"].([]any) {
			delete(e.(map[string]any), "time")
		}
		r, err := m.Update(old, sent, "u")
		if err != nil || !slices.Equal(objects.Owners(r.Managed), []string{a, `u Update v1 03:04:05 {"f:spec":{"f:replicas":{}}}`}) {
			t.Errorf("%q, %v", objects.Owners(r.Managed), err)
		}
	})
	t.Run("a subresource cannot", func(t *testing.T) {
		status := objects.NewManager(t, fieldmanager.Options{Subresource: "status"})
		sent := edit(t, live)
		sent["metadata"].(map[string]any)["managedFields"] = []any{}
		r, err := status.Update(live, sent, "u")
		if err != nil || !slices.Equal(objects.Owners(r.Managed), []string{a, b}) {
			t.Errorf("%q, %v", objects.Owners(r.Managed), err)
		}
	})
	t.Run("another object has the name by now", func(t *testing.T) {
		_, err := m.Update(live, edit(t, live, `"uid":"u"`, `"uid":"u2"`), "u")
		var refused *fieldmanager.RequestError
		if !errors.As(err, &refused) || refused.Status != 409 || !strings.Contains(refused.Message, "UID in precondition: u2, UID in object meta: u") {
			t.Errorf("%v", err)
		}
	})
	t.Run("untracked objects stay so", func(t *testing.T) {
		bare := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","uid":"u"},"spec":{"replicas":1}}`)
		r, err := m.Update(bare, edit(t, bare, `:1`, `:2`), "u")
		if err != nil || r.Managed.Len() != 0 || !r.Changed {
			t.Errorf("%q, %v", objects.Owners(r.Managed), err)
		}
	})
	t.Run("broken ones of the live object are lost, and said so", func(t *testing.T) {
		broken := edit(t, live, `"FieldsV1"`, `"FieldsV9"`)
		sent := edit(t, live)
		delete(sent["metadata"].(map[string]any), "managedFields")
		r, err := m.Update(broken, sent, "u")
		if err != nil || r.Managed.Len() != 0 || len(r.Warnings) != 1 ||
			r.Warnings[0].Message != `invalid, so this update drops the managed fields of the live object: metadata.managedFields[0].fieldsType: want FieldsV1, got "FieldsV9"` {
			t.Errorf("%v, %v", r, err)
		}
	})
}

func TestCapOnUpdateManagers(t *testing.T) {
	clock := objects.At("2026-01-01T00:00:00Z")()
	m := objects.NewManager(t, fieldmanager.Options{MaxUpdateManagers: 3, Clock: func() time.Time { return clock }})
	live := objects.Update(t, m, nil, "creator", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","labels":{"a":"b"}}}`).Object
	for i := range 6 {
		clock = clock.Add(time.Minute)
		r, err := m.Update(live, edit(t, live, `"labels":{`, fmt.Sprintf(`"labels":{"l%d":"x",`, i)), fmt.Sprint("u", 9-i))
		if err != nil {
			t.Fatal(err)
		}
		live = r.Object
	}
	got, err := managedfields.Decode(live)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`ancient-changes Update v1 00:04:00 {"f:metadata":{"f:labels":{".":{},"f:a":{},"f:l0":{},"f:l1":{},"f:l2":{},"f:l3":{}}}}`,
		`u5 Update v1 00:05:00 {"f:metadata":{"f:labels":{"f:l4":{}}}}`,
		`u4 Update v1 00:06:00 {"f:metadata":{"f:labels":{"f:l5":{}}}}`,
	}
	if lines := objects.Owners(got); !slices.Equal(lines, want) {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
}

// TestCapKeepsAncientChanges checks that ancient-changes keeps its fields. If two time stamps
// are in the same second, ancient-changes can come after another manager. The API server then
// loses the fields of ancient-changes.
func TestCapKeepsAncientChanges(t *testing.T) {
	entry := func(manager, field string) string {
		return `{"manager":"` + manager + `","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:` + field + `":{}}}}}`
	}
	live := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","uid":"u","labels":{"a":"1","b":"1","c":"1","d":"1"},"managedFields":[`+
		entry("aaa", "a")+`,`+entry("ancient-changes", "b")+`,`+entry("zzz", "c")+`]}}`)
	m := objects.NewManager(t, fieldmanager.Options{MaxUpdateManagers: 3})
	r, err := m.Update(live, edit(t, live, `"d":"1"`, `"d":"2"`), "new")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`ancient-changes Update v1 00:00:00 {"f:metadata":{"f:labels":{"f:a":{},"f:b":{}}}}`,
		`zzz Update v1 00:00:00 {"f:metadata":{"f:labels":{"f:c":{}}}}`,
		`new Update v1 03:04:05 {"f:metadata":{"f:labels":{"f:d":{}}}}`,
	}
	if got := objects.Owners(r.Managed); !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestUpdateRefuses(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","resourceVersion":"7"}}`)
	var refused *fieldmanager.RequestError
	if _, err := m.Update(live, edit(t, live, `"7"`, `"6"`), "u"); !errors.As(err, &refused) || refused.Status != 409 {
		t.Error(err)
	}
	if _, err := m.Update(live, live, strings.Repeat("m", 200)); !errors.As(err, &refused) || refused.Status != 422 {
		t.Error(err)
	}
	_, err := m.Update(live, objects.Object(t, `"type":3`), "u")
	if err == nil || err.Error() != "failed to convert new object (/web; /v1, Kind=Service) to smd typed: .spec.type: expected string, got &value.valueUnstructured{Value:3}" {
		t.Error(err)
	}
	_, err = m.Update(objects.Object(t, `"type":3`), objects.Object(t, `"type":"NodePort"`), "u")
	if err == nil || err.Error() != "failed to convert live object (/web; /v1, Kind=Service) to smd typed: .spec.type: expected string, got &value.valueUnstructured{Value:3}" {
		t.Error(err)
	}
}

// TestUpdateOfOneOwner checks that an update uses the managed fields in its object, even if
// they differ from the stored managed fields in only one owner.
func TestUpdateOfOneOwner(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, m, nil, "a", `"type":"NodePort"`).Object
	for _, change := range [][2]string{{`"manager":"a"`, `"manager":"c"`}, {`"operation":"Apply"`, `"operation":"Update"`}} {
		for range 20 { // repeated, because Go iterates over the members of an entry in random order
			sent := edit(t, live, change[0], change[1])
			r, err := m.Update(live, sent, "u")
			if err != nil {
				t.Fatal(err)
			}
			if !r.Changed || objects.AsJSON(r.Object) != objects.AsJSON(sent) {
				t.Fatalf("%s is lost: got %s", change[1], objects.AsJSON(r.Object))
			}
		}
	}
}
