// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestKeyFieldsOfExtractedItems checks that ExtractItems adds the keys of every list item
// that contains an extracted path, at any depth.
func TestKeyFieldsOfExtractedItems(t *testing.T) {
	p, err := typed.NewParser(folders)
	if err != nil {
		t.Fatal(err)
	}
	tv, err := p.Type("folder").FromYAML(`
items:
- a: "1"
  b: x
  items: [{a: "1", b: x}, {a: "2", b: x, labels: {k: v}}]
- a: "2"
  b: x
- a: "3"
  below: {items: [{a: "4", b: x}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	key := func(name string) any { return fieldpath.KeyByFields("a", name) }
	for _, test := range []struct {
		path []any
		want string
	}{
		{[]any{"items", key("1"), "b"}, `{"items":[{"a":"1","b":"x"}]}`},
		{[]any{"items", key("1"), "items", key("2"), "b"}, `{"items":[{"a":"1","items":[{"a":"2","b":"x"}]}]}`},
		{[]any{"items", key("1"), "items", key("2"), "labels", "k"}, `{"items":[{"a":"1","items":[{"a":"2","labels":{"k":"v"}}]}]}`},
		{[]any{"items", key("2")}, `{"items":[{"a":"2"}]}`},
		{[]any{"items", key("3"), "below", "items", key("4"), "b"}, `{"items":[{"a":"3","below":{"items":[{"a":"4","b":"x"}]}}]}`},
		{[]any{"items", key("1"), "items", key("3"), "b"}, `{"items":[{"items":null}]}`},
		{[]any{"items", key("5"), "b"}, `{"items":null}`},
	} {
		got := tv.ExtractItems(fieldpath.NewSet(fieldpath.MakePathOrDie(test.path...)), typed.WithAppendKeyFields())
		text, err := value.ToJSON(got.AsValue())
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != test.want {
			t.Errorf("%v: got %s, want %s", test.path, text, test.want)
		}
	}
}
