// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// FuzzManagedFields decodes any JSON as managed fields. Decoding invalid managed fields must
// return an error with a path. Valid managed fields must have the meaning of the JSON text.
// Encoding managed fields must give their canonical form. Decoding the canonical form must
// give the same managed fields.
func FuzzManagedFields(f *testing.F) {
	for _, seed := range []string{
		`[{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1"}]`,
		`null`, `{}`, `[]`, `[{}]`, `[null]`, `[3]`,
		"[" + entryA + "]", "[" + entryA + "," + entryA + "]",
		`[{"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{".":{},"k:{\"a\":1}":{"f:x":{}},"v:\"b\"":{},"i:1":{}}}}]`,
		`[{"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"k:{\"b\":2,\"a\":1.0}":{},"k:{\"a\":1,\"b\":2}":{"f:x":null}}}]`,
		`[{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"v:1e400":{},"i:x":{},"q:":{},"f:":{}},"time":"2026-01-01T00:00:00+01:00"}]`,
		`[{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"k:{}":{},"k:null":{},"v:null":{},"v:[1,{\"a\":true}]":{},"v:\"<\u2028>\"":{}}}]`,
		`[{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{".":{},"f:a":{".":{}}},"manager":"\u00e9<","subresource":"status"}]`,
		`[{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":` + strings.Repeat(`{"f:a":`, 200) + `{}` + strings.Repeat(`}`, 200) + `}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		if json.Unmarshal(text, &v) != nil {
			return
		}
		before := objects.AsJSON(v)
		m, err := managedfields.DecodeEntries(v)
		if objects.AsJSON(v) != before {
			t.Fatal("the input was modified")
		}
		if err != nil {
			var bad *managedfields.EntryError
			if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), "metadata.managedFields") {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		checkMeaning(t, m, v)

		written := m.Encode()
		again, err := managedfields.DecodeEntries(objects.Whole(objects.Deep(written)))
		if err != nil {
			t.Fatalf("%v of %s", err, objects.AsJSON(written))
		}
		if objects.AsJSON(again.Encode()) != objects.AsJSON(written) {
			t.Fatalf("written first %s\nthen %s", objects.AsJSON(written), objects.AsJSON(again.Encode()))
		}
		// If an entry keeps its stored form, a new encoding of the entry must equal
		// this form.
		made, err := managedfields.New(m.Entries())
		if err != nil {
			t.Fatal(err)
		}
		if objects.AsJSON(made.Encode()) != objects.AsJSON(written) {
			t.Fatalf("kept  %s\nwould be %s", objects.AsJSON(written), objects.AsJSON(made.Encode()))
		}
	})
}

// checkMeaning compares the decoded managed fields m with the JSON value v.
func checkMeaning(t *testing.T, m *managedfields.Managed, v any) {
	t.Helper()
	items, _ := v.([]any)
	for _, e := range m.Entries() {
		var fields any
		for _, item := range items { // the last entry of each owner counts
			plain := item.(map[string]any)
			text := func(name string) string { s, _ := plain[name].(string); return s }
			o := managedfields.Owner{Manager: text("manager"), Operation: managedfields.Operation(text("operation")),
				APIVersion: text("apiVersion"), Subresource: text("subresource")}
			if o.ID() == e.Owner.ID() {
				fields = plain["fieldsV1"]
			}
		}
		want := fieldpath.NewSet()
		if fields != nil {
			if err := want.FromJSON(strings.NewReader(objects.AsJSON(fields))); err != nil {
				t.Fatalf("read %s, which is: %v", objects.AsJSON(fields), err)
			}
		}
		if !e.Set.Equals(want) {
			t.Fatalf("read %v\nwant %v\nof %s", e.Set, want, objects.AsJSON(fields))
		}
		text, err := want.ToJSON()
		if err != nil {
			t.Fatal(err)
		}
		var plain any
		if err := json.Unmarshal(text, &plain); err != nil {
			t.Fatal(err)
		}
		for _, item := range m.Encode() {
			stored := item.(map[string]any)
			if stored["manager"] == nil && e.Manager == "" || stored["manager"] == e.Manager {
				if stored["operation"] == string(e.Operation) && stored["apiVersion"] == e.APIVersion &&
					(stored["subresource"] == nil && e.Subresource == "" || stored["subresource"] == e.Subresource) &&
					!reflect.DeepEqual(stored["fieldsV1"], plain) {
					t.Fatalf("stored %s\nwant   %s", objects.AsJSON(stored["fieldsV1"]), text)
				}
			}
		}
	}
}
