// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestPreconditionsOfStatus checks that requests to an endpoint that does not store metadata fail
// if they have another resourceVersion or uid than the live object.
func TestPreconditionsOfStatus(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{
		Subresource: "status",
		ResetFields: map[fieldpath.APIVersion]*fieldpath.Set{
			"v1": fieldpath.NewSet(fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata")),
		},
	})
	live := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","uid":"u","resourceVersion":"2"},"status":{"phase":"A"}}`)
	for metadata, want := range map[string]string{
		`"name":"web"`: "",
		`"name":"web","uid":"u","resourceVersion":"2"`: "",
		`"name":"web","resourceVersion":"1"`:           `"web": the object has been modified`,
		`"name":"web","uid":"x"`:                       "uid",
	} {
		object := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{`+metadata+`},"status":{"phase":"B"}}`)
		for _, verb := range []string{"update", "force"} {
			r, err := request(m, verb, "a", live, object)
			checkPrecondition(t, verb+" "+metadata, r, err, want)
		}
	}
}

// TestPreconditionsWithUnions checks that the metadata of the request is checked even if the request
// clears a member of a union.
func TestPreconditionsWithUnions(t *testing.T) {
	m := objects.UnionManager(t, fieldmanager.Options{
		ResetFields: map[fieldpath.APIVersion]*fieldpath.Set{"v1": fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"))},
	})
	app := func(metadata, strategy string) map[string]any {
		return objects.Object(t, `{"apiVersion":"v1","kind":"App","metadata":{"name":"x",`+metadata+`},"spec":{"strategy":`+strategy+`}}`)
	}
	live := app(`"uid":"u","resourceVersion":"2"`, `{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}`)
	for metadata, want := range map[string]string{
		`"resourceVersion":"2"`: "",
		`"resourceVersion":"1"`: `"x": the object has been modified`,
		`"uid":"x"`:             "uid",
	} {
		r, err := m.Update(live, app(metadata, `{"type":"Recreate","rollingUpdate":{"maxSurge":1}}`), "a")
		checkPrecondition(t, "update "+metadata, r, err, want)
		r, err = m.Apply(live, app(metadata, `{"type":"Recreate"}`), "a", true)
		checkPrecondition(t, "apply "+metadata, r, err, want)
	}
}

func checkPrecondition(t *testing.T, name string, r *fieldmanager.Result, err error, want string) {
	t.Helper()
	var refused *fieldmanager.RequestError
	switch {
	case want == "" && (err != nil || !r.Changed):
		t.Errorf("%s: %v, %v", name, r, err)
	case want != "" && (!errors.As(err, &refused) || !strings.Contains(strings.ToLower(err.Error()), want)):
		t.Errorf("%s: got %v, want %s", name, err, want)
	}
}

// TestInvalidManagedFieldsTwice checks the warnings of an update if the managed fields of the live
// object are invalid, and the managed fields in the request are invalid, too.
func TestInvalidManagedFieldsTwice(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	object := func(entry string) map[string]any {
		return objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","managedFields":[`+entry+`]}}`)
	}
	const live = `.metadata.managedFields: invalid, so this update drops the managed fields of the live object: metadata.managedFields[0].operation: want Apply or Update, got ""`
	for entry, want := range map[string]string{
		`{"manager":"x"}`: live,
		`{"manager":"x","operation":"Patch"}`: live + "\n" +
			`.metadata.managedFields: invalid, so this update ignores them: metadata.managedFields[0].operation: want Apply or Update, got "Patch"`,
	} {
		r, err := m.Update(object(`{"manager":"x"}`), object(entry), "u")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(warnings(r), "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", entry, got, want)
		}
		if !r.Warnings[0].Live || len(r.Warnings) > 1 && r.Warnings[1].Live {
			t.Errorf("%s: Live of %+v", entry, r.Warnings)
		}
	}
}

// TestWarningsOfManagedFields checks that a warning about an entry has Live set exactly if the
// entry is in the live object.
func TestWarningsOfManagedFields(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Converter: func(object map[string]any, apiVersion string) (map[string]any, error) {
		if apiVersion == "v0" {
			return nil, fieldmanager.ErrUnknownVersion
		}
		return fieldmanager.NoneConverter(object, apiVersion)
	}, Types: func(string, string) (typed.ParseableType, error) { return objects.ServiceType("v1", "Service") }})
	entry := func(version string) string {
		return objects.StoredEntry("x", "Update", version, `{"f:spec":{"f:replicas":{}}}`)
	}
	object := func(replicas, entries string) map[string]any {
		return objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","managedFields":[`+entries+`]},"spec":{"replicas":`+replicas+`}}`)
	}
	twice, missing := entry("v1")+","+entry("v1"), entry("v0")
	const replaces, removed = "replaces an earlier entry", "is removed, because its API version does not exist"
	for _, c := range []struct {
		name, verb string
		live, sent string
		live1      bool
		want       string
	}{
		{"apply to an entry twice", "force", twice, "", true, replaces},
		{"apply to a missing version", "force", missing, "", true, removed},
		{"update of an entry twice", "update", twice, "", true, replaces},
		{"update of a missing version", "update", missing, "", true, removed},
		{"update with an entry twice", "update", entry("v1"), twice, false, replaces},
		{"update with a missing version", "update", entry("v1"), missing, false, removed},
		{"update with the same entry twice", "update", twice, twice, true, replaces},
		{"update with the same missing version", "update", missing, missing, true, removed},
	} {
		sent := object("2", c.sent)
		if c.sent == "" {
			delete(sent["metadata"].(map[string]any), "managedFields")
		}
		r, err := request(m, c.verb, "a", object("1", c.live), sent)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Message, c.want) || r.Warnings[0].Live != c.live1 {
			t.Errorf("%s: %+v", c.name, r.Warnings)
		}
	}
}
