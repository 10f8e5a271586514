// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

func TestApplyCreates(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	r := objects.Apply(t, m, nil, "gitops", `"ports":[{"port":80}]`)
	want := `{"apiVersion":"v1","kind":"Service","metadata":{"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1",` +
		`"fieldsV1":{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}},` +
		`"manager":"gitops","operation":"Apply","time":"2026-01-02T03:04:05Z"}],"name":"web"},"spec":{"ports":[{"port":80}]}}`
	if got := objects.AsJSON(r.Object); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !r.Changed || len(r.Warnings) > 0 {
		t.Errorf("changed %v, warnings %v", r.Changed, r.Warnings)
	}
}

func TestApplyTwice(t *testing.T) {
	for _, config := range []string{`"ports":[{"port":80}]`, `"ports":[{"port":80,"protocol":null}]`, `"ports":[]`, `"type":null`} {
		first := objects.Apply(t, objects.NewManager(t, fieldmanager.Options{}), nil, "gitops", config)
		later := objects.NewManager(t, fieldmanager.Options{Clock: objects.At("2027-01-01T00:00:00Z")})
		again := objects.Apply(t, later, first.Object, "gitops", config)
		if again.Changed {
			t.Errorf("%s: changed to %s", config, objects.AsJSON(again.Object))
		}
		if reflect.ValueOf(again.Object).Pointer() != reflect.ValueOf(first.Object).Pointer() {
			t.Errorf("%s: another object, although nothing changed", config)
		}
	}
}

// TestApplyShares checks that a manager can become an owner of values that are already
// stored. Its entry must have no time stamp, because the object did not change.
func TestApplyShares(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, m, nil, "gitops", `"type":"NodePort"`)
	r := objects.Apply(t, m, live.Object, "helm", `"type":"NodePort"`)
	want := []string{
		`helm Apply v1 - {"f:spec":{"f:type":{}}}`,
		`gitops Apply v1 03:04:05 {"f:spec":{"f:type":{}}}`,
	}
	if got := objects.Owners(r.Managed); !slices.Equal(got, want) || !r.Changed {
		t.Errorf("got %q, changed %v", got, r.Changed)
	}
}

// TestUntouchedEntriesAreKept checks the entries of managed fields that a request does not
// change. These entries must keep their stored form.
func TestUntouchedEntriesAreKept(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, m, nil, "gitops", `"ports":[{"port":80}]`).Object
	entry := func(o map[string]any, i int) uintptr {
		return reflect.ValueOf(o["metadata"].(map[string]any)["managedFields"].([]any)[i]).Pointer()
	}
	r := objects.Apply(t, m, live, "helm", `"type":"NodePort"`)
	if entry(r.Object, 0) != entry(live, 0) {
		t.Error("written again")
	}
	// The applier's entry also keeps its stored form if its field set is the same and the
	// apply is in the same second.
	r = objects.Apply(t, m, r.Object, "helm", `"type":"LoadBalancer"`)
	if !r.Changed || entry(r.Object, 0) != entry(live, 0) {
		t.Error("written again")
	}
	if again := objects.Apply(t, m, r.Object, "helm", `"type":"NodePort"`); !again.Changed || entry(again.Object, 1) != entry(r.Object, 1) {
		t.Error("written again")
	}
}

// TestReencoded applies a config again that is already applied. The stored managed fields have
// the encoding of structured-merge-diff v7. If the apply changes only this encoding, Reencoded
// must be true.
func TestReencoded(t *testing.T) {
	const config = `"ports":[{"port":80,"protocol":"<&>"}]`
	first := objects.Apply(t, objects.NewManager(t, fieldmanager.Options{}), nil, "gitops", config)
	const v6, v7 = `\"protocol\":\"\\u003c\\u0026\\u003e\"`, `\"protocol\":\"<&>\"`
	text := objects.AsJSON(first.Object)
	if !strings.Contains(text, v6) {
		t.Fatalf("%s is not written by v6", text)
	}
	live := map[string]any{}
	if err := json.Unmarshal([]byte(strings.Replace(text, v6, v7, 1)), &live); err != nil {
		t.Fatal(err)
	}
	later := objects.NewManager(t, fieldmanager.Options{Clock: objects.At("2027-01-01T00:00:00Z")})
	again := objects.Apply(t, later, live, "gitops", config)
	if !again.Changed || !again.Reencoded || objects.AsJSON(again.Object) != text {
		t.Errorf("changed %v, reencoded %v: %s", again.Changed, again.Reencoded, objects.AsJSON(again.Object))
	}
	again = objects.Apply(t, later, again.Object, "gitops", config)
	if again.Changed || again.Reencoded {
		t.Errorf("changed %v, reencoded %v", again.Changed, again.Reencoded)
	}
	next := objects.Apply(t, later, live, "gitops", config+`,"type":"NodePort"`)
	if !next.Changed || next.Reencoded {
		t.Errorf("changed %v, reencoded %v", next.Changed, next.Reencoded)
	}
}

func TestApplyRefuses(t *testing.T) {
	const service = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"`
	const live = service + `,"namespace":"prod","uid":"u1","resourceVersion":"7"}}`
	v1 := fieldmanager.Options{APIVersion: "v1", Kind: "Service"}
	for _, tc := range []struct {
		name          string
		o             fieldmanager.Options
		live, config  string
		manager, want string
		status        int
	}{
		{"no manager", v1, live, service + `}}`, "", `fieldManager: Required value: is required for apply patch`, 422},
		{"long manager", v1, live, service + `}}`, strings.Repeat("m", 129), `fieldManager: Too long: may not be more than 128 bytes`, 422},
		{"unprintable manager", v1, live, service + `}}`, "a\tb", `fieldManager: Invalid value: "a\tb": invalid character U+0009 (at position 1)`, 422},
		{"managed fields", v1, live, service + `,"managedFields":[]}}`, "m", `metadata.managedFields must be nil`, 400},
		{"managed fields of another type", v1, live, service + `,"managedFields":"x"}}`, "m", `metadata.managedFields: want a list, got a string`, 400},
		{"another version", v1, live, `{"apiVersion":"apps/v1","kind":"Service"}`, "m", `invalid object type: apps/v1, Kind=Service`, 400},
		{"another kind", v1, live, `{"apiVersion":"v1","kind":"Pod"}`, "m", `invalid object type: /v1, Kind=Pod`, 400},
		{"no type", fieldmanager.Options{}, live, `{}`, "m", `object has no apiVersion or kind: invalid object type: /, Kind=`, 400},
		{"no version", fieldmanager.Options{}, live, `{"kind":"Service"}`, "m", `object has no apiVersion or kind: invalid object type: /, Kind=Service`, 400},
		{"no kind", fieldmanager.Options{}, live, `{"apiVersion":"v1"}`, "m", `object has no apiVersion or kind: invalid object type: /v1, Kind=`, 400},
		{"live of another kind", fieldmanager.Options{}, `{"apiVersion":"v1","kind":"Pod"}`, service + `}}`, "m",
			`the live object has another type: /v1, Kind=Pod, want /v1, Kind=Service`, 400},
		{"live without a type", fieldmanager.Options{}, `{"spec":{}}`, service + `}}`, "m",
			`the live object has no apiVersion or kind: want the apiVersion v1 and the kind Service`, 400},
		{"live without a version", v1, `{"kind":"Service"}`, service + `}}`, "m",
			`the live object has no apiVersion or kind: want the apiVersion v1 and the kind Service`, 400},
		{"another name", v1, live, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"db"}}`, "m",
			`the name of the object (db) does not match the name of the live object (web)`, 400},
		{"another namespace", v1, live, service + `,"namespace":"test"}}`, "m",
			`the namespace of the object (test) does not match the namespace of the live object (prod)`, 400},
		{"metadata", v1, live, `{"apiVersion":"v1","kind":"Service","metadata":[]}`, "m", `metadata: want an object, got a list`, 400},
		{"stale", v1, live, service + `,"resourceVersion":"6"}}`, "m",
			`Operation cannot be fulfilled on Service "web": the object has been modified; please apply your changes to the latest version and try again`, 409},
		{"another uid", v1, live, service + `,"uid":"u2"}}`, "m", `metadata.uid: Invalid value: "u2": field is immutable`, 422},
		{"uid of nothing", v1, "", service + `,"uid":"u2"}}`, "m",
			`Operation cannot be fulfilled on Service "web": uid mismatch: the provided object specified uid u2, and no existing object was found`, 409},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var before map[string]any
			if tc.live != "" {
				before = objects.Object(t, tc.live)
			}
			_, err := objects.NewManager(t, tc.o).Apply(before, objects.Object(t, tc.config), tc.manager, true)
			var refused *fieldmanager.RequestError
			if !errors.As(err, &refused) || err.Error() != tc.want || refused.Status != tc.status {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
	t.Run("invalid", func(t *testing.T) {
		m := objects.NewManager(t, v1)
		_, err := m.Apply(nil, objects.Object(t, `"type":3`), "m", true)
		want := "failed to create typed patch object (/web; /v1, Kind=Service): .spec.type: expected string, got &value.valueUnstructured{Value:3}"
		if err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
		var findings typed.ValidationErrors
		if !errors.As(err, &findings) {
			t.Errorf("%T does not wrap the findings", err)
		}
	})
	t.Run("live managed fields", func(t *testing.T) {
		_, err := objects.NewManager(t, v1).Apply(objects.Object(t, service+`,"managedFields":[{}]}}`), objects.Object(t, ``), "m", true)
		var bad *managedfields.EntryError
		if !errors.As(err, &bad) || bad.Index != 0 || bad.Field != "operation" {
			t.Error(err)
		}
	})
	t.Run("unknown type", func(t *testing.T) {
		_, err := objects.NewManager(t, fieldmanager.Options{}).Apply(nil, objects.Object(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}`), "m", true)
		if !errors.Is(err, fieldmanager.ErrUnknownType) || !strings.HasPrefix(err.Error(), "object (/p; /v1, Kind=Pod): ") {
			t.Error(err)
		}
	})
}

// TestStripManagedFields applies a manifest that was read from a cluster, so it has managed
// fields.
func TestStripManagedFields(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{StripManagedFields: true})
	config := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","managedFields":[{"manager":"x"}]},"spec":{"type":"NodePort"}}`)
	before := objects.AsJSON(config)
	r, err := m.Apply(nil, config, "m", false)
	if err != nil {
		t.Fatal(err)
	}
	want := []managedfields.Warning{{Path: ".metadata.managedFields", Message: "removed from the applied config, because an apply cannot set managed fields"}}
	if !reflect.DeepEqual(r.Warnings, want) {
		t.Errorf("warnings %v", r.Warnings)
	}
	if got := objects.Owners(r.Managed); !slices.Equal(got, []string{`m Apply v1 03:04:05 {"f:spec":{"f:type":{}}}`}) {
		t.Errorf("got %q", got)
	}
	if objects.AsJSON(config) != before {
		t.Error("the config was modified")
	}
}

// TestNobodyOwnsNames checks metadata that identifies an object or that the server sets. It
// must never have an owner.
func TestNobodyOwnsNames(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	r := objects.Apply(t, m, nil, "m", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"prod","resourceVersion":"1","labels":{"a":"b"}}}`)
	if got := objects.Owners(r.Managed); !slices.Equal(got, []string{`m Apply v1 03:04:05 {"f:metadata":{"f:labels":{"f:a":{}}}}`}) {
		t.Errorf("got %q", got)
	}
	r = objects.Apply(t, m, nil, "m", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"}}`)
	if r.Managed.Len() != 0 || r.Object["metadata"].(map[string]any)["managedFields"] != nil {
		t.Errorf("got %s", objects.AsJSON(r.Object))
	}
}

func TestBeforeFirstApply(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","uid":"u"},"spec":{"type":"NodePort","replicas":2}}`)
	r := objects.Apply(t, m, live, "gitops", `"replicas":2`)
	want := []string{
		`gitops Apply v1 - {"f:spec":{"f:replicas":{}}}`,
		`before-first-apply Update v1 03:04:05 {"f:spec":{".":{},"f:replicas":{},"f:type":{}}}`,
	}
	if got := objects.Owners(r.Managed); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	_, err := m.Apply(live, objects.Object(t, `"replicas":3`), "gitops", false)
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) || err.Error() != `Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .spec.replicas` {
		t.Fatal(err)
	}
	if hint := conflict.Conflicts[0].Hint; hint != "the object had no managed fields before its first apply, so it is unknown which manager set the value" {
		t.Error(hint)
	}
	// The fields of the empty object have no owner.
	m = objects.NewManager(t, fieldmanager.Options{Empty: func(apiVersion, kind string) map[string]any {
		return map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": map[string]any{}}
	}})
	r = objects.Apply(t, m, live, "gitops", `"replicas":2`)
	if got := objects.Owners(r.Managed)[1]; got != `before-first-apply Update v1 03:04:05 {"f:spec":{"f:replicas":{},"f:type":{}}}` {
		t.Errorf("got %s", got)
	}
}

func TestDefaulter(t *testing.T) {
	failing := errors.New("no defaults today")
	var err error
	m := objects.NewManager(t, fieldmanager.Options{Defaulter: func(object map[string]any) (map[string]any, error) {
		if err != nil {
			return nil, err
		}
		spec, _ := object["spec"].(map[string]any)
		if spec["type"] != nil {
			return object, nil
		}
		return map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": object["metadata"],
			"spec": map[string]any{"type": "ClusterIP", "replicas": spec["replicas"]}}, nil
	}})
	live := objects.Apply(t, m, nil, "a", `"replicas":1,"type":"NodePort"`)
	// When a manager gives up the field type, its default returns, and nobody owns it.
	r := objects.Apply(t, m, live.Object, "a", `"replicas":1`)
	if got := objects.AsJSON(r.Object["spec"]); got != `{"replicas":1,"type":"ClusterIP"}` {
		t.Errorf("got %s", got)
	}
	if got := objects.Owners(r.Managed); !slices.Equal(got, []string{`a Apply v1 03:04:05 {"f:spec":{"f:replicas":{}}}`}) {
		t.Errorf("got %q", got)
	}
	if again := objects.Apply(t, m, r.Object, "a", `"replicas":1`); again.Changed {
		t.Errorf("changed to %s", objects.AsJSON(again.Object))
	}
	err = failing
	if _, got := m.Apply(nil, objects.Object(t, `"replicas":1`), "a", false); !errors.Is(got, failing) {
		t.Error(got)
	}
}

func TestUntyped(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Untyped: true, Types: objects.ServiceType})
	r := objects.Apply(t, m, nil, "a", `{"apiVersion":"ex.io/v1","kind":"Thing","metadata":{"name":"x"},"spec":{"list":[1,{"a":2}],"map":{"b":true}}}`)
	if got := objects.Owners(r.Managed); !slices.Equal(got, []string{`a Apply ex.io/v1 03:04:05 {"f:spec":{".":{},"f:list":{},"f:map":{".":{},"f:b":{}}}}`}) {
		t.Errorf("got %q", got)
	}
	// If a type is unknown, all its versions are assumed to have the same schema.
	live := r.Object
	if r = objects.Apply(t, m, live, "b", `{"apiVersion":"ex.io/v2","kind":"Thing","metadata":{"name":"x"},"spec":{"map":{"b":true}}}`); r.Object["apiVersion"] != "ex.io/v2" {
		t.Errorf("got %s", objects.AsJSON(r.Object))
	}
	// If a type is known, requests use the schema of the type.
	if _, err := m.Apply(nil, objects.Object(t, `"nope":1`), "a", false); err == nil || !strings.Contains(err.Error(), "field not declared in schema") {
		t.Error(err)
	}
}

func TestResetFields(t *testing.T) {
	sets := func(fields ...string) map[fieldpath.APIVersion]*fieldpath.Set {
		set := fieldpath.NewSet()
		for _, f := range fields {
			set.Insert(fieldpath.MakePathOrDie(strings.Split(f, ".")[0]))
			if parts := strings.Split(f, "."); len(parts) > 1 {
				set = objects.Paths(fieldpath.MakePathOrDie(parts[0], parts[1]))
			}
		}
		return map[fieldpath.APIVersion]*fieldpath.Set{"v1": set}
	}
	const config = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","labels":{"a":"b"}},"spec":{"type":"NodePort"},"status":{"phase":"Up"}}`
	main := objects.NewManager(t, fieldmanager.Options{ResetFields: sets("status")})
	live := objects.Apply(t, main, nil, "m", config)
	if got := objects.AsJSON(live.Object["status"]); got != "null" {
		t.Errorf("status of a new object: %s", got)
	}
	status := objects.NewManager(t, fieldmanager.Options{ResetFields: sets("spec", "metadata"), Subresource: "status"})
	r := objects.Apply(t, status, live.Object, "ctl", strings.Replace(config, "NodePort", "Other", 1))
	want := []string{
		`m Apply v1 03:04:05 {"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:type":{}}}`,
		`status of ctl Apply v1 03:04:05 {"f:status":{"f:phase":{}}}`,
	}
	slices.Sort(want)
	got := objects.Owners(r.Managed)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := objects.AsJSON(r.Object["spec"]) + objects.AsJSON(r.Object["status"]); got != `{"type":"NodePort"}{"phase":"Up"}` {
		t.Errorf("got %s", got)
	}
	r = objects.Apply(t, main, r.Object, "m", strings.Replace(config, "Up", "Down", 1))
	if r.Changed {
		t.Errorf("changed to %s", objects.AsJSON(r.Object))
	}
	// The set of reset fields has the path of a field inside another field.
	part := objects.NewManager(t, fieldmanager.Options{ResetFields: sets("spec.type")})
	r = objects.Apply(t, part, live.Object, "n", `"type":"Other","replicas":3`)
	if got := objects.AsJSON(r.Object["spec"]); got != `{"replicas":3,"type":"NodePort"}` {
		t.Errorf("got %s", got)
	}
	_, err := fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType, ResetFields: map[fieldpath.APIVersion]*fieldpath.Set{"v1": objects.Paths(fieldpath.MakePathOrDie("spec", 3))}})
	if err == nil || err.Error() != "options: ResetFields: v1: the path .spec[3] must contain only field names" {
		t.Error(err)
	}
}

// TestNilResetFields checks that an endpoint stores all fields if its set in ResetFields is nil.
func TestNilResetFields(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{ResetFields: map[fieldpath.APIVersion]*fieldpath.Set{"v1": nil}})
	live := objects.Apply(t, m, nil, "m", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"status":{"phase":"Up"}}`)
	want := []string{`m Apply v1 03:04:05 {"f:status":{"f:phase":{}}}`}
	if got := objects.Owners(live.Managed); !slices.Equal(got, want) || objects.AsJSON(live.Object["status"]) != `{"phase":"Up"}` {
		t.Errorf("got %s, owners %q", objects.AsJSON(live.Object), got)
	}
	r, err := m.Update(live.Object, edit(t, live.Object, `"Up"`, `"Down"`), "u")
	if got := objects.AsJSON(objects.Accepted(t, r, err).Object["status"]); got != `{"phase":"Down"}` {
		t.Errorf("got status %s", got)
	}
}

func TestNew(t *testing.T) {
	set := map[fieldpath.APIVersion]*fieldpath.Set{}
	for want, o := range map[string]fieldmanager.Options{
		"options: Types is missing: set Types or Untyped":                                     {},
		"options: ResetFields and IgnoreFilter may not both be set":                           {Untyped: true, ResetFields: set, IgnoreFilter: map[fieldpath.APIVersion]fieldpath.Filter{}},
		"options: MaxUpdateManagers is negative: use a positive number, or 0 for the default": {Untyped: true, MaxUpdateManagers: -1},
	} {
		if _, err := fieldmanager.New(o); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestConcurrency checks that one FieldManager can handle concurrent requests.
func TestConcurrency(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Converter: fieldmanager.NoneConverter})
	live := objects.Apply(t, m, nil, "gitops", `"ports":[{"port":80},{"port":443}],"type":"NodePort"`).Object
	live = objects.Update(t, m, live, "u", `{"apiVersion":"v1beta1","kind":"Service","metadata":{"name":"web"},"spec":{"ports":[{"port":80},{"port":443}],"type":"NodePort","replicas":3}}`).Object
	config := objects.Object(t, `"replicas":4`)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 20 {
				r, err := m.Apply(live, config, fmt.Sprint("m", i), true)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := m.Update(live, r.Object, "u"); err != nil {
					t.Error(err)
				}
				if _, err := m.Apply(live, config, "x", false); !errors.As(err, new(merge.Conflicts)) {
					t.Error(err)
				}
				r.Managed.Fields()
			}
		}()
	}
	wg.Wait()
}

// TestDeepConfig checks that an apply of a deeply nested config succeeds or returns an error,
// and does not crash.
func TestDeepConfig(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Untyped: true, Types: objects.ServiceType})
	for levels, fine := range map[int]bool{5000: true, 1_000_000: false} {
		spec := map[string]any{}
		for range levels {
			spec = map[string]any{"a": spec}
		}
		config := map[string]any{"apiVersion": "ex.io/v1", "kind": "Thing", "metadata": map[string]any{"name": "x"}, "spec": spec}
		r, err := m.Apply(nil, config, "m", false)
		if (err == nil) != fine {
			t.Errorf("%d levels: %.200v", levels, err)
		}
		if fine {
			if again, err := m.Apply(r.Object, config, "m", false); err != nil || again.Changed {
				t.Errorf("%d levels again: %v", levels, err)
			}
		}
	}
}

// TestApplySharesWithLive checks that the result of an apply shares the unchanged parts of
// the live object. An apply must not write to the live object or the config.
func TestApplySharesWithLive(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	first := objects.Apply(t, m, nil, "gitops", `"type":"NodePort","ports":[{"port":80,"targetPort":8080},{"port":81}]`).Object
	live := objects.Update(t, m, first, "editor", `"type":"NodePort","ports":[{"port":80,"protocol":"TCP","targetPort":8080,"name":"http"},{"port":81,"protocol":"TCP"}]`).Object
	was := objects.AsJSON(live)
	for _, spec := range []string{
		`"type":"NodePort","ports":[{"port":80,"targetPort":8081},{"port":81}]`, // another value
		`"type":"NodePort","ports":[{"port":80},{"port":81}]`,                   // one field fewer
		`"type":"NodePort","ports":[{"port":81}]`,                               // one item fewer
		`"type":"NodePort"`, // no list
		`"type":"NodePort","ports":[{"port":80,"targetPort":8080},{"port":81},{"port":82}]`, // one item more
	} {
		config := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{`+spec+`}}`)
		asked := objects.AsJSON(config)
		r, err := m.Apply(live, config, "gitops", true)
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		if !r.Changed {
			t.Errorf("%s: not changed", spec)
		}
		if got := objects.AsJSON(live); got != was {
			t.Errorf("%s: live is now %s\nwant %s", spec, got, was)
		}
		if got := objects.AsJSON(config); got != asked {
			t.Errorf("%s: the config is now %s", spec, got)
		}
	}
	config := `"type":"ClusterIP","ports":[{"port":80,"targetPort":8080},{"port":81}]`
	r := objects.Apply(t, m, live, "gitops", config)
	ports := func(o map[string]any) uintptr {
		return reflect.ValueOf(o["spec"].(map[string]any)["ports"]).Pointer()
	}
	if ports(r.Object) != ports(live) {
		t.Error("a list that nobody changed was copied")
	}
}

// TestResetFieldsSameError checks ResetFields with invalid sets for several versions. The
// error must always name the version that sorts first.
func TestResetFieldsSameError(t *testing.T) {
	sets := map[fieldpath.APIVersion]*fieldpath.Set{}
	for i := range 20 {
		sets[fieldpath.APIVersion(fmt.Sprintf("v%02d", i))] = objects.Paths(fieldpath.MakePathOrDie("spec", i))
	}
	for range 50 {
		_, err := fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType, ResetFields: sets})
		if err == nil || !strings.Contains(err.Error(), "v00: ") {
			t.Fatalf("got %v", err)
		}
	}
}
