// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// renaming is a Converter between v1 and v2, in which labels are called tags. v3 does not
// exist.
type renaming struct{ parser *typed.Parser }

func (renaming) IsMissingVersionError(err error) bool { return err != nil }

func (r renaming) Convert(tv *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	if version == "v3" {
		return nil, fmt.Errorf("no such version")
	}
	if tv.TypeRef().NamedType != nil && *tv.TypeRef().NamedType == string(version) {
		return tv, nil
	}
	from, to := "labels", "tags"
	if version == "v1" {
		from, to = to, from
	}
	text, err := value.ToJSON(tv.AsValue())
	if err != nil {
		return nil, err
	}
	return r.parser.Type(string(version)).FromYAML(typed.YAMLObject(strings.Replace(string(text), from, to, 1)))
}

// TestItemsKeepTheirKeys checks that an item that stays keeps its keys, even if other
// managers own them. Without a key, the item would have another identity, or none. The test
// has the shortest histories in which earlier versions of the code removed a key of an item.
func TestItemsKeepTheirKeys(t *testing.T) {
	const types = `declarativeDefaults: true
types:
- name: v1
  map:
    fields:
    - {name: items, type: {list: {elementRelationship: associative, keys: [%[1]s], elementType: {namedType: item}}}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
- name: v2
  map:
    fields:
    - {name: items, type: {list: {elementRelationship: associative, keys: [%[1]s], elementType: {namedType: item}}}}
    - {name: tags, type: {map: {elementType: {scalar: string}}}}
- name: item
  map:
    fields:
    - {name: a, type: {scalar: numeric}}
    - {name: c, type: {scalar: string}%[2]s}
    - {name: v, type: {scalar: string}}
`
	for _, test := range []struct {
		name, keys, also string
		live             string
		owned            map[string]string // the set of each manager; m3 is the applier
		config           string
		want             string
	}{{
		name: "an item of somebody else", keys: "a, c", also: ", default: UDP",
		live: `{items: [{a: 80, c: TCP, v: h}, {a: 80, c: UDP}]}`,
		owned: map[string]string{
			"m2": `{"f:items":{"k:{\"a\":80,\"c\":\"TCP\"}":{".":{},"f:a":{},"f:v":{}}}}`,
			"m3": `{"f:items":{"k:{\"a\":80,\"c\":\"UDP\"}":{".":{},"f:a":{},"f:c":{}}}}`,
		},
		config: `{items: [{a: 80, c: UDP}]}`,
		want:   `{items: [{a: 80, c: TCP, v: h}, {a: 80, c: UDP}]}`,
	}, {
		name: "one key", keys: "c", also: ", default: z",
		live: `{items: [{c: x, v: "1"}, {c: z}]}`,
		owned: map[string]string{
			"m2": `{"f:items":{"k:{\"c\":\"x\"}":{".":{},"f:v":{}}}}`,
			"m3": `{"f:items":{"k:{\"c\":\"z\"}":{".":{},"f:c":{}}}}`,
		},
		config: `{items: [{c: z}]}`,
		want:   `{items: [{c: x, v: "1"}, {c: z}]}`,
	}, {
		name: "an item that nobody owns a key of, and no default", keys: "c", also: "",
		live: `{items: [{c: x}], labels: {l: "1"}}`,
		owned: map[string]string{
			"m2": `{"f:items":{"k:{\"c\":\"x\"}":{".":{}}}}`,
			"m3": `{"f:items":{},"f:labels":{"f:l":{}}}`,
		},
		config: `{labels: {l: "1"}}`,
		want:   `{items: [{c: x}], labels: {l: "1"}}`,
	}, {
		name: "the item stays, who wrote its key goes", keys: "a, c", also: ", default: TCP",
		live: `{items: [{a: 80, c: UDP, v: h}]}`,
		owned: map[string]string{
			"m2": `{"f:items":{"k:{\"a\":80,\"c\":\"UDP\"}":{".":{},"f:a":{}}}}`,
			"m3": `{"f:items":{"k:{\"a\":80,\"c\":\"UDP\"}":{".":{},"f:a":{},"f:c":{},"f:v":{}}}}`,
		},
		config: `{items: []}`,
		want:   `{items: [{a: 80, c: UDP}]}`,
	}, {
		name: "a key that is as it is by default may go", keys: "a, c", also: ", default: TCP",
		live: `{items: [{a: 80, c: TCP, v: h}]}`,
		owned: map[string]string{
			"m3": `{"f:items":{"k:{\"a\":80,\"c\":\"TCP\"}":{".":{},"f:a":{},"f:c":{},"f:v":{}}}}`,
		},
		config: `{items: [{a: 80}]}`,
		want:   `{items: [{a: 80}]}`,
	}, {
		name: "and so may a null", keys: "a, c", also: ", default: TCP",
		live: `{items: [{a: 80, c: null, v: h}]}`,
		owned: map[string]string{
			"m3": `{"f:items":{"k:{\"a\":80,\"c\":\"TCP\"}":{".":{},"f:a":{},"f:c":{},"f:v":{}}}}`,
		},
		config: `{items: [{a: 80}]}`,
		want:   `{items: [{a: 80}]}`,
	}, {
		name: "a field of an item that is owned in another version", keys: "c", also: "",
		live: `{items: [{c: x, v: "1"}]}`,
		owned: map[string]string{
			"m2": `{"f:items":{"k:{\"c\":\"x\"}":{".":{},"f:c":{}}}}`,
			"m3": `{"f:items":{"k:{\"c\":\"x\"}":{".":{},"f:c":{},"f:v":{}}}}`,
			"m4": `{"f:items":{"k:{\"c\":\"x\"}":{"f:v":{}}}}`,
		},
		config: `{items: []}`,
		want:   `{items: [{c: x, v: "1"}]}`,
	}, {
		name: "an item goes with its keys", keys: "a, c", also: ", default: TCP",
		live: `{items: [{a: 80, c: UDP}, {a: 81, c: UDP}]}`,
		owned: map[string]string{
			"m2": `{"f:items":{"k:{\"a\":81,\"c\":\"UDP\"}":{".":{},"f:a":{}}}}`,
			"m3": `{"f:items":{"k:{\"a\":80,\"c\":\"UDP\"}":{".":{},"f:a":{},"f:c":{}},"k:{\"a\":81,\"c\":\"UDP\"}":{".":{},"f:a":{},"f:c":{}}}}`,
		},
		config: `{items: []}`,
		want:   `{items: [{a: 81, c: UDP}]}`,
	}, {
		name: "an item of two, neither of whom owns its key, and no default", keys: "c", also: "",
		live: `{items: [{c: x, v: h}]}`,
		owned: map[string]string{
			"m2": `{"f:items":{"k:{\"c\":\"x\"}":{".":{},"f:v":{}}}}`,
			"m3": `{"f:items":{"k:{\"c\":\"x\"}":{".":{}}}}`,
		},
		config: `{}`,
		want:   `{items: [{c: x, v: h}]}`,
	}} {
		for _, other := range []string{"v1", "v2", "v3"} {
			t.Run(test.name+"/"+other, func(t *testing.T) {
				parser, err := typed.NewParser(typed.YAMLObject(fmt.Sprintf(types, test.keys, test.also)))
				if err != nil {
					t.Fatal(err)
				}
				object := func(text string) *typed.TypedValue {
					tv, err := parser.Type("v1").FromYAML(typed.YAMLObject(text))
					if err != nil {
						t.Fatal(err)
					}
					return tv
				}
				managers := fieldpath.ManagedFields{}
				for manager, fields := range test.owned {
					set := &fieldpath.Set{}
					if err := set.FromJSON(strings.NewReader(fields)); err != nil {
						t.Fatal(err)
					}
					version := fieldpath.APIVersion("v1")
					if manager == "m2" && other != "v3" {
						version = fieldpath.APIVersion(other)
					}
					managers[manager] = fieldpath.NewVersionedSet(set, version, true)
				}
				if other == "v3" {
					managers["gone"] = fieldpath.NewVersionedSet(fieldpath.NewSet(fieldpath.MakePathOrDie("items")), "v3", true)
				}
				u := (&merge.UpdaterBuilder{Converter: renaming{parser}, ReturnInputOnNoop: true}).BuildUpdater()
				live := object(test.live)
				for range 2 {
					out, after, err := u.Apply(live, object(test.config), "v1", managers, "m3", false)
					if err != nil {
						t.Fatal(err)
					}
					var want any
					if err := yaml.Unmarshal([]byte(test.want), &want); err != nil {
						t.Fatal(err)
					}
					if !value.Equals(out.AsValue(), value.NewValueInterface(want)) {
						t.Fatalf("got %s, want %s", value.ToString(out.AsValue()), test.want)
					}
					if m, ok := managers["m2"]; ok && (after["m2"] == nil || !after["m2"].Set().Equals(m.Set())) {
						t.Fatalf("m2 owned\n%v\nand now owns\n%v", m.Set(), after["m2"])
					}
					live, managers = out, after
				}
			})
		}
	}
}
