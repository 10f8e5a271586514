// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v7

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestReadingOfEditions tests four differences that DIFFERENCES.md lists: v7-utf8,
// v7-nil-containers, v7-failed and v7-texts. It compares Dovetail with both columns of the
// table there. Other tests check that the v7 column is true for structured-merge-diff.
func TestReadingOfEditions(t *testing.T) {
	json := func(v value.Value, err error) string {
		if err != nil {
			return err.Error()
		}
		b, err := value.ToJSON(v)
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	failed := func() string {
		s := fieldpath.NewSet(fieldpath.MakePathOrDie("before"))
		err := s.FromJSON(strings.NewReader(`{"f:a":{},"f:b":1}`))
		return s.String() + " " + err.Error()
	}
	names := func(names ...string) string {
		s := fieldpath.NewSet()
		for _, name := range names {
			s.Insert(fieldpath.Path{{FieldName: &name}})
		}
		b, err := s.ToJSON()
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	for _, tc := range []struct {
		say    func() string
		v6, v7 string
	}{
		{func() string { return names("\xff") }, "{\"f:\xff\":{}}", "{\"f:\ufffd\":{}}"},
		{func() string { return json(value.NewValueInterface("\xff"), nil) }, `"\ufffd"`, "\"\ufffd\""},
		{func() string { return names("\xff", "\xfe") }, "{\"f:\xfe\":{},\"f:\xff\":{}}", "json: cannot marshal from Go fieldpath.setContentsV1: duplicate object member name"},
		// Here, both versions agree: the last of several entries with the same key counts.
		{func() string { return json(value.FromJSON([]byte(`{"a":{"b":1},"a":{"c":2}}`))) }, `{"a":{"c":2}}`, `{"a":{"c":2}}`},
		{func() string { return json(value.FromJSON([]byte(`{"a":[{"b":1},2],"a":[{"c":1}]}`))) }, `{"a":[{"c":1}]}`, `{"a":[{"c":1}]}`},
		{func() string { return json(value.NewValueInterface([]any{[]any(nil), map[string]any(nil)}), nil) }, `[null,null]`, `[[],{}]`},
		{failed, ".a\n.b ReadMapCB: expect { or n, but found 1", ".before json: cannot unmarshal into Go fieldpath.setContentsV1"},
	} {
		// When a process starts, encoding/json/v2 selects one of two words at random.
		if got := strings.Replace(tc.say(), "unable to", "cannot", 1); !strings.HasPrefix(got, tc.v7) {
			t.Errorf("v7: %q, want %q", got, tc.v7)
		}
		withVersion(schema.Version6, func() {
			if got := tc.say(); !strings.HasPrefix(got, tc.v6) {
				t.Errorf("v6: %q, want %q", got, tc.v6)
			}
		})
	}
}
