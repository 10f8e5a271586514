// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestChangesIgnoreMissingPaths checks that the method apply ignores a change at a path that
// the config does not have. It must still make later changes, and must not make any other
// changes.
func TestChangesIgnoreMissingPaths(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: object
  map:
    fields:
    - {name: a, type: {scalar: string}}
    - {name: b, type: {scalar: string}}
    - {name: m, type: {map: {elementType: {scalar: string}}}}
    - name: list
      type:
        list:
          elementRelationship: associative
          keys: [key]
          elementType: {map: {fields: [{name: key, type: {scalar: string}, default: k}, {name: x, type: {scalar: string}}]}}
`)
	if err != nil {
		t.Fatal(err)
	}
	p.Schema.DeclarativeDefaults = true
	for _, tc := range []struct{ name, config, yield, want string }{
		{"a field that is not there", `{"b":"y"}`, `.a .b`, `{}`},
		{"a field below one that stays", `{"b":"y","m":{"l":"v"}}`, `.m.k .b`, `{"m":{"l":"v"}}`},
		{"an item that is not there", `{"list":[{"key":"b","x":"y"}]}`, `.list[key="a"].x .list[key="b"].x`, `{"list":[{"key":"b"}]}`},
		{"a field of an item", `{"list":[{}],"b":"y"}`, `.list[key="k"].x .b`, `{"list":[{}]}`},
		{"nothing at all", `{"list":[{}]}`, `.list[key="k"].x .a .m.k`, ``},
	} {
		var config map[string]any
		if err := json.Unmarshal([]byte(tc.config), &config); err != nil {
			t.Fatal(err)
		}
		cs := &changes{owned: fieldpath.NewSet()}
		for _, path := range paths(t, tc.yield) {
			cs.add(path, change{})
		}
		out, changed := cs.apply(config, p.Type("object"))
		want := tc.want
		if want == "" {
			want = tc.config
		}
		if got, _ := json.Marshal(out); string(got) != want || changed != (tc.want != "") {
			t.Errorf("%s: got %s, changed %v", tc.name, got, changed)
		}
	}
}

func paths(t *testing.T, texts string) (all []fieldpath.Path) {
	for _, text := range strings.Fields(texts) {
		path, err := fieldpath.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, path)
	}
	return all
}
