// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// folders returns a recursive map type. One field has the map type itself. Two fields are
// lists of this type: a list whose key has a default, and an atomic list. Another field is
// an atomic map.
func folders() *graph.Node {
	text := &graph.Node{Scalar: graph.String, Declarative: true}
	folder := &graph.Node{Declarative: true}
	nullable := &graph.Node{Declarative: true, Nullable: true}
	whole := &graph.Node{Declarative: true, Map: graph.NewMap([]graph.Field{{Name: "x", Type: text}}, &graph.Node{})}
	whole.Map.Atomic = true
	list := &graph.Node{Declarative: true, List: &graph.List{Item: folder, Relation: graph.Associative, Declarative: true,
		Keys: []graph.Key{{Name: "k", IfMissing: "d", NullIsMissing: true}}, KeyNames: []string{"k"}}}
	folder.Map = graph.NewMap([]graph.Field{
		{Name: "atoms", Type: &graph.Node{Declarative: true, List: &graph.List{Item: folder, Relation: graph.Atomic, Declarative: true}}},
		{Name: "k", Type: text}, {Name: "list", Type: list}, {Name: "maybe", Type: nullable}, {Name: "sub", Type: folder}, {Name: "whole", Type: whole}, {Name: "x", Type: text},
	}, &graph.Node{})
	nullable.Map = folder.Map
	return folder
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestResolveEmptiedWithStoredSets checks stored sets that own fields that do not exist.
func TestResolveEmptiedWithStoredSets(t *testing.T) {
	for _, test := range []struct {
		name, before, after, config, held string
		others                            string
		want                              string
	}{
		{name: "a field that does not exist keeps nothing", before: `{"sub":{"x":"1"}}`, after: `{"sub":{}}`, config: `{}`, others: `.sub.k`, want: `{}`},
		{name: "nor does it in a map that stays", before: `{"sub":{"x":"1"},"x":"1"}`, after: `{"sub":{},"x":"1"}`, config: `{}`, others: `.sub.k`, want: `{"x":"1"}`},
		{name: "its owner keeps it", before: `{"sub":{"x":"1"}}`, after: `{"sub":{}}`, config: `{}`, others: `.sub`, want: `{"sub":{}}`},
		{name: "a nullable map that is not applied", before: `{"maybe":{"x":"1"}}`, after: `{"maybe":{}}`, config: `{}`, others: `.maybe.k`, want: `{}`},
		{name: "a nullable map that is applied as null", before: `{"maybe":{"x":"1"}}`, after: `{"maybe":{}}`, config: `{"maybe":null}`, others: `.maybe.k`, want: `{"maybe":null}`},
		{name: "a null that means absent keeps nothing", before: `{"sub":{"x":"1"}}`, after: `{"sub":{}}`, config: `{"sub":null}`, others: `.sub.k`, want: `{}`},
		{name: "empty containers stay", before: `{"sub":{},"list":[],"x":"1"}`, after: `{"sub":null,"list":null}`, config: `{}`, others: `.sub.k`, want: `{"sub":{},"list":[]}`},
		{name: "an atomic map stays as it is, for example from another version", before: `{"whole":{"x":"1"}}`, after: `{"whole":{}}`, config: `{}`, want: `{"whole":{}}`},
		{name: "an earlier item is removed", before: `{"list":[{"k":"a"},{"k":"b","sub":{"x":"1"}}]}`, after: `{"list":[{"k":"b","sub":{}}]}`, config: `{"list":[{"k":"b"}]}`, want: `{"list":[{"k":"b"}]}`},
		{name: "an earlier item is removed, and this one is applied", before: `{"list":[{"k":"a"},{"k":"b","sub":{"x":"1"}}]}`, after: `{"list":[{"k":"b","sub":{}}]}`, config: `{"list":[{"k":"b","sub":{}}]}`, want: `{"list":[{"k":"b","sub":{}}]}`},
		{name: "an item whose key is the default stays", before: `{"list":[{"sub":{"x":"1"}}]}`, after: `{"list":[{}]}`, config: `{}`, others: `.list[k="d"]`, want: `{"list":[{}]}`},
		{name: "a claim on an item is for that item only", before: `{"list":[{"k":"a","sub":{"x":"1"}},{"k":"b","sub":{"x":"1"}}]}`, after: `{"list":[{"k":"a","sub":{}},{"k":"b","sub":{}}]}`, config: `{"list":[{"k":"a","sub":{}}]}`,
			others: `.list[k="b"]`, want: `{"list":[{"k":"a","sub":{}},{"k":"b"}]}`},
		{name: "other versions", before: `{"sub":{"x":"1"},"list":[{"sub":{"x":"1"}},{"k":"b","sub":{"x":"1"}}]}`, after: `{"sub":{},"list":[{"sub":{}},{"k":"b","sub":{}}]}`, config: `{"list":[{}]}`,
			held: `{"sub":{},"list":[{"k":"b","sub":{}}]}`, want: `{"sub":{},"list":[{},{"k":"b","sub":{}}]}`},
		{name: "a list", before: `{"list":[{"k":"b"}],"x":"1"}`, after: `{"list":[],"x":"1"}`, config: `{}`, held: `{"list":[]}`, want: `{"list":[],"x":"1"}`},
		{name: "a list that nobody owns", before: `{"list":[{"k":"b"}],"x":"1"}`, after: `{"list":[],"x":"1"}`, config: `{}`, held: `{}`, want: `{"x":"1"}`},
	} {
		others := fieldpath.NewSet()
		if test.others != "" {
			path, err := fieldpath.ParsePath(test.others)
			if err != nil {
				t.Fatal(err)
			}
			others.Insert(path)
		}
		var held []any
		if test.held != "" {
			held = append(held, nil, decoded(t, test.held))
		}
		after := decoded(t, test.after)
		out := ResolveEmptied(folders(), decoded(t, test.before), after, decoded(t, test.config), held, []*fieldpath.Set{others})
		got, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(decoded(t, test.want))
		if string(got) != string(want) {
			t.Errorf("%s: got %s, want %s", test.name, got, want)
		}
		if is, _ := json.Marshal(after); string(is) != asText(t, decoded(t, test.after)) {
			t.Errorf("%s: the argument was modified to %s", test.name, is)
		}
	}
	nan := []any{map[string]any{"k": math.NaN(), "sub": map[string]any{}}}
	before := map[string]any{"list": []any{map[string]any{"k": math.NaN(), "sub": map[string]any{"x": "1"}}}}
	out := ResolveEmptied(folders(), before, map[string]any{"list": nan}, map[string]any{}, nil, nil)
	if list := data.AsList(data.AsMap(out)["list"]); len(list) != 1 || len(data.AsMap(list[0])) != 2 {
		t.Errorf("an item whose key is NaN became %v", out)
	}
}

func asText(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestApplyNulls checks that an applied null replaces a container in which no other manager
// owns a field.
func TestApplyNulls(t *testing.T) {
	for _, test := range []struct {
		object, config, others string
		all                    string
		// The result if only the first or only the second container is removed; "" if there is
		// no such container
		first, second string
	}{
		{`{"maybe":{"x":"1"}}`, `{"maybe":null}`, ``, `{"maybe":null}`, `{}`, ``},
		{`{"maybe":{}}`, `{"maybe":null}`, ``, `{"maybe":null}`, `{}`, ``},
		{`{"maybe":{"x":"1"}}`, `{"maybe":null}`, `.maybe.x`, ``, ``, ``},
		{`{"maybe":{}}`, `{"maybe":null}`, `.maybe`, ``, ``, ``},
		{`{"sub":{"x":"1"},"maybe":null}`, `{"sub":null,"maybe":null,"x":null}`, ``, ``, ``, ``},
		{`{"sub":{"maybe":{"x":"1"}},"x":"1","maybe":{"x":"1"}}`, `{"sub":{"maybe":null},"x":"1","maybe":null}`, `.sub.x`,
			`{"sub":{"maybe":null},"x":"1","maybe":null}`, `{"sub":{"maybe":{"x":"1"}},"x":"1"}`, `{"sub":{},"x":"1","maybe":{"x":"1"}}`},
		{`{"list":[{"k":"a","maybe":{"x":"1"}},{"maybe":{"x":"1"}},{"k":"b","maybe":{"x":"1"}}]}`, `{"list":[{"k":"b","maybe":null},{"k":"d","maybe":null}]}`, `.list[k="a"].maybe.x`,
			`{"list":[{"k":"a","maybe":{"x":"1"}},{"maybe":null},{"k":"b","maybe":null}]}`,
			`{"list":[{"k":"a","maybe":{"x":"1"}},{},{"k":"b","maybe":{"x":"1"}}]}`, `{"list":[{"k":"a","maybe":{"x":"1"}},{"maybe":{"x":"1"}},{"k":"b"}]}`},
		{`{"list":[{"k":"a","maybe":{"x":"1"}}]}`, `{"list":[{"k":"b","maybe":null}]}`, ``, ``, ``, ``},
		{`{"atoms":[{"k":"a","maybe":{"x":"1"}}]}`, `{"atoms":[{"k":"a","maybe":null}]}`, ``, ``, ``, ``},
		{`{"list":[{"k":"a","maybe":{"x":"1"}}]}`, `{"list":[{"k":"a","maybe":null}]}`, `.list[k="a"].maybe.x`, ``, ``, ``},
	} {
		others := fieldpath.NewSet()
		if test.others != "" {
			path, err := fieldpath.ParsePath(test.others)
			if err != nil {
				t.Fatal(err)
			}
			others.Insert(path)
		}
		object, config, sets := decoded(t, test.object), decoded(t, test.config), []*fieldpath.Set{others}
		for i, want := range []string{test.all, test.first, test.second, ""} {
			out, changed := ApplyNulls(folders(), object, config, sets)
			if i > 0 {
				out, changed = ApplyOneNull(folders(), object, config, sets, i-1, true)
			}
			if changed != (want != "") {
				t.Errorf("%s of %s, %d: changed %v to %s", test.config, test.object, i, changed, asText(t, out))
			}
			if want == "" {
				want = test.object
			}
			if got := asText(t, out); got != asText(t, decoded(t, want)) {
				t.Errorf("%s of %s, %d: got %s, want %s", test.config, test.object, i, got, want)
			}
		}
		if asText(t, object) != asText(t, decoded(t, test.object)) {
			t.Errorf("%s was modified", test.object)
		}
	}
}
