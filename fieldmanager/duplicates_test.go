// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/typed"
)

const duplicatePorts = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[` +
	`{"name":"a","port":80},{"name":"b","port":81},{"name":"c","port":80,"protocol":"TCP"}]}}`

func TestDuplicates(t *testing.T) {
	for _, test := range []struct {
		keep  typed.Duplicates
		ports string
		warns []string
	}{
		{typed.KeepFirst, `[{"name":"a","port":80},{"name":"b","port":81}]`, []string{
			`.spec.ports[port=80,protocol="TCP"]: item 2 {"name":"c","port":80,"protocol":"TCP"} is dropped, item 0 {"name":"a","port":80} stays`}},
		{typed.KeepLast, `[{"name":"b","port":81},{"name":"c","port":80,"protocol":"TCP"}]`, []string{
			`.spec.ports[port=80,protocol="TCP"]: item 0 {"name":"a","port":80} is dropped, item 2 {"name":"c","port":80,"protocol":"TCP"} stays`}},
	} {
		t.Run(string(test.keep), func(t *testing.T) {
			m := objects.NewManager(t, fieldmanager.Options{Duplicates: test.keep})
			plain := objects.NewManager(t, fieldmanager.Options{})
			whole := strings.Replace(duplicatePorts, duplicatePorts[strings.Index(duplicatePorts, "["):strings.Index(duplicatePorts, "]")+1], test.ports, 1)
			for verb, request := range map[string]func(*fieldmanager.FieldManager, map[string]any) (*fieldmanager.Result, error){
				"apply": func(m *fieldmanager.FieldManager, o map[string]any) (*fieldmanager.Result, error) {
					return m.Apply(nil, o, "a", false)
				},
				"kubectl": func(m *fieldmanager.FieldManager, o map[string]any) (*fieldmanager.Result, error) {
					return m.Apply(nil, o, "kubectl", false)
				},
				"update": func(m *fieldmanager.FieldManager, o map[string]any) (*fieldmanager.Result, error) {
					return m.Update(nil, o, "a")
				},
				"untracked": func(m *fieldmanager.FieldManager, o map[string]any) (*fieldmanager.Result, error) {
					return m.Update(objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","uid":"u"}}`), o, "a")
				},
			} {
				sent := objects.Object(t, duplicatePorts)
				got, err := request(m, sent)
				if err != nil {
					t.Fatal(err)
				}
				want, err := request(plain, objects.Object(t, whole))
				if err != nil {
					t.Fatal(err)
				}
				if objects.AsJSON(got.Object) != objects.AsJSON(want.Object) {
					t.Errorf("%s: got %s\nwant %s", verb, objects.AsJSON(got.Object), objects.AsJSON(want.Object))
				}
				var warns []string
				for _, w := range got.Warnings {
					warns = append(warns, w.String())
				}
				if !slices.Equal(warns, test.warns) {
					t.Errorf("%s: warnings %q, want %q", verb, warns, test.warns)
				}
				if objects.AsJSON(sent) != objects.AsJSON(objects.Object(t, duplicatePorts)) {
					t.Errorf("%s: the input was modified", verb)
				}
			}
		})
	}
}

// TestDuplicatesRefused checks that an apply rejects duplicates if the option is not set. The
// error must have both indexes and both values.
func TestDuplicatesRefused(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	_, err := m.Apply(nil, objects.Object(t, duplicatePorts), "a", false)
	var errs typed.ValidationErrors
	if !errors.As(err, &errs) || len(errs) != 1 {
		t.Fatalf("got %v", err)
	}
	want := `.spec.ports: duplicate entries for key [port=80,protocol="TCP"] (items 0 and 2: {"name":"a","port":80} and ` +
		`{"name":"c","port":80,"protocol":"TCP"}; item 0 got protocol="TCP" from the schema default)`
	if errs[0].Error() != want {
		t.Errorf("got %s\nwant %s", errs[0].Error(), want)
	}
	if _, err := fieldmanager.New(fieldmanager.Options{Untyped: true, Duplicates: "newest"}); err == nil ||
		err.Error() != `options: Duplicates: duplicates to keep: want "first" or "last", got "newest"` {
		t.Errorf("got %v", err)
	}
}

// TestStoredDuplicates checks that duplicates in the live object stay, except for the item
// that is applied.
func TestStoredDuplicates(t *testing.T) {
	live := objects.Object(t, duplicatePorts)
	m := objects.NewManager(t, fieldmanager.Options{Duplicates: typed.KeepLast})
	config := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":81,"targetPort":8}]}}`
	r, err := m.Apply(live, objects.Object(t, config), "a", false)
	if err != nil {
		t.Fatal(err)
	}
	if got := objects.AsJSON(r.Object["spec"]); got != `{"ports":[{"name":"a","port":80},{"name":"b","port":81,"targetPort":8},{"name":"c","port":80,"protocol":"TCP"}]}` {
		t.Errorf("got %s", got)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %v", r.Warnings)
	}
}

// TestDuplicatesInAnotherVersion checks that stored duplicates make a request fail if an owner's
// fields are in another API version, as in the API server.
func TestDuplicatesInAnotherVersion(t *testing.T) {
	types := func(_, kind string) (typed.ParseableType, error) { return objects.ServiceType("v1", kind) }
	convert := func(object map[string]any, apiVersion string) (map[string]any, error) {
		object["apiVersion"] = apiVersion
		return object, nil
	}
	m := objects.NewManager(t, fieldmanager.Options{Types: types, Converter: convert})
	const config = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":81,"targetPort":8}]}}`
	for version, fails := range map[string]bool{"v1": false, "v1beta1": true} {
		live := objects.Object(t, strings.Replace(duplicatePorts, `"name":"s"`, `"name":"s","managedFields":[{"manager":"o",`+
			`"operation":"Update","apiVersion":"`+version+`","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:type":{}}}}]`, 1))
		_, applyErr := m.Apply(live, objects.Object(t, config), "a", false)
		_, updateErr := m.Update(live, edit(t, live, `"port":81`, `"port":82`), "u")
		for verb, err := range map[string]error{"apply": applyErr, "update": updateErr} {
			if failed := err != nil && strings.Contains(err.Error(), ".spec.ports: duplicate entries for key"); failed != fails || (err != nil) != fails {
				t.Errorf("%s with an owner in %s: got %v", verb, version, err)
			}
		}
	}
}
