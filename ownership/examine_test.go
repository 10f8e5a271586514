// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/typed"
)

// problems returns the problems that Examine found, as text.
func problems(x *ownership.ExamineResult) []string {
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

func examine(t *testing.T, m *fieldmanager.FieldManager, live map[string]any, o ownership.ExamineOptions, want ...string) *ownership.ExamineResult {
	t.Helper()
	before := objects.AsJSON(live)
	x, err := ownership.Examine(m, live, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := problems(x); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if objects.AsJSON(live) != before {
		t.Error("the live object was modified")
	}
	return x
}

// TestExamineVersionUnserved checks an entry whose version a CRD defines and does not serve.
// Examine repairs the entry only if conversion keeps all fields.
func TestExamineVersionUnserved(t *testing.T) {
	types := func(string, string) (typed.ParseableType, error) { return objects.ServiceType("v1", "Service") }
	o := ownership.ExamineOptions{Unserved: func(apiVersion, _ string) bool { return apiVersion == "v1beta1" }}
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort"`,
		objects.StoredEntry("old", "Apply", "v1beta1", `{"f:spec":{"f:replicas":{}}}`),
		objects.StoredEntry("new", "Apply", "v1", `{"f:spec":{"f:type":{}}}`))
	same := objects.NewManager(t, fieldmanager.Options{Types: types, Converter: fieldmanager.NoneConverter})
	x := examine(t, same, live, o, "0 version-unserved old: entry moved to v1")
	examine(t, same, x.Object, o)
	examine(t, same, live, ownership.ExamineOptions{})
	other := objects.NewManager(t, fieldmanager.Options{Types: types, Converter: func(object map[string]any, apiVersion string) (map[string]any, error) {
		converted, err := fieldmanager.NoneConverter(object, apiVersion)
		delete(converted, "spec")
		return converted, err
	}})
	if x := examine(t, other, live, o, "0 version-unserved old"); x.Changed {
		t.Error("an entry was moved to a version that may have other fields")
	}
}

// TestExamineVersionGone checks an entry whose version no longer exists. After Examine, the
// entry must have the same fields, in the version of the object. Applies must work again
// afterwards, and must remove fields as expected.
func TestExamineVersionGone(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort"`,
		objects.StoredEntry("old", "Apply", "v1alpha1", `{"f:spec":{"f:replicas":{},"f:renamed":{}}}`),
		objects.StoredEntry("new", "Apply", "v1", `{"f:spec":{"f:type":{}}}`),
		objects.StoredEntry("op", "Update", "v1alpha1", `{"f:spec":{"f:type":{}}}`),
		objects.StoredEntry("op", "Update", "v1", `{"f:spec":{"f:replicas":{}}}`))
	x := examine(t, m, live, ownership.ExamineOptions{},
		"0 version-gone old: entry moved to v1", "2 version-gone op: entry moved to v1")
	r := objects.Apply(t, m, x.Object, "new", `"type":"NodePort"`)
	want := []string{
		`new Apply v1 00:00:00 {"f:spec":{"f:type":{}}}`,
		`old Apply v1 00:00:00 {"f:spec":{"f:renamed":{},"f:replicas":{}}}`,
		`op Update v1 00:00:00 {"f:spec":{"f:replicas":{},"f:type":{}}}`,
	}
	if got := objects.Owners(r.Managed); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	builtin := func(_, _ string) bool { return false }
	for _, c := range []struct {
		custom func(apiVersion, kind string) bool
		effect string
	}{
		{nil, "an apply fails, or the API server removes the entry"},
		{func(apiVersion, kind string) bool { return apiVersion == "v1" && kind == "Service" }, "the API server rejects every apply to the object"},
		{builtin, "the API server removes the entry at the next write of the object"},
	} {
		found, err := ownership.Examine(m, live, ownership.ExamineOptions{Custom: c.custom})
		if want := "this entry is for v1alpha1 Service, which no longer exists, so " + c.effect; err != nil || found.Problems[0].Message != want {
			t.Errorf("got %v, %v\nwant %s", found, err, want)
		}
	}
	// For a built-in kind, Examine removes the entry, because an API server does the same.
	x = examine(t, m, live, ownership.ExamineOptions{Custom: builtin},
		"0 version-gone old: entry removed; no field loses its owner", "2 version-gone op: entry removed; no field loses its owner")
	r = objects.Apply(t, m, x.Object, "new", `"type":"NodePort"`)
	want = []string{`new Apply v1 00:00:00 {"f:spec":{"f:type":{}}}`, `op Update v1 00:00:00 {"f:spec":{"f:replicas":{}}}`}
	if got := objects.Owners(r.Managed); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	want = []string{`op Update v1 00:00:00 {"f:spec":{"f:replicas":{},"f:type":{}}}`}
	// An entry can get the fields of an entry that comes before it in the list.
	first := objects.ManagedBy(t, `"replicas":1,"type":"NodePort"`,
		objects.StoredEntry("op", "Update", "v1alpha1", `{"f:spec":{"f:type":{}}}`), objects.StoredEntry("op", "Update", "v1", `{"f:spec":{"f:replicas":{}}}`))
	managed, err := managedfields.Decode(examine(t, m, first, ownership.ExamineOptions{}, "0 version-gone op: entry moved to v1").Object)
	if got := objects.Owners(managed); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	// If the lookup of a type fails temporarily, the version still exists.
	away := errors.New("not reachable")
	source := func(apiVersion, kind string) (typed.ParseableType, error) {
		if apiVersion != "v1" {
			return typed.ParseableType{}, away
		}
		return objects.ServiceType(apiVersion, kind)
	}
	if _, err := ownership.Examine(objects.NewManager(t, fieldmanager.Options{Types: source}), live, ownership.ExamineOptions{}); !errors.Is(err, away) {
		t.Error(err)
	}
}

// TestExamineRepairs checks that Examine removes broken entries, merges the entries of one
// owner, adds missing keys to paths, and removes paths that do not exist.
func TestExamineRepairs(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort","ports":[{"port":80}]`,
		objects.StoredEntry("patcher", "Patch", "v1", `{"f:spec":{"f:type":{}}}`),
		objects.StoredEntry("a", "Apply", "v1", `{"f:spec":{"f:type":{}}}`),
		objects.StoredEntry("a", "Apply", "v1", `{"f:spec":{"f:replicas":{},"f:ports":{"k:{\"port\":80}":{".":{},"f:port":{}}}}}`),
		objects.StoredEntry("b", "Apply", "v1", `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":null}":{".":{},"f:port":{}}}}}`),
		objects.StoredEntry("c", "Update", "v1", `{"f:spec":{"f:type":{},"f:selector":{"f:app":{}}}}`),
		objects.StoredEntry("gone", "Update", "v1", `{"f:spec":{"f:selector":{}}}`),
		objects.StoredEntry("x", "Apply", "v1", `{"f:a":3}`), `7`)
	x := examine(t, m, live, ownership.ExamineOptions{},
		"0 broken-entry : entry removed; no field loses its owner",
		"2 duplicate-entry a: merged into entry 1",
		"6 broken-entry : entry removed; its fields are unknown, because fieldsV1 cannot be read",
		"7 broken-entry : entry removed; its fields are unknown, because fieldsV1 cannot be read",
		`1 missing-key-default a .spec.ports[port=80]: path replaced by .spec.ports[port=80,protocol="TCP"]`,
		`3 missing-key-default b .spec.ports[port=80,protocol=null]: path replaced by .spec.ports[port=80,protocol="TCP"]`,
		"4 outdated-path c .spec.selector.app: path replaced by .spec.selector",
		"4 lost-path c .spec.selector: path removed",
		"5 dead-manager gone: entry removed")
	managed, err := managedfields.Decode(x.Object)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`a Apply v1 00:00:00 {"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:replicas":{},"f:type":{}}}`,
		`b Apply v1 00:00:00 {"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}`,
		`c Update v1 00:00:00 {"f:spec":{"f:type":{}}}`,
	}
	if got := objects.Owners(managed); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for i, want := range map[int]string{
		4: `lacks a list key that has a default: the complete path is .spec.ports[port=80,protocol="TCP"]`,
		5: `has null in a list key that has a default: the complete path is .spec.ports[port=80,protocol="TCP"]`,
		0: `operation: want Apply or Update, got "Patch"`, 2: `fieldsV1["f:a"]: want an object, got a number`, 3: "want an object, got a number",
	} {
		if got := x.Problems[i].Message; got != want {
			t.Errorf("message %q, want %q", got, want)
		}
	}
	list := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"managedFields":{}}}`)
	x = examine(t, m, list, ownership.ExamineOptions{}, "-1 broken-entry : managed fields removed: no field has an owner until the next write")
	if objects.AsJSON(x.Object) != `{"apiVersion":"v1","kind":"Service","metadata":{"managedFields":[]}}` {
		t.Error(objects.AsJSON(x.Object))
	}
}

// TestExamineBrokenParts checks that Examine removes only the parts of an entry that cannot be read.
func TestExamineBrokenParts(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	entry := func(manager, time, fields string) string {
		return fmt.Sprintf(`{"manager":%q,"operation":"Update","apiVersion":"v1","time":%s,"fieldsType":"FieldsV1","fieldsV1":%s}`, manager, time, fields)
	}
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort","ports":[{"port":80,"protocol":"TCP"}]`,
		entry("a", `"yesterday"`, `{"f:spec":{"f:type":{}}}`),
		entry("b", "5", `{"f:spec":{"f:type":{},"f:ports":{"k:{port":{".":{}},"v:x":{}},"g":{}}}`),
		entry("c", `"2026-01-01T00:00:00Z"`, `{"f:spec":{"f:replicas":{},"f:type":true,"i:x":{}}}`),
		entry("d", `"2026-01-01T00:00:00Z"`, `{"f:spec":{"":{}}}`))
	x := examine(t, m, live, ownership.ExamineOptions{},
		"0 broken-entry a: time removed; the manager keeps its fields",
		"1 broken-entry b: time removed; the manager keeps its fields",
		"1 broken-entry b .spec.ports: key removed; the manager keeps its other fields",
		"1 broken-entry b .spec.ports: key removed; the manager keeps its other fields",
		"1 broken-entry b .spec: key removed; the manager keeps its other fields",
		"2 broken-entry c .spec: key removed; the manager keeps its other fields",
		"2 broken-entry c .spec: key removed; the manager keeps its other fields",
		"3 broken-entry : entry removed; its fields are unknown, because fieldsV1 cannot be read")
	for i, want := range []string{
		`time: want a time such as 2006-01-02T15:04:05Z, got "yesterday"`,
		"time: want a string, got a number",
		`fieldsV1: "k:{port" is not a path element: want the keys of a list item as a JSON object after k:, such as k:{"name":"web"}`,
		`fieldsV1: "v:x" is not a path element: want a JSON value after v:, such as v:"web"`,
		`fieldsV1: "g" is not a path element: want f:NAME, k:KEYS, v:VALUE or i:INDEX`,
		`fieldsV1["f:type"]: want an object, got a boolean`,
		`fieldsV1: "i:x" is not a path element: want an integer after i:, such as i:0`,
		`fieldsV1["f:spec"]: "" is not a path element: want f:NAME, k:KEYS, v:VALUE or i:INDEX`,
	} {
		if got := x.Problems[i].Message; got != want {
			t.Errorf("message %q, want %q", got, want)
		}
	}
	managed, err := managedfields.Decode(x.Object)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`a Update v1 - {"f:spec":{"f:type":{}}}`, `b Update v1 - {"f:spec":{"f:type":{}}}`, `c Update v1 00:00:00 {"f:spec":{"f:replicas":{}}}`,
	}
	if got := objects.Owners(managed); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestExamineUnowned checks that Examine lists the fields that only a broken entry owns. It ignores
// fields that the object does not have.
func TestExamineUnowned(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort","ports":[{"port":80}]`,
		objects.StoredEntry("patcher", "Patch", "v1", `{"f:spec":{"f:type":{},"f:replicas":{},"f:clusterIP":{},"f:ports":{"k:{\"port\":80}":{".":{},"f:port":{}}}}}`),
		objects.StoredEntry("a", "Apply", "v1", `{"f:spec":{"f:type":{}}}`))
	x := examine(t, m, live, ownership.ExamineOptions{},
		`0 broken-entry : entry removed; fields without an owner: .spec.replicas, .spec.ports[port=80,protocol="TCP"].port`)
	if got := x.Problems[0].Unowned; got == nil || got.Size() != 2 || !got.Has(fieldpath.MakePathOrDie("spec", "replicas")) {
		t.Errorf("got %v", got)
	}
	var fields, selector []string
	for i := range 12 {
		fields, selector = append(fields, fmt.Sprintf(`"f:a%02d":{}`, i)), append(selector, fmt.Sprintf(`"a%02d":"b"`, i))
	}
	live = objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"labels":{`+strings.Join(selector, ",")+`},"managedFields":[`+
		objects.StoredEntry("patcher", "Patch", "v1", `{"f:metadata":{"f:labels":{`+strings.Join(fields, ",")+`}}}`)+`]}}`)
	x = examine(t, m, live, ownership.ExamineOptions{}, `0 broken-entry : entry removed; fields without an owner: `+
		".metadata.labels.a00, .metadata.labels.a01, .metadata.labels.a02, .metadata.labels.a03, .metadata.labels.a04, .metadata.labels.a05, .metadata.labels.a06, .metadata.labels.a07, .metadata.labels.a08, .metadata.labels.a09, and 2 more")
	if got := x.Problems[0].Unowned.Size(); got != 12 {
		t.Errorf("got %d fields", got)
	}
}

// TestExamineUnknownElements checks that Examine reports path elements of an unknown kind, which it
// removes.
func TestExamineUnknownElements(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.ManagedBy(t, `"replicas":1,"ports":[{"port":80,"protocol":"TCP"}]`,
		objects.StoredEntry("a", "Apply", "v1", `{"f:spec":{"f:replicas":{},"x:type":{"f:a":{}},"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"y:b":{}}}}}`),
		objects.StoredEntry("b", "Update", "v1", `{"x:spec":{}}`))
	x := examine(t, m, live, ownership.ExamineOptions{},
		`0 unknown-element a .spec.ports[port=80,protocol="TCP"]: path removed`,
		"0 unknown-element a .spec: path removed",
		"1 unknown-element b: path removed",
		"1 dead-manager b: entry removed")
	want := []string{`a Apply v1 00:00:00 {"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:replicas":{}}}`}
	if managed, err := managedfields.Decode(x.Object); err != nil || !slices.Equal(objects.Owners(managed), want) {
		t.Errorf("got %s", objects.AsJSON(x.Object))
	}
	if got := x.Problems[1].Message; !strings.HasPrefix(got, `contains the element "x:type", whose kind is unknown`) {
		t.Error(got)
	}
}

// TestExamineWrittenNull checks a path with null in a key that has a default. If an item of the object
// has this null, a server finds the item with this path, so Examine keeps the path.
func TestExamineWrittenNull(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	entry := objects.StoredEntry("a", "Update", "v1", `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":null}":{".":{},"f:port":{}}}}}`)
	for _, ports := range []string{`[{"port":80,"protocol":null}]`, `[{"port":80,"protocol":"TCP"},{"port":80,"protocol":null}]`} {
		examine(t, m, objects.ManagedBy(t, `"ports":`+ports, entry), ownership.ExamineOptions{})
	}
	for _, ports := range []string{`[{"port":80}]`, `[{"port":80,"protocol":"TCP"}]`, `[{"port":81,"protocol":null},{"port":80}]`} {
		examine(t, m, objects.ManagedBy(t, `"ports":`+ports, entry), ownership.ExamineOptions{},
			`0 missing-key-default a .spec.ports[port=80,protocol=null]: path replaced by .spec.ports[port=80,protocol="TCP"]`)
	}
}

// TestExamineJoinedPaths checks an entry that owns an item twice: with a null key, and with the
// default of the key.
func TestExamineJoinedPaths(t *testing.T) {
	live := objects.ManagedBy(t, `"ports":[{"port":80,"protocol":"TCP"}]`, objects.StoredEntry("a", "Apply", "v1",
		`{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{}},"k:{\"port\":80,\"protocol\":null}":{".":{},"f:port":{}}}}}`))
	examine(t, objects.NewManager(t, fieldmanager.Options{}), live, ownership.ExamineOptions{},
		`0 missing-key-default a .spec.ports[port=80,protocol=null]: path replaced by .spec.ports[port=80,protocol="TCP"]`)
}

// TestExamineUnknownDefault checks items that lack a key for which the schema has no default, as in
// a schema from an OpenAPI v2 document. A path with this key may belong to such an item, so Examine
// does not remove it.
func TestExamineUnknownDefault(t *testing.T) {
	const owned = `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}`
	bare := objects.NewManager(t, fieldmanager.Options{Types: objects.ServiceTypeWith("null")})
	whole := objects.NewManager(t, fieldmanager.Options{Types: objects.ServiceTypeWith("TCP")})
	const kept = ` .spec.ports[port=80,protocol="TCP"]`
	for _, operation := range []string{"Update", "Apply"} {
		live := objects.ManagedBy(t, `"ports":[{"port":80}]`, objects.StoredEntry("a", operation, "v1", owned))
		examine(t, whole, live, ownership.ExamineOptions{})
		x := examine(t, bare, live, ownership.ExamineOptions{}, "0 lost-path a"+kept)
		if want := "no item has all these keys, but an item lacks the key protocol, which has no default in this schema; if the server has a default for this key, use a schema with defaults, for example from /openapi/v3"; x.Problems[0].Message != want || x.Changed {
			t.Errorf("got %q, changed: %v", x.Problems[0].Message, x.Changed)
		}
		// Other lost paths of the entry are removed.
		live = objects.ManagedBy(t, `"ports":[{"port":80},{"port":81,"protocol":"UDP"}]`, objects.StoredEntry("a", "Update", "v1",
			`{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{}},"k:{\"port\":81,\"protocol\":\"TCP\"}":{".":{}}}}}`))
		examine(t, bare, live, ownership.ExamineOptions{}, "0 lost-path a"+kept, `0 lost-path a .spec.ports[port=81,protocol="TCP"]: path removed`)
		// An item with another port is not the owned item.
		live = objects.ManagedBy(t, `"ports":[{"port":81}]`, objects.StoredEntry("a", operation, "v1", owned))
		examine(t, bare, live, ownership.ExamineOptions{}, "0 dead-manager a: entry removed")
	}
}

// TestExamineOtherVersions checks entries in another version than the object's, with paths
// that the object does not have. A field may have another name in that version. So Examine
// keeps such a path, unless both versions have the same fields.
func TestExamineOtherVersions(t *testing.T) {
	live := objects.ManagedBy(t, `"replicas":1`, objects.StoredEntry("a", "Update", "v1beta1", `{"f:spec":{"f:count":{}}}`))
	for _, converter := range []fieldmanager.Converter{nil, objects.Renaming} {
		examine(t, objects.NewManager(t, fieldmanager.Options{Converter: converter}), live, ownership.ExamineOptions{})
	}
	examine(t, objects.NewManager(t, fieldmanager.Options{Converter: fieldmanager.NoneConverter}), live, ownership.ExamineOptions{}, "0 dead-manager a: entry removed")
}

// v1alpha2Types returns the types of Service. The version v1alpha2 does not declare the field
// type.
func v1alpha2Types(apiVersion, kind string) (typed.ParseableType, error) {
	if apiVersion == "v1alpha2" {
		without := strings.Replace(objects.ServiceSchema, "name: type,", "name: oldType,", 1)
		return objects.GatedParser(typed.YAMLObject(without)).Type("Service"), nil
	}
	return objects.ServiceType(apiVersion, kind)
}

// TestExamineVersionLacksField checks entries whose version does not declare a field of the
// object. A server converts the object to the version of each entry, so every apply fails.
// Examine must move these entries, and no field may lose an owner.
func TestExamineVersionLacksField(t *testing.T) {
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort"`,
		objects.StoredEntry("a", "Apply", "v1alpha2", `{"f:spec":{"f:replicas":{}}}`),
		objects.StoredEntry("b", "Update", "v1alpha2", `{"f:spec":{"f:replicas":{}}}`),
		objects.StoredEntry("b", "Update", "v1", `{"f:spec":{"f:type":{}}}`),
		objects.StoredEntry("c", "Apply", "v1beta1", `{"f:spec":{"f:type":{}}}`))
	byName := objects.NewManager(t, fieldmanager.Options{Types: v1alpha2Types, Converter: fieldmanager.NoneConverter})
	x := examine(t, byName, live, ownership.ExamineOptions{},
		"0 version-lacks-field a: entry moved to v1", "1 version-lacks-field b: entry moved to v1")
	if got, want := x.Problems[0].Message, "v1alpha2 does not declare .spec.type: the API server rejects every apply to the object"; got != want {
		t.Errorf("got %s", got)
	}
	managed, err := managedfields.Decode(x.Object)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`a Apply v1 00:00:00 {"f:spec":{"f:replicas":{}}}`,
		`c Apply v1beta1 00:00:00 {"f:spec":{"f:type":{}}}`,
		`b Update v1 00:00:00 {"f:spec":{"f:replicas":{},"f:type":{}}}`,
	}
	if got := objects.Owners(managed); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	examine(t, byName, x.Object, ownership.ExamineOptions{})

	// Examine must report nothing if the version declares all fields of the object, if
	// conversion renames fields, or if there is no converter.
	without := objects.ManagedBy(t, `"replicas":1`, objects.StoredEntry("a", "Apply", "v1alpha2", `{"f:spec":{"f:replicas":{}}}`))
	examine(t, byName, without, ownership.ExamineOptions{})
	renames := func(object map[string]any, apiVersion string) (map[string]any, error) {
		object = objects.Object(t, objects.AsJSON(object))
		object["apiVersion"] = apiVersion
		delete(object["spec"].(map[string]any), "replicas")
		return object, nil
	}
	for _, converter := range []fieldmanager.Converter{nil, renames} {
		m := objects.NewManager(t, fieldmanager.Options{Types: v1alpha2Types, Converter: converter})
		examine(t, m, live, ownership.ExamineOptions{})
	}
	// A field that no version declares may come from a newer schema, so Examine must not
	// report it.
	unknown := objects.ManagedBy(t, `"replicas":1,"new":1`, objects.StoredEntry("a", "Apply", "v1alpha2", `{"f:spec":{"f:replicas":{}}}`))
	examine(t, byName, unknown, ownership.ExamineOptions{})
}

// TestExamineOwners checks an object that was applied client-side and is now applied
// server-side. Some of the object's fields are owned only by client-side apply. Some fields
// in the annotation of client-side apply have no owner. The test also checks a tool that has
// two entries.
func TestExamineOwners(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Clock: objects.At("2026-04-02T00:00:00Z")})
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort","ports":[{"port":80},{"port":81,"name":"legacy"}]`,
		objects.StoredEntry("kubectl", "Apply", "v1", `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}`),
		objects.StoredEntry("kubectl-client-side-apply", "Update", "v1", `{"f:metadata":{"f:annotations":{".":{},"f:kubectl.kubernetes.io/last-applied-configuration":{}}},"f:spec":{".":{},"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}},"k:{\"port\":81,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:name":{}}}}}`),
		objects.StoredEntry("helm", "Apply", "v1", `{"f:spec":{"f:replicas":{}}}`),
		objects.StoredEntry("Helm", "Update", "v1", `{"f:spec":{"f:replicas":{}}}`),
		objects.StoredEntry("helmet", "Update", "v1", `{"f:spec":{"f:replicas":{}}}`))
	live["metadata"].(map[string]any)["annotations"] = map[string]any{
		fieldmanager.LastAppliedAnnotation: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"type":"NodePort","replicas":2}}`,
	}
	x := examine(t, m, live, ownership.ExamineOptions{},
		`1 client-side-orphan kubectl-client-side-apply .spec.ports[port=81,protocol="TCP"]`,
		"-1 client-side-orphan  .spec.type",
		"3 two-names Helm")
	if x.Changed || objects.AsJSON(x.Object) != objects.AsJSON(live) {
		t.Error("something was repaired")
	}
	if p := x.Problems[2]; p.Other.Manager != "helm" || !strings.Contains(p.Message, "(fields in both entries: 1, only in this entry: 0)") {
		t.Errorf("%+v", p)
	}
	// Without ExamineOptions.Stale, Examine ignores the age of entries.
	examine(t, m, objects.ManagedBy(t, `"replicas":1`, objects.StoredEntry("a", "Apply", "v1", `{"f:spec":{"f:replicas":{}}}`)),
		ownership.ExamineOptions{Stale: 90 * 24 * time.Hour}, "0 stale-manager a")
	examine(t, m, objects.ManagedBy(t, `"replicas":1`, objects.StoredEntry("a", "Apply", "v1", `{"f:spec":{"f:replicas":{}}}`)),
		ownership.ExamineOptions{Stale: 92 * 24 * time.Hour})
}

// TestExamineTwoNames checks which entries of one tool are reported. Two Apply entries are
// reported if they share a field. An Apply and an Update entry are always reported.
func TestExamineTwoNames(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.ManagedBy(t, `"replicas":1,"type":"NodePort","selector":{"a":"b"}`,
		objects.StoredEntry("argo", "Apply", "v1", `{"f:spec":{"f:replicas":{}}}`),
		objects.StoredEntry("argo-cd", "Apply", "v1", `{"f:spec":{"f:type":{}}}`),
		objects.StoredEntry("argo-controller", "Update", "v1", `{"f:spec":{"f:selector":{}}}`))
	x := examine(t, m, live, ownership.ExamineOptions{}, "2 two-names argo-controller")
	for _, p := range x.Problems {
		if p.Other.Manager != "argo" || !strings.Contains(p.Message, "(fields in both entries: 0, only in this entry: 1)") {
			t.Errorf("%+v", p)
		}
	}
}

// TestExamineOnce checks that a repaired object needs no more repairs. No owner may have lost
// or gained a field that exists. Only the managed fields may have changed.
func TestExamineOnce(t *testing.T) {
	repaired := 0
	for _, o := range objects.OwnedObjects(t) {
		for _, live := range []map[string]any{o.Live, spoilt(t, o.Live)} {
			before := objects.AsJSON(live)
			x, err := ownership.Examine(o.Fm, live, ownership.ExamineOptions{})
			if err != nil {
				t.Errorf("%s: %v", o.Name, err)
				continue
			}
			if objects.AsJSON(live) != before {
				t.Fatalf("%s: the live object was modified", o.Name)
			}
			if got, want := objects.AsJSON(objects.WithoutManagedFields(x.Object)), objects.AsJSON(objects.WithoutManagedFields(live)); got != want {
				t.Errorf("%s: %s\nbecame %s", o.Name, want, got)
			}
			if x.Changed {
				repaired++
			} else if objects.AsJSON(x.Object) != before {
				t.Errorf("%s: changed without saying so", o.Name)
			}
			again, err := ownership.Examine(o.Fm, x.Object, ownership.ExamineOptions{})
			if err != nil || again.Changed {
				t.Errorf("%s: after the repair %q, %v", o.Name, problems(again), err)
			}
			if got, want := ownedPlaces(t, o.Fm, x.Object), ownedPlaces(t, o.Fm, o.Live); !slices.Equal(got, want) {
				t.Errorf("%s: owned\n%s\nwas\n%s", o.Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
	if repaired < 150 {
		t.Errorf("only %d were repaired", repaired)
	}
}

// spoilt returns an object with the same owners as live, but with damaged managed fields. It
// has duplicate entries, entries in a version that does not exist, and entries that cannot be
// decoded.
func spoilt(t *testing.T, live map[string]any) map[string]any {
	t.Helper()
	out := objects.Deep(live).(map[string]any)
	metadata, ok := out["metadata"].(map[string]any)
	list, isList := metadata["managedFields"].([]any)
	if !ok || !isList || len(list) == 0 {
		return objects.Whole(out).(map[string]any)
	}
	first := list[0].(map[string]any)
	list = append(list, objects.Deep(first), map[string]any{"manager": "broken"}, nil)
	if first["operation"] == "Apply" && first["apiVersion"] == out["apiVersion"] {
		first["apiVersion"] = "gone.example.com/v1"
	}
	metadata["managedFields"] = list
	return objects.Whole(out).(map[string]any)
}

// ownedPlaces calls Blame and returns the places that have owners. Each string is the path
// and the owners, with a zero byte between them.
func ownedPlaces(t *testing.T, m *fieldmanager.FieldManager, live map[string]any) []string {
	t.Helper()
	b, err := ownership.Blame(m, live)
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
	m := objects.NewManager(t, fieldmanager.Options{})
	if _, err := ownership.Examine(m, objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":3}`), ownership.ExamineOptions{}); !errors.As(err, new(*managedfields.EntryError)) {
		t.Error(err)
	}
	// Examine treats null metadata as absent.
	examine(t, m, objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":null}`), ownership.ExamineOptions{})
	if _, err := ownership.Examine(m, objects.Object(t, `{"apiVersion":"v1","kind":"Other"}`), ownership.ExamineOptions{}); !errors.Is(err, fieldmanager.ErrUnknownType) {
		t.Error(err)
	}
}

// TestExamineDefaults checks fields that only an Update owns. Some have their default
// value, and others have another value. Applied fields, keys, and the fields of client-side
// apply must not be reported.
func TestExamineDefaults(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	entries := []string{
		objects.StoredEntry("kubectl-create", "Update", "v1", `{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:type":{},"f:selector":{},"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:protocol":{},"f:name":{}}}}}`),
		objects.StoredEntry("operator", "Update", "v1", `{"f:spec":{"f:replicas":{},"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{"f:targetPort":{}}}},"f:status":{"f:phase":{}}}`),
	}
	const ports = `"selector":{"a":"b"},"ports":[{"port":80,"protocol":"TCP","name":"http","targetPort":8080}]`
	live := objects.ManagedBy(t, `"replicas":4,"type":"ClusterIP",`+ports, entries...)
	all := ownership.ExamineOptions{Defaults: true}
	live["metadata"].(map[string]any)["labels"] = map[string]any{"a": "b"}
	live["status"] = map[string]any{"phase": "Ready"}
	// Nobody applies the object yet, so the first apply would conflict over the default.
	examine(t, m, live, all, "0 owned-default kubectl-create .spec.type")
	examine(t, m, live, ownership.ExamineOptions{})

	helm := objects.StoredEntry("helm", "Apply", "v1", `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:name":{}}}}}`)
	live = objects.ManagedBy(t, `"replicas":4,"type":"NodePort",`+ports, append(entries, helm)...)
	live["metadata"].(map[string]any)["labels"] = map[string]any{"a": "b"}
	live["status"] = map[string]any{"phase": "Ready"}
	x := examine(t, m, live, all,
		`1 written-by-update operator .spec.ports[port=80,protocol="TCP"].targetPort`,
		"1 written-by-update operator .spec.replicas",
		"0 written-by-update kubectl-create .spec.selector",
		"0 written-by-update kubectl-create .spec.type")
	if x.Changed || !strings.Contains(x.Problems[3].Message, "other than the default") || !strings.Contains(x.Problems[1].Message, "which has no default") {
		t.Errorf("%+v", x.Problems)
	}
}

// TestExamineItemsWithoutKeys checks items that lack a key with a default, also in a nested
// list. Examine must report each such item once, whether a manager owns the item itself or
// a part of the item. It must also report later items in the same list.
func TestExamineItemsWithoutKeys(t *testing.T) {
	p := objects.GatedParser(`
types:
- name: Shop
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {elementType: {namedType: Any}}}}
    - {name: shelves, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: Shelf}}}}
    - {name: doors, type: {list: {elementRelationship: associative, keys: [at, side], elementType: {namedType: Door}}}}
- name: Shelf
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: doors, type: {list: {elementRelationship: associative, keys: [at, side], elementType: {namedType: Door}}}}
- name: Door
  map:
    fields:
    - {name: at, type: {scalar: numeric}}
    - {name: side, type: {scalar: string}, default: left}
    - {name: color, type: {scalar: string}}
    - {name: lock, type: {scalar: string}}
` + objects.AnyType)
	m := objects.NewManager(t, fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return p.Type("Shop"), nil }})
	const doors = `[{"at":1,"color":"red","lock":"x"},{"at":2,"color":"red","lock":"x"}]`
	live := objects.Object(t, `{"apiVersion":"v1","kind":"Shop","metadata":{"name":"s","managedFields":[`+strings.Join([]string{
		objects.StoredEntry("both", "Apply", "v1", `{"f:doors":{"k:{\"at\":1}":{".":{},"f:color":{},"f:lock":{}},"k:{\"at\":2}":{".":{},"f:color":{},"f:lock":{}}},"f:shelves":{"k:{\"name\":\"a\"}":{".":{},"f:doors":{"k:{\"at\":2}":{".":{}}},"f:name":{}}}}`),
		objects.StoredEntry("fields", "Apply", "v1", `{"f:doors":{"k:{\"at\":1}":{"f:color":{}}}}`),
		objects.StoredEntry("item", "Apply", "v1", `{"f:doors":{"k:{\"at\":1}":{}}}`),
		objects.StoredEntry("nested", "Apply", "v1", `{"f:shelves":{"k:{\"name\":\"a\"}":{".":{},"f:doors":{"k:{\"at\":1}":{".":{},"f:color":{}}},"f:name":{}}}}`),
	}, ",")+`]},"doors":`+doors+`,"shelves":[{"name":"a","doors":`+doors+`}]}`)
	examine(t, m, live, ownership.ExamineOptions{},
		`0 missing-key-default both .doors[at=1]: path replaced by .doors[at=1,side="left"]`,
		`0 missing-key-default both .doors[at=2]: path replaced by .doors[at=2,side="left"]`,
		`0 missing-key-default both .shelves[name="a"].doors[at=2]: path replaced by .shelves[name="a"].doors[at=2,side="left"]`,
		`1 missing-key-default fields .doors[at=1]: path replaced by .doors[at=1,side="left"]`,
		`2 missing-key-default item .doors[at=1]: path replaced by .doors[at=1,side="left"]`,
		`3 missing-key-default nested .shelves[name="a"].doors[at=1]: path replaced by .shelves[name="a"].doors[at=1,side="left"]`)
}
