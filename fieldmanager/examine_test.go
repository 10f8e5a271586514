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
	"github.com/dovetail-ssa/dovetail/typed"
)

// problems prints what Examine found.
func problems(x *fieldmanager.Examined) []string {
	var lines []string
	for _, p := range x.Problems {
		line := fmt.Sprintf("%d %s %s", p.Index, p.Rule, p.Owner.Manager)
		if len(p.Path) > 0 {
			line += " " + p.Path.String()
		}
		if p.Repair != "" {
			line += ": " + p.Repair
		}
		lines = append(lines, line)
	}
	return lines
}

func examine(t *testing.T, m *fieldmanager.FieldManager, live map[string]any, o fieldmanager.ExamineOptions, want ...string) *fieldmanager.Examined {
	t.Helper()
	before := asJSON(live)
	x, err := m.Examine(live, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := problems(x); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if asJSON(live) != before {
		t.Error("the live object was modified")
	}
	return x
}

func managedBy(t *testing.T, spec string, entries ...string) map[string]any {
	t.Helper()
	return object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","managedFields":[`+strings.Join(entries, ",")+`]},"spec":{`+spec+`}}`)
}

func stored(manager, operation, apiVersion, fields string) string {
	return fmt.Sprintf(`{"manager":%q,"operation":%q,"apiVersion":%q,"time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":%s}`, manager, operation, apiVersion, fields)
}

// C54: an entry of a version that is gone keeps what it owns, in the version of
// the object: applies work again, and remove what they should.
func TestExamineVersionGone(t *testing.T) {
	m := newManager(t, fieldmanager.Options{})
	live := managedBy(t, `"replicas":1,"type":"NodePort"`,
		stored("old", "Apply", "v1alpha1", `{"f:spec":{"f:replicas":{},"f:renamed":{}}}`),
		stored("new", "Apply", "v1", `{"f:spec":{"f:type":{}}}`),
		stored("op", "Update", "v1alpha1", `{"f:spec":{"f:type":{}}}`),
		stored("op", "Update", "v1", `{"f:spec":{"f:replicas":{}}}`))
	x := examine(t, m, live, fieldmanager.ExamineOptions{},
		"0 version-gone old: now in v1", "2 version-gone op: now in v1")
	r := apply(t, m, x.Object, "new", `"type":"NodePort"`)
	want := []string{
		`new Apply v1 00:00:00 {"f:spec":{"f:type":{}}}`,
		`old Apply v1 00:00:00 {"f:spec":{"f:renamed":{},"f:replicas":{}}}`,
		`op Update v1 00:00:00 {"f:spec":{"f:replicas":{},"f:type":{}}}`,
	}
	if got := owners(r.Managed); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	// A type that cannot be looked up now is not a version that is gone.
	away := errors.New("not reachable")
	source := func(apiVersion, kind string) (typed.ParseableType, error) {
		if apiVersion != "v1" {
			return typed.ParseableType{}, away
		}
		return serviceType(apiVersion, kind)
	}
	if _, err := newManager(t, fieldmanager.Options{Types: source}).Examine(live, fieldmanager.ExamineOptions{}); !errors.Is(err, away) {
		t.Error(err)
	}
}

// Broken entries are left out, those of one owner joined, keys completed (C03,
// C56), and what is owned and gone is let go.
func TestExamineRepairs(t *testing.T) {
	m := newManager(t, fieldmanager.Options{})
	live := managedBy(t, `"replicas":1,"type":"NodePort","ports":[{"port":80}]`,
		stored("patcher", "Patch", "v1", `{"f:spec":{"f:type":{}}}`),
		stored("a", "Apply", "v1", `{"f:spec":{"f:type":{}}}`),
		stored("a", "Apply", "v1", `{"f:spec":{"f:replicas":{},"f:ports":{"k:{\"port\":80}":{".":{},"f:port":{}}}}}`),
		stored("b", "Apply", "v1", `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":null}":{".":{},"f:port":{}}}}}`),
		stored("c", "Update", "v1", `{"f:spec":{"f:type":{},"f:selector":{"f:app":{}}}}`),
		stored("gone", "Update", "v1", `{"f:spec":{"f:selector":{}}}`),
		stored("x", "Apply", "v1", `{"f:a":3}`), `7`)
	x := examine(t, m, live, fieldmanager.ExamineOptions{},
		"0 broken-entry : left out",
		"2 duplicate-entry a: joined with the first",
		"6 broken-entry : left out",
		"7 broken-entry : left out",
		`1 missing-key-default a .spec.ports[port=80]: now .spec.ports[port=80,protocol="TCP"]`,
		`3 missing-key-default b .spec.ports[port=80,protocol=null]: now .spec.ports[port=80,protocol="TCP"]`,
		"4 outdated-path c .spec.selector.app: now .spec.selector",
		"4 lost-path c .spec.selector: left out",
		"5 dead-manager gone: left out")
	managed, err := fieldmanager.Decode(x.Object)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`a Apply v1 00:00:00 {"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:replicas":{},"f:type":{}}}`,
		`b Apply v1 00:00:00 {"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}`,
		`c Update v1 00:00:00 {"f:spec":{"f:type":{}}}`,
	}
	if got := owners(managed); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for i, want := range map[int]string{
		0: `operation: want Apply or Update, got "Patch"`, 2: `fieldsV1["f:a"]: want an object, got a number`, 3: "want an object, got a number",
	} {
		if got := x.Problems[i].Message; got != want {
			t.Errorf("message %q, want %q", got, want)
		}
	}
	list := object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"managedFields":{}}}`)
	x = examine(t, m, list, fieldmanager.ExamineOptions{}, "-1 broken-entry : left out: nobody owns anything until somebody writes")
	if asJSON(x.Object) != `{"apiVersion":"v1","kind":"Service","metadata":{}}` {
		t.Error(asJSON(x.Object))
	}
}

// What is not there may have another name in the version of an entry: it is left
// alone, unless the versions are known to be of one shape.
func TestExamineOtherVersions(t *testing.T) {
	live := managedBy(t, `"replicas":1`, stored("a", "Update", "v1beta1", `{"f:spec":{"f:count":{}}}`))
	for _, converter := range []fieldmanager.Converter{nil, renaming} {
		examine(t, newManager(t, fieldmanager.Options{Converter: converter}), live, fieldmanager.ExamineOptions{})
	}
	examine(t, newManager(t, fieldmanager.Options{Converter: fieldmanager.SameShape}), live, fieldmanager.ExamineOptions{}, "0 dead-manager a: left out")
}

// C34: what only client-side apply owns in an object that is applied by now, and
// what nobody owns of its annotation. C33: one tool, two entries.
func TestExamineOwners(t *testing.T) {
	m := newManager(t, fieldmanager.Options{Clock: at("2026-04-02T00:00:00Z")})
	live := managedBy(t, `"replicas":1,"type":"NodePort","ports":[{"port":80},{"port":81,"name":"legacy"}]`,
		stored("kubectl", "Apply", "v1", `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}`),
		stored("kubectl-client-side-apply", "Update", "v1", `{"f:metadata":{"f:annotations":{".":{},"f:kubectl.kubernetes.io/last-applied-configuration":{}}},"f:spec":{".":{},"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}},"k:{\"port\":81,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:name":{}}}}}`),
		stored("helm", "Apply", "v1", `{"f:spec":{"f:replicas":{}}}`),
		stored("Helm", "Update", "v1", `{"f:spec":{"f:replicas":{}}}`),
		stored("helmet", "Update", "v1", `{"f:spec":{"f:replicas":{}}}`))
	live["metadata"].(map[string]any)["annotations"] = map[string]any{
		fieldmanager.LastAppliedAnnotation: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"type":"NodePort","replicas":2}}`,
	}
	x := examine(t, m, live, fieldmanager.ExamineOptions{},
		`1 client-side-orphan kubectl-client-side-apply .spec.ports[port=81,protocol="TCP"]`,
		"-1 client-side-orphan  .spec.type",
		"3 two-names Helm")
	if x.Changed || asJSON(x.Object) != asJSON(live) {
		t.Error("something was repaired")
	}
	if p := x.Problems[2]; p.Other.Manager != "helm" || !strings.Contains(p.Message, "1 of its fields are both's, 0 only its own") {
		t.Errorf("%+v", p)
	}
	// Age counts only if it is asked for.
	examine(t, m, managedBy(t, `"replicas":1`, stored("a", "Apply", "v1", `{"f:spec":{"f:replicas":{}}}`)),
		fieldmanager.ExamineOptions{Stale: 90 * 24 * time.Hour}, "0 stale-manager a")
	examine(t, m, managedBy(t, `"replicas":1`, stored("a", "Apply", "v1", `{"f:spec":{"f:replicas":{}}}`)),
		fieldmanager.ExamineOptions{Stale: 92 * 24 * time.Hour})
}

// Two names of a tool that both apply are told if they share a field; who applies and
// updates is told in any case.
func TestExamineTwoNames(t *testing.T) {
	m := newManager(t, fieldmanager.Options{})
	live := managedBy(t, `"replicas":1,"type":"NodePort","selector":{"a":"b"}`,
		stored("argo", "Apply", "v1", `{"f:spec":{"f:replicas":{}}}`),
		stored("argo-cd", "Apply", "v1", `{"f:spec":{"f:type":{}}}`),
		stored("argo-controller", "Update", "v1", `{"f:spec":{"f:selector":{}}}`))
	x := examine(t, m, live, fieldmanager.ExamineOptions{}, "2 two-names argo-controller")
	for _, p := range x.Problems {
		if p.Other.Manager != "argo" || !strings.Contains(p.Message, "0 of its fields are both's, 1 only its own") {
			t.Errorf("%+v", p)
		}
	}
}

// What was repaired needs no repair; nobody has lost or won anything that is
// there, and nothing but managed fields is another.
func TestExamineOnce(t *testing.T) {
	repaired := 0
	for _, o := range ownedObjects(t) {
		for _, live := range []map[string]any{o.live, spoilt(t, o.live)} {
			before := asJSON(live)
			x, err := o.fm.Examine(live, fieldmanager.ExamineOptions{})
			if err != nil {
				t.Errorf("%s: %v", o.name, err)
				continue
			}
			if asJSON(live) != before {
				t.Fatalf("%s: the live object was modified", o.name)
			}
			if got, want := asJSON(unmanaged(x.Object)), asJSON(unmanaged(live)); got != want {
				t.Errorf("%s: %s\nbecame %s", o.name, want, got)
			}
			if x.Changed {
				repaired++
			} else if asJSON(x.Object) != before {
				t.Errorf("%s: changed without saying so", o.name)
			}
			again, err := o.fm.Examine(x.Object, fieldmanager.ExamineOptions{})
			if err != nil || again.Changed {
				t.Errorf("%s: after the repair %q, %v", o.name, problems(again), err)
			}
			if got, want := ownedPlaces(t, o.fm, x.Object), ownedPlaces(t, o.fm, o.live); !slices.Equal(got, want) {
				t.Errorf("%s: owned\n%s\nwas\n%s", o.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
	if repaired < 150 {
		t.Errorf("only %d were repaired", repaired)
	}
}

// spoilt is an object with entries that say what they said before in a worse way:
// twice, in a version that is gone, with what nobody can read.
func spoilt(t *testing.T, live map[string]any) map[string]any {
	t.Helper()
	out := deep(live).(map[string]any)
	metadata, ok := out["metadata"].(map[string]any)
	list, isList := metadata["managedFields"].([]any)
	if !ok || !isList || len(list) == 0 {
		return whole(out).(map[string]any)
	}
	first := list[0].(map[string]any)
	list = append(list, deep(first), map[string]any{"manager": "broken"}, nil)
	if first["operation"] == "Apply" && first["apiVersion"] == out["apiVersion"] {
		first["apiVersion"] = "gone.example.com/v1"
	}
	metadata["managedFields"] = list
	return whole(out).(map[string]any)
}

// ownedPlaces are the places of a blame that have owners: the path and the owners
// with a zero byte between them.
func ownedPlaces(t *testing.T, m *fieldmanager.FieldManager, live map[string]any) []string {
	t.Helper()
	b, err := m.Blame(live)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for path, p := range b.All() {
		var names []string
		for _, i := range p.Owners {
			names = append(names, b.Entries[i].Manager+" "+string(b.Entries[i].Operation)+" "+b.Entries[i].Subresource)
		}
		if slices.Sort(names); len(names) > 0 {
			lines = append(lines, path.String()+"\x00"+strings.Join(slices.Compact(names), "\x00"))
		}
	}
	return lines
}

func TestExamineErrors(t *testing.T) {
	m := newManager(t, fieldmanager.Options{})
	if _, err := m.Examine(object(t, `{"apiVersion":"v1","kind":"Service","metadata":3}`), fieldmanager.ExamineOptions{}); !errors.As(err, new(*fieldmanager.ManagedFieldsError)) {
		t.Error(err)
	}
	if _, err := m.Examine(object(t, `{"apiVersion":"v1","kind":"Other"}`), fieldmanager.ExamineOptions{}); !errors.Is(err, fieldmanager.ErrUnknownType) {
		t.Error(err)
	}
}

// C31, C32: fields that only an Update owns, with their default and with another
// value; not those that somebody applies, keys, and what client-side apply left.
func TestExamineDefaults(t *testing.T) {
	m := newManager(t, fieldmanager.Options{})
	entries := []string{
		stored("kubectl-create", "Update", "v1", `{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:type":{},"f:selector":{},"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:protocol":{},"f:name":{}}}}}`),
		stored("operator", "Update", "v1", `{"f:spec":{"f:replicas":{},"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{"f:targetPort":{}}}},"f:status":{"f:phase":{}}}`),
	}
	const ports = `"selector":{"a":"b"},"ports":[{"port":80,"protocol":"TCP","name":"http","targetPort":8080}]`
	live := managedBy(t, `"replicas":4,"type":"ClusterIP",`+ports, entries...)
	all := fieldmanager.ExamineOptions{Defaults: true}
	live["metadata"].(map[string]any)["labels"] = map[string]any{"a": "b"}
	live["status"] = map[string]any{"phase": "Ready"}
	// Nobody applies the object: who does first conflicts over the default.
	examine(t, m, live, all, "0 owned-default kubectl-create .spec.type")
	examine(t, m, live, fieldmanager.ExamineOptions{})

	helm := stored("helm", "Apply", "v1", `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:name":{}}}}}`)
	live = managedBy(t, `"replicas":4,"type":"NodePort",`+ports, append(entries, helm)...)
	live["metadata"].(map[string]any)["labels"] = map[string]any{"a": "b"}
	live["status"] = map[string]any{"phase": "Ready"}
	x := examine(t, m, live, all,
		`1 written-by-update operator .spec.ports[port=80,protocol="TCP"].targetPort`,
		"1 written-by-update operator .spec.replicas",
		"0 written-by-update kubectl-create .spec.selector",
		"0 written-by-update kubectl-create .spec.type")
	if x.Changed || !strings.Contains(x.Problems[3].Message, "another value than its default") || !strings.Contains(x.Problems[1].Message, "no default in the schema") {
		t.Errorf("%+v", x.Problems)
	}
}
