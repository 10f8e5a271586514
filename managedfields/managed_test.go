// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

const entryA = `{"manager":"a","operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:type":{}}}}`

func list(t testing.TB, text string) []any {
	t.Helper()
	var v []any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func TestDecodeErrors(t *testing.T) {
	entry := func(fields string) string {
		return `{"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",` + fields + `}`
	}
	for _, tc := range []struct{ name, value, want string }{
		{"not a list", `{}`, `metadata.managedFields: want a list, got an object`},
		{"entry is no object", `[` + entryA + `, 3]`, `metadata.managedFields[1]: want an object, got a number`},
		{"entry is null", `[null]`, `metadata.managedFields[0]: want an object, got null`},
		{"no operation", `[` + entryA + `, {"apiVersion":"v1"}]`, `metadata.managedFields[1].operation: want Apply or Update, got ""`},
		{"operation", `[{"apiVersion":"v1","operation":"Patch"}]`, `metadata.managedFields[0].operation: want Apply or Update, got "Patch"`},
		{"operation's type", `[{"operation":true}]`, `metadata.managedFields[0].operation: want a string, got a boolean`},
		{"no apiVersion", `[{"operation":"Apply","fieldsType":"FieldsV1"}]`, `metadata.managedFields[0].apiVersion: missing`},
		{"no fieldsType", `[{"operation":"Apply","apiVersion":"v1"}]`, `metadata.managedFields[0].fieldsType: missing`},
		{"fieldsType", `[{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV2"}]`, `metadata.managedFields[0].fieldsType: want FieldsV1, got "FieldsV2"`},
		{"manager's type", `[` + entry(`"manager":["a"]`) + `]`, `metadata.managedFields[0].manager: want a string, got a list`},
		{"time", `[` + entry(`"time":"yesterday"`) + `]`, `metadata.managedFields[0].time: want a time such as 2006-01-02T15:04:05Z, got "yesterday"`},
		{"time's type", `[` + entry(`"time":5`) + `]`, `metadata.managedFields[0].time: want a string, got a number`},
		{"fieldsV1's type", `[` + entry(`"fieldsV1":"x"`) + `]`, `metadata.managedFields[0].fieldsV1: want an object, got a string`},
		{"field is a list", `[` + entry(`"fieldsV1":{"f:spec":{"f:ports":[]}}`) + `]`, `metadata.managedFields[0].fieldsV1["f:spec"]["f:ports"]: want an object, got a list`},
		{"short key", `[` + entry(`"fieldsV1":{"f:spec":{"x":{}}}`) + `]`, `metadata.managedFields[0].fieldsV1["f:spec"]: "x" is not a path element: want f:NAME, k:KEYS, v:VALUE or i:INDEX`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var v any
			if err := json.Unmarshal([]byte(tc.value), &v); err != nil {
				t.Fatal(err)
			}
			_, err := managedfields.DecodeEntries(v)
			if err == nil || err.Error() != tc.want {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
			var bad *managedfields.EntryError
			if !errors.As(err, &bad) {
				t.Errorf("%T is no *EntryError", err)
			}
		})
	}
	t.Run("bad key", func(t *testing.T) {
		_, err := managedfields.DecodeEntries(list(t, `[`+entry(`"fieldsV1":{"k:{x":{}}`)+`]`))
		if err == nil || !strings.HasPrefix(err.Error(), `metadata.managedFields[0].fieldsV1: "k:{x" is not a path element: want the keys of a list item as a JSON object`) {
			t.Error(err)
		}
	})
	t.Run("metadata is no object", func(t *testing.T) {
		_, err := managedfields.Decode(map[string]any{"metadata": "x"})
		if err == nil || err.Error() != "metadata.managedFields: metadata is a string, want an object" {
			t.Error(err)
		}
	})
}

func TestDecodeNothing(t *testing.T) {
	for _, object := range []map[string]any{
		nil, {}, {"metadata": nil}, {"metadata": map[string]any{}},
		{"metadata": map[string]any{"managedFields": nil}},
		{"metadata": map[string]any{"managedFields": []any{}}},
	} {
		m, err := managedfields.Decode(object)
		if err != nil || m.Len() != 0 || m.Encode() != nil || len(m.Fields()) != 0 {
			t.Errorf("%v: %v %v", object, m, err)
		}
	}
	var none *managedfields.Managed
	if none.Len() != 0 || none.Encode() != nil || none.Entries() == nil || none.Fields() == nil || none.Warnings() != nil {
		t.Error("nil has something")
	}
}

func TestIndex(t *testing.T) {
	m, err := managedfields.DecodeEntries(list(t, `[`+strings.Replace(entryA, `"a"`, `"b"`, 1)+`,`+entryA+`]`))
	if err != nil {
		t.Fatal(err)
	}
	for manager, want := range map[string]int{"b": 0, "a": 1, "c": -1} {
		o := managedfields.Owner{Manager: manager, Operation: managedfields.OperationApply, APIVersion: "v1"}
		if got := m.Index(o.ID()); got != want {
			t.Errorf("%s: got %d, want %d", manager, got, want)
		}
	}
	made, err := managedfields.New(m.Entries())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range made.Entries() {
		if got := made.Index(e.Owner.ID()); got != -1 {
			t.Errorf("%v, which was not decoded, was at %d", e.Owner, got)
		}
	}
}

// TestUpgradeOfVersions checks that moved entries are joined with the target entry if they
// have the same API version as the target entry. Moved entries with other versions must be
// removed.
func TestUpgradeOfVersions(t *testing.T) {
	entry := func(manager, operation, version, field string) string {
		return `{"manager":"` + manager + `","operation":"` + operation + `","apiVersion":"` + version + `","fieldsType":"FieldsV1","fieldsV1":{"f:` + field + `":{}}}`
	}
	m, err := managedfields.DecodeEntries(list(t, `[`+strings.Join([]string{
		entry("to", "Apply", "v1", "a"), entry("from", "Update", "v1", "b"), entry("from", "Update", "v2", "c"), entry("other", "Update", "v1", "d"),
	}, ",")+`]`))
	if err != nil {
		t.Fatal(err)
	}
	upgraded, changed, err := m.Upgrade([]string{"from"}, "to", "")
	want := []string{`to Apply v1 - {"f:a":{},"f:b":{}}`, `other Update v1 - {"f:d":{}}`}
	if got := objects.Owners(upgraded); err != nil || !changed || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, %v", got, changed, err)
	}
}

// TestDecodeAfterTwoOfOneOwner checks that entries after a duplicate entry are decoded, too.
func TestDecodeAfterTwoOfOneOwner(t *testing.T) {
	m, err := managedfields.DecodeEntries(list(t, `[`+entryA+`,`+entryA+`,`+strings.Replace(entryA, `"a"`, `"b"`, 1)+`]`))
	if err != nil || m.Len() != 2 || len(m.Warnings()) != 1 {
		t.Errorf("got %q, %v, %v", objects.Owners(m), m.Warnings(), err)
	}
}

// TestEqualExceptTimes decodes managed fields several times. The results must be equal,
// even with different time stamps.
func TestEqualExceptTimes(t *testing.T) {
	read := func(entries string) *managedfields.Managed {
		m, err := managedfields.DecodeEntries(list(t, entries))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a := read(`[` + entryA + `]`)
	for entries, want := range map[string]bool{
		`[` + entryA + `]`: true,
		`[` + strings.Replace(entryA, "2026", "2027", 1) + `]`:     true,
		`[` + strings.Replace(entryA, "f:type", "f:kind", 1) + `]`: false,
		`[` + strings.Replace(entryA, `"a"`, `"b"`, 1) + `]`:       false,
		`[]`: false,
	} {
		if got := a.EqualExceptTimes(read(entries)); got != want {
			t.Errorf("%s: got %v", entries, got)
		}
	}
}

// TestEncodeKeepsEntries checks that an entry keeps its stored form only if that form is
// canonical.
func TestEncodeKeepsEntries(t *testing.T) {
	for _, tc := range []struct {
		name, entry, want string // want is empty if the entry must not change
	}{
		{"as stored", entryA, ""},
		{"nothing owned", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{}}`, ""},
		{"keys, values, indices, self", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{".":{},"k:{\"a\":1,\"b\":\"x\"}":{},"v:\"<x>\"":{},"i:3":{}}}}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{".":{},"i:3":{},"k:{\"a\":1,\"b\":\"x\"}":{},"v:\"\\u003cx\\u003e\"":{}}}}`},
		{"self and something below", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{".":{},"f:b":{}}}}`, ""},
		{"other members are dropped", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{},"extra":1}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{}}`},
		{"empty members are dropped", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":null,"manager":"","subresource":null}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{}}`},
		{"time in another zone", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{},"time":"2026-01-01T02:00:00.5+02:00"}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{},"time":"2026-01-01T00:00:00Z"}`},
		{"null is a member", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":null}}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}`},
		{"unknown kinds are dropped", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{},"z:b":3}}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}`},
		{"self alone", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{".":{}}}}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}`},
		{"self at the root", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{".":{},"f:a":{}}}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}`},
		{"self holds something", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{".":{"f:x":{}},"f:b":{}}}}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{".":{},"f:b":{}}}}`},
		{"another spelling of a key", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"k:{\"b\": 1.0,\"a\":2}":{}}}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"k:{\"a\":2,\"b\":1}":{}}}`},
		{"keys out of order", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"k:{\"b\":1,\"a\":2}":{}}}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"k:{\"a\":2,\"b\":1}":{}}}`},
		{"all kinds of keys", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"k:{\"a\":-1,\"b\":0,\"c\":12345678901,\"d\":1.5,\"e\":true,\"f\":false,\"g\":null,\"h\":\"é\"}":{},"k:{\"a\":true}":{},"k:{\"a\":false,\"b\":0}":{}}}`, ""},
		{"two spellings of a key", `{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"k:{\"a\":1.0}":{"f:x":{}},"k:{\"a\":1}":{}}}`,
			`{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"k:{\"a\":1}":{".":{},"f:x":{}}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := list(t, "["+tc.entry+"]")
			m, err := managedfields.DecodeEntries(in)
			if err != nil {
				t.Fatal(err)
			}
			want := tc.want
			if want == "" {
				want = tc.entry
			}
			got := m.Encode()
			if !reflect.DeepEqual(got, list(t, "["+want+"]")) {
				t.Errorf("got  %s\nwant [%s]", objects.AsJSON(got), want)
			}
			kept := reflect.ValueOf(got[0]).Pointer() == reflect.ValueOf(in[0]).Pointer()
			if kept != (tc.want == "") {
				t.Errorf("kept: %v", kept)
			}
		})
	}
}

func TestEntryOrder(t *testing.T) {
	entry := func(manager, operation, version, time, subresource string) string {
		return objects.AsJSON(map[string]any{"manager": manager, "operation": operation, "apiVersion": version, "time": time,
			"subresource": subresource, "fieldsType": "FieldsV1", "fieldsV1": map[string]any{}})
	}
	const early, late = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
	want := []string{
		entry("z", "Apply", "v1", early, ""),
		entry("a", "Apply", "v1", late, ""),
		entry("a", "Apply", "v1", late, "status"),
		entry("b", "Apply", "v1", late, ""),
		entry("a", "Update", "v1", early, ""),
		entry("a", "Update", "v2", early, ""),
		entry("a", "Update", "v2", early, "scale"),
	}
	shuffled := []string{want[4], want[6], want[1], want[0], want[5], want[3], want[2]}
	m, err := managedfields.DecodeEntries(list(t, "["+strings.Join(shuffled, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range m.Entries() {
		got = append(got, entry(e.Manager, string(e.Operation), e.APIVersion, e.Time.Format(time.RFC3339), e.Subresource))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestDuplicateOwner checks that if an owner has two entries, the last one is used,
// with a warning about the other.
func TestDuplicateOwner(t *testing.T) {
	second := strings.Replace(entryA, "f:type", "f:selector", 1)
	m, err := managedfields.DecodeEntries(list(t, "["+entryA+","+second+"]"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Len() != 1 || !m.Entries()[0].Set.Has(fieldpath.MakePathOrDie("spec", "selector")) {
		t.Errorf("got %s", objects.AsJSON(m.Encode()))
	}
	want := []managedfields.Warning{{Path: ".metadata.managedFields[1]", Message: `replaces an earlier entry of the same owner, "a"`}}
	if !reflect.DeepEqual(m.Warnings(), want) {
		t.Errorf("warnings: %v", m.Warnings())
	}
}

func TestNewManaged(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	set := objects.Paths(fieldpath.MakePathOrDie("spec", "type"))
	owner := managedfields.Owner{Manager: "a", Operation: managedfields.OperationApply, APIVersion: "v1"}
	m, err := managedfields.New([]managedfields.Entry{{Owner: owner, Time: &now, Set: set}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := objects.AsJSON(m.Encode()), `[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:type":{}}},"manager":"a","operation":"Apply","time":"2026-01-02T03:04:05Z"}]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if e, ok := m.Find(owner.ID()); !ok || e.Owner != owner {
		t.Errorf("found %v", e)
	}
	if _, ok := m.Find("other"); ok {
		t.Error("found an entry that does not exist")
	}
	other := owner
	other.APIVersion = "v2" // a manager has only one Apply entry, in one version
	for _, tc := range []struct {
		name    string
		entries []managedfields.Entry
		want    string
	}{
		{"twice", []managedfields.Entry{{Owner: owner, Set: set}, {Owner: other, Set: set}}, `metadata.managedFields[1]: second entry of "a"`},
		{"no set", []managedfields.Entry{{Owner: owner}}, `metadata.managedFields[0].fieldsV1: missing`},
		{"no version", []managedfields.Entry{{Owner: managedfields.Owner{Operation: "Apply"}, Set: set}}, `metadata.managedFields[0].apiVersion: missing`},
		{"no operation", []managedfields.Entry{{Owner: managedfields.Owner{APIVersion: "v1"}, Set: set}}, `metadata.managedFields[0].operation: want Apply or Update, got ""`},
		{"bad set", []managedfields.Entry{{Owner: owner, Set: objects.Paths(fieldpath.Path{{}})}}, `metadata.managedFields[0].fieldsV1: invalid PathElement`},
	} {
		if _, err := managedfields.New(tc.entries); err == nil || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
}

func TestEncodeInto(t *testing.T) {
	m, err := managedfields.DecodeEntries(list(t, "["+entryA+"]"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ in, want string }{
		{`{}`, `{"metadata":{"managedFields":[` + objects.AsJSON(list(t, "["+entryA+"]")[0]) + `]}}`},
		{`{"a":1,"metadata":{"name":"x","managedFields":[]}}`, `{"a":1,"metadata":{"managedFields":[` + objects.AsJSON(list(t, "["+entryA+"]")[0]) + `],"name":"x"}}`},
	} {
		in := objects.Object(t, tc.in)
		before := objects.AsJSON(in)
		if got := objects.AsJSON(m.EncodeInto(in)); got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.in, got, tc.want)
		}
		if objects.AsJSON(in) != before {
			t.Error("the object was modified")
		}
	}
	var none *managedfields.Managed
	if got := objects.AsJSON(none.EncodeInto(objects.Object(t, `{"metadata":{"managedFields":[1]}}`))); got != `{"metadata":{}}` {
		t.Errorf("got %s", got)
	}
}

func TestResetsManagedFields(t *testing.T) {
	for text, want := range map[string]bool{
		`{"metadata":{"managedFields":[]}}`:                   true,
		`{"metadata":{"managedFields":[{}]}}`:                 true,
		`{"metadata":{"managedFields":[{"manager":""}]}}`:     true,
		`{"metadata":{"managedFields":[{"manager":"a"}]}}`:    false,
		`{"metadata":{"managedFields":[{"fieldsV1":{}}]}}`:    false,
		`{"metadata":{"managedFields":[{},{}]}}`:              false,
		`{"metadata":{"managedFields":[3]}}`:                  false,
		`{"metadata":{"managedFields":null}}`:                 false,
		`{"metadata":{}}`:                                     false,
		`{}`:                                                  false,
		`{"metadata":3}`:                                      false,
		`{"metadata":{"managedFields":[{"time":"x"}]}}`:       false,
		`{"metadata":{"managedFields":[{"operation":null}]}}`: true,
	} {
		if got := managedfields.RequestsReset(objects.Object(t, text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

// TestDepth checks that fields may be nested ten thousand levels deep, and that more levels
// are an error.
func TestDepth(t *testing.T) {
	nest := func(levels int) []any {
		fields := map[string]any{}
		for range levels {
			fields = map[string]any{"f:a": fields}
		}
		return []any{map[string]any{"operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields}}
	}
	m, err := managedfields.DecodeEntries(nest(9999))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := managedfields.New(m.Entries()); err != nil {
		t.Fatal(err)
	}
	for _, levels := range []int{10002, 1_000_000} {
		_, err = managedfields.DecodeEntries(nest(levels))
		if err == nil || !strings.HasSuffix(err.Error(), ": nested deeper than 10000 levels") {
			t.Fatalf("%d levels: %.200v", levels, err)
		}
		if len(err.Error()) > 1000 {
			t.Errorf("a message of %d bytes", len(err.Error()))
		}
	}
}

func TestManyEntries(t *testing.T) {
	var entries []any
	for i := range 50_000 {
		entries = append(entries, map[string]any{"manager": string(rune('a' + i%26)), "operation": "Update", "apiVersion": time.Duration(i).String(),
			"fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:a": map[string]any{}}})
	}
	m, err := managedfields.DecodeEntries(entries)
	if err != nil || m.Len() != len(entries) {
		t.Fatal(m.Len(), err)
	}
}

// TestDecodedFieldsAreReadAsText checks that decoded fields give the same set as their JSON
// text, for any escapes in their keys. Keys are sorted by their bytes.
func TestDecodedFieldsAreReadAsText(t *testing.T) {
	for _, text := range []string{
		`{}`,
		`{"f:a":{},"f:b":{".":{},"f:c":{}},"f:d":{"f:e":{}}}`,
		`{".":{}}`,
		`{"v:1":{},"v:1.0":{"f:a":{}}}`,
		`{"v:1":{"f:a":{}},"v:1.0":{}}`,
		`{"v:1":{"f:a":{}},"v:1.0":{"f:b":{}}}`,
		`{"v:1":{".":{},"f:a":{}},"v:1.0":{"f:b":{}}}`,
		`{"v: 1":{"f:a":{}},"v:1":{},"v:1.0":{}}`,
		`{"i:01":{"f:a":{}},"i:1":{}}`,
		`{"k:{\"a\":1.0}":{".":{},"f:b":{}},"k:{\"a\":1}":{"f:a":{}}}`,
		`{"k:{\"a\":1,\"b\":2}":{"f:x":{}},"k:{\"b\":2,\"a\":1}":{".":{}}}`,
		`{"f:a":{},"x:y":{"f:b":{}},"z:":{}}`,
		`{"a:":{},"f:a":{}}`,
		`{"f:a":{"a:x":{},"f:b":{}},"f:c":{}}`,
	} {
		want := &fieldpath.Set{}
		if err := want.FromJSON(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		m, err := managedfields.DecodeEntries(list(t, `[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":`+text+`}]`))
		if err != nil || m.Len() != 1 || !m.Entries()[0].Set.Equals(want) {
			t.Errorf("%s: got %v, %v, want %v", text, m, err, want)
		}
	}
}
