// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestRoundTripKeepsItems splits an object into a set of paths and the remaining object.
// Merging both parts must give the same items, even if the schema has no default for the
// key of the items.
func TestRoundTripKeepsItems(t *testing.T) {
	for name, def := range map[string]string{"with the default": ", default: TCP", "without": ""} {
		t.Run(name, func(t *testing.T) {
			p, err := typed.NewParser(typed.YAMLObject(`types:
- name: app
  map:
    fields:
    - name: ports
      type: {list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: port}}}
- name: port
  map:
    fields:
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}` + def + `}
    - {name: name, type: {scalar: string}}
    - name: ways
      type: {list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: port}}}
`))
			if err != nil {
				t.Fatal(err)
			}
			live, err := p.Type("app").FromYAML(`
ports:
- {port: 80, protocol: TCP, name: http, ways: [{port: 1, protocol: TCP, name: in}]}
- {port: 90, protocol: TCP, name: more}
`)
			if err != nil {
				t.Fatal(err)
			}
			item := []any{"ports", fieldpath.KeyByFields("port", 80, "protocol", "TCP")}
			below := append(item[:2:2], "ways", fieldpath.KeyByFields("port", 1, "protocol", "TCP"))
			path := func(at []any, name string) fieldpath.Path {
				return fieldpath.MakePathOrDie(append(at[:len(at):len(at)], name)...)
			}

			owned := fieldpath.NewSet(fieldpath.MakePathOrDie(item...), path(item, "port"), path(below, "port"), path(below, "name"))
			extracted := live.ExtractItems(owned.Leaves(), typed.WithAppendKeyFields())
			sameJSON(t, "extracted and merged", live, merged(live, extracted))

			for what, removed := range map[string]*fieldpath.Set{
				"a key":               fieldpath.NewSet(path(item, "protocol")),
				"a key below":         fieldpath.NewSet(path(below, "protocol"), path(below, "name")),
				"all keys and a name": fieldpath.NewSet(path(item, "port"), path(item, "protocol"), path(item, "name"), path(below, "port")),
			} {
				left := live.RemoveKeepingKeys(removed)
				sameJSON(t, what+" removed and merged", live, merged(live, left))
				sameJSON(t, what+" removed twice", left, left.RemoveKeepingKeys(removed))
			}

			// If the set has the path of an item, the item is removed completely.
			gone := live.RemoveKeepingKeys(fieldpath.NewSet(fieldpath.MakePathOrDie(item...), path(item, "port")))
			if got, want := jsonOf(gone), `{"ports":[{"name":"more","port":90,"protocol":"TCP"}]}`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			// RemoveItems also removes keys, as in structured-merge-diff.
			lost := live.RemoveItems(fieldpath.NewSet(path(item, "protocol")))
			if both := merged(live, lost); jsonOf(both) == jsonOf(live) != (def != "") {
				t.Errorf("RemoveItems and merged: %s", jsonOf(both))
			}
		})
	}
}

func jsonOf(tv *typed.TypedValue) string {
	out, err := value.ToJSON(tv.AsValue())
	if err != nil {
		panic(err)
	}
	return string(out)
}

func sameJSON(t *testing.T, what string, want, got *typed.TypedValue) {
	t.Helper()
	if jsonOf(got) != jsonOf(want) {
		t.Errorf("%s: got %s, want %s", what, jsonOf(got), jsonOf(want))
	}
}

// TestRemoveLeavesEmptyContainers removes all entries of containers. With declarative
// defaults, most containers cannot be null. Such containers must become empty instead, as
// after an apply if a manager still owns them.
func TestRemoveLeavesEmptyContainers(t *testing.T) {
	for _, test := range []struct{ gate, object, removed, want string }{
		{"false", `{m: {x: "1"}}`, `.m.x`, `{"m":null}`},
		{"true", `{m: {x: "1"}}`, `.m.x`, `{"m":{}}`},
		{"true", `{m: {x: "1"}}`, `.m`, `{}`},
		{"true", `{m: {}}`, `.m.x`, `{"m":{}}`},
		{"false", `{set: [x]}`, `.set[="x"]`, `{"set":null}`},
		{"true", `{set: [x]}`, `.set[="x"]`, `{"set":[]}`},
		{"true", `{set: []}`, `.set[="x"]`, `{"set":[]}`},
		{"true", `{set: null}`, `.set[="x"]`, `{"set":null}`},
		{"true", `{items: [{k: a, sub: {x: "1"}}]}`, `.items[k="a"].sub.x`, `{"items":[{"k":"a","sub":{}}]}`},
		{"true", `{items: [{k: a}]}`, `.items[k="a"]`, `{"items":[]}`},
		{"true", `{items: [{k: a}, {k: b}]}`, `.items[k="a"].k`, `{"items":[{},{"k":"b"}]}`},
		{"false", `{block: {x: "1"}, m: {}}`, `.block.x`, `{"block":null,"m":{}}`},
		{"true", `{block: {x: "1"}, m: {}}`, `.block.x`, `{"m":{}}`},
	} {
		p, err := typed.NewParser(typed.YAMLObject(`declarativeDefaults: ` + test.gate + `
types:
- name: app
  map:
    fields:
    - {name: m, type: {map: {elementType: {scalar: string}}}}
    - {name: set, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: block, type: {map: {elementType: {scalar: string}, elementRelationship: atomic}}}
    - {name: items, type: {list: {elementType: {namedType: item}, elementRelationship: associative, keys: [k]}}}
- name: item
  map:
    fields:
    - {name: k, type: {scalar: string}}
    - {name: sub, type: {map: {elementType: {scalar: string}}}}
`))
		if err != nil {
			t.Fatal(err)
		}
		tv, err := p.Type("app").FromYAML(typed.YAMLObject(test.object))
		if err != nil {
			t.Fatal(err)
		}
		path, err := fieldpath.ParsePath(test.removed)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := value.ToJSON(tv.RemoveItems(fieldpath.NewSet(path)).AsValue()); err != nil || string(got) != test.want {
			t.Errorf("gate %s, %s without %s: got %s, %v, want %s", test.gate, test.object, test.removed, got, err, test.want)
		}
	}
}
