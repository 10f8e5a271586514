// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

const numberedSchema = `types:
- name: object
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {namedType: Any}}
    - {name: spec, type: {namedType: spec}}
- name: spec
  map:
    fields:
    - {name: items, type: {list: {elementRelationship: associative, keys: [id], elementType: {namedType: item}}}}
    - {name: set, type: {list: {elementRelationship: associative, elementType: {scalar: numeric}}}}
- name: item
  map:
    fields:
    - {name: id, type: {scalar: numeric}}
    - {name: v, type: {scalar: string}}
    - {name: below, type: {namedType: spec}}
` + objects.AnyType

// TestResolveOfIntegersWithTheSameFloat checks integers beyond 2^53, here P and Q. Managed
// fields store numbers as floats, and such integers can be the same float. So one path can
// identify several items. Each conflicting item must be removed from the config, or must get
// the live value of that item. All other items must stay.
func TestResolveOfIntegersWithTheSameFloat(t *testing.T) {
	p, err := typed.NewParser(numberedSchema)
	if err != nil {
		t.Fatal(err)
	}
	object := func(apiVersion, spec string) map[string]any {
		d := json.NewDecoder(strings.NewReader(strings.NewReplacer("P", "9007199254740992", "Q", "9007199254740993").Replace(spec)))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		return map[string]any{"apiVersion": apiVersion, "kind": "Numbered", "metadata": map[string]any{"name": "x"}, "spec": integers(v)}
	}
	const two = `{"items":[{"id":P,"v":"a"},{"id":Q,"v":"b"}]}`
	const nested = `{"items":[{"id":P,"below":` + two + `},{"id":Q,"below":{"items":[{"id":Q,"v":"c"}]}}]}`
	for _, tc := range []struct{ name, live, config, yielded, shared string }{
		{"the second", two, `{"items":[{"id":Q,"v":"B"}]}`,
			`{"items":[{"id":Q}]}`, `{"items":[{"id":Q,"v":"b"}]}`},
		{"the first", two, `{"items":[{"id":P,"v":"A"},{"id":Q,"v":"b"}]}`,
			`{"items":[{"id":P},{"id":Q,"v":"b"}]}`, two},
		{"the second of both", two, `{"items":[{"id":P,"v":"a"},{"id":Q,"v":"B"}]}`,
			`{"items":[{"id":P,"v":"a"},{"id":Q}]}`, two},
		{"both", two, `{"items":[{"id":P,"v":"A"},{"id":Q,"v":"B"}]}`,
			`{"items":[{"id":P},{"id":Q}]}`, two},
		{"in another order", two, `{"items":[{"id":Q,"v":"B"},{"id":P,"v":"A"}]}`,
			`{"items":[{"id":Q},{"id":P}]}`, `{"items":[{"id":Q,"v":"b"},{"id":P,"v":"a"}]}`},
		{"swapped", two, `{"items":[{"id":P,"v":"b"},{"id":Q,"v":"a"}]}`,
			`{"items":[{"id":P},{"id":Q}]}`, two},
		{"an item that is not there", `{"items":[{"id":P,"v":"a"}]}`, `{"items":[{"id":P,"v":"a"},{"id":Q,"v":"b"}]}`,
			`{"items":[{"id":P,"v":"a"}]}`, `{"items":[{"id":P,"v":"a"}]}`},
		{"three, of which two are not there", `{"items":[{"id":18014398509481984,"v":"a"}]}`,
			`{"items":[{"id":18014398509481983,"v":"b"},{"id":18014398509481984,"v":"c"},{"id":18014398509481985,"v":"d"},{"id":1,"v":"e"}]}`,
			`{"items":[{"id":18014398509481984},{"id":1,"v":"e"}]}`, `{"items":[{"id":18014398509481984,"v":"a"},{"id":1,"v":"e"}]}`},
		{"items of items", nested, strings.NewReplacer(`"b"`, `"B"`, `"c"`, `"C"`).Replace(nested),
			strings.NewReplacer(`,"v":"b"`, ``, `,"v":"c"`, ``).Replace(nested), nested},
		{"fields without other owners stay", `{"items":[{"id":P,"v":"a"}]}`, `{"items":[{"id":P,"v":"A","below":{"set":[1]}},{"id":Q,"below":{"set":[2]}}]}`,
			`{"items":[{"id":P,"below":{"set":[1]}}]}`, `{"items":[{"id":P,"v":"a","below":{"set":[1]}}]}`},
		{"an item that is live twice", `{"items":[{"id":Q,"v":"a"},{"id":P},{"id":Q,"v":"b"}]}`, `{"items":[{"id":P},{"id":Q,"v":"a"}]}`,
			`{"items":[{"id":P}]}`, ""}, // a config cannot have the same item twice
		{"a set", `{"set":[P]}`, `{"set":[P,Q,7]}`, `{"set":[P,7]}`, `{"set":[P,7]}`},
	} {
		for _, ownVersion := range []string{"v1", "v2"} {
			fm := objects.NewManager(t, fieldmanager.Options{
				Types:     func(string, string) (typed.ParseableType, error) { return p.Type("object"), nil },
				Converter: fieldmanager.NoneConverter,
			})
			live, err := fm.Update(nil, object(ownVersion, tc.live), "other")
			if err != nil {
				t.Fatal(err)
			}
			for choice, want := range map[resolve.Choice]string{resolve.Yield: tc.yielded, resolve.Share: tc.shared} {
				if want == "" || ownVersion != "v1" && strings.Contains(tc.name, "twice") {
					continue // an object with duplicate items cannot be converted
				}
				got, err := resolve.New(fm, live.Object, object("v1", tc.config), "you").Apply(resolve.Choices{
					Choose: func(*fieldmanager.Conflict) resolve.Choice { return choice },
				})
				if err != nil {
					t.Errorf("%s, owner of %s, %v: %v", tc.name, ownVersion, choice, err)
				}
				if got == nil {
					continue
				}
				if want := specJSON(object("v1", want)); specJSON(got.Config) != want {
					t.Errorf("%s, owner of %s, %v:\ngot  %s\nwant %s", tc.name, ownVersion, choice, specJSON(got.Config), want)
				}
				if err != nil {
					continue
				}
				for _, list := range []string{"items", "set"} {
					for _, item := range listOf(live.Object, list) {
						stored := listOf(got.Result.Object, list)
						if !slices.ContainsFunc(stored, func(s string) bool { return strings.HasSuffix(s, strings.TrimPrefix(item, "{")) }) {
							t.Errorf("%s, owner of %s, %v: %s is not stored: %s", tc.name, ownVersion, choice, item, stored)
						}
					}
				}
			}
		}
	}
}

// listOf returns the items of the list with this name in the spec, each as JSON.
func listOf(object map[string]any, name string) (items []string) {
	list, _ := object["spec"].(map[string]any)[name].([]any)
	for _, item := range list {
		items = append(items, objects.AsJSON(item))
	}
	return items
}

// integers converts each json.Number in v to an int64.
func integers(v any) any {
	switch v := v.(type) {
	case json.Number:
		i, err := v.Int64()
		if err != nil {
			panic(err)
		}
		return i
	case map[string]any:
		for k := range v {
			v[k] = integers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = integers(v[i])
		}
	}
	return v
}
