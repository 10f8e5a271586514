// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
)

// TestCases checks that the model gives the expected answer to each case.
func TestCases(t *testing.T) {
	groups, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		m, err := g.Model()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range g.Cases {
			if wrong := c.Want.Wrong(m.Answer(c)); wrong != "" {
				t.Errorf("%s: %s\n  %s", c.Name, c.About, wrong)
			}
		}
	}
}

func decode(t *testing.T, fieldsV1 []byte) model.Set {
	s, err := model.Decode(fieldsV1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func format(object any, owners model.Managers, conflicts []model.Conflict) string {
	var all []string
	for _, c := range conflicts {
		all = append(all, fmt.Sprint("conflict ", c.Manager, c.Path.Elements()))
	}
	if conflicts == nil {
		for name, e := range owners {
			all = append(all, fmt.Sprint(name, e.Applied, string(model.Encode(e.Set))))
		}
		text, err := json.Marshal(object)
		if err != nil {
			panic(err)
		}
		all = append(all, "object "+string(text))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestVersions tests rules N1 and N2. The conversions are written by hand.
func TestVersions(t *testing.T) {
	text := &model.Type{Kind: model.Scalar}
	m := &model.Model{
		Types: map[string]*model.Type{
			"v1": {Kind: model.Map, Fields: map[string]*model.Type{"old": text, "kind": text}},
			"v2": {Kind: model.Map, Fields: map[string]*model.Type{"new": text, "kind": text}},
		},
		Convert: func(v any, from, to string) (any, error) {
			if from == "v0" || to == "v0" {
				return nil, model.ErrGone
			}
			names := map[string]string{"old": "new", "new": "old"}
			out := map[string]any{}
			for name, f := range v.(map[string]any) {
				if other, ok := names[name]; ok {
					name = other
				}
				out[name] = f
			}
			return out, nil
		},
	}
	set := func(names ...string) model.Set {
		s := model.Set{}
		for _, name := range names {
			s[model.Path("f:"+name+"\n")] = true
		}
		return s
	}
	live := map[string]any{"kind": "K", "new": "x"}
	before := model.Managers{
		"gone": {Version: "v0", Applied: true, Set: set("older")},
		"a":    {Version: "v1", Applied: true, Set: set("old")},
	}
	for _, c := range []struct {
		config map[string]any
		by     string
		want   string
	}{
		{map[string]any{"new": "y"}, "b", "conflict a[f:old]"},
		{map[string]any{"new": "x"}, "b", `atrue{"f:old":{}} btrue{"f:new":{}} object {"kind":"K","new":"x"}`},
		{map[string]any{}, "a", `object {"kind":"K"}`},
	} {
		object, owners, conflicts, err := m.Apply(live, c.config, "v2", before, c.by, false)
		if got := format(object, owners, conflicts); err != nil || got != c.want {
			t.Errorf("%v by %s:\n  got %s\n  want %s", c.config, c.by, got, c.want)
		}
	}
	object, owners, err := m.Update(live, map[string]any{"kind": "K", "new": "z"}, "v2", before, "b")
	if got, want := format(object, owners, nil), `bfalse{"f:new":{}} object {"kind":"K","new":"z"}`; err != nil || got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	// Manager b has applied, in version v2, a field that manager a owns in version v1.
	// In this request, b gives up the field.
	before["b"] = model.Entry{Version: "v2", Applied: true, Set: set("new")}
	object, owners, conflicts, err := m.Apply(live, map[string]any{}, "v2", before, "b", false)
	if got, want := format(object, owners, conflicts), `atrue{"f:old":{}} object {"kind":"K","new":"x"}`; err != nil || got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestReconciled tests rule F5.
func TestReconciled(t *testing.T) {
	text := &model.Type{Kind: model.Scalar}
	m := &model.Model{Types: map[string]*model.Type{"v1": {Kind: model.Map, Fields: map[string]*model.Type{
		"kind": text, "m": {Kind: model.Map, Atomic: true, Others: text}}}}}
	live := map[string]any{"kind": "K", "m": map[string]any{"x": "1", "y": "1"}}
	before := model.Managers{"a": {Version: "v1", Applied: true, Set: decode(t, []byte(`{"f:m":{"f:x":{}}}`))}}
	_, _, conflicts, err := m.Apply(live, map[string]any{"m": map[string]any{"z": "1"}}, "v1", before, "b", false)
	if got, want := format(nil, nil, conflicts), "conflict a[f:m]"; err != nil || got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestFieldsV1 tests rule F6.
func TestFieldsV1(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                             `{}`,
		`{"f:a":{}}`:                     `{"f:a":{}}`,
		`{"f:a":{".":{},"f:b":{}}}`:      `{"f:a":{".":{},"f:b":{}}}`,
		`{"f:a":{".":{}}}`:               `{"f:a":{}}`,
		`{"k:{\"b\":1,\"a\":\"x\"}":{}}`: `{"k:{\"a\":\"x\",\"b\":1}":{}}`,
		`{"v:\"x\"":{},"v:12345678901234567":{}}`: `{"v:12345678901234568":{},"v:\"x\"":{}}`,
		`{"v:\"\\u0061\"":{}}`:                    `{"v:\"a\"":{}}`,
		`{"f:":{}}`:                               `{"f:":{}}`,
		`{"i:0":{}}`:                              `{"i:0":{}}`,
		`{"f:a":1}`:                               `error`,
		`{"a":{}}`:                                `error`,
		`{"q:a":{}}`:                              `{}`,
		`{"f:a":{"f":{}}}`:                        `error`,
		`[`:                                       `error`,
	} {
		got := "error"
		if s, err := model.Decode([]byte(in)); err == nil {
			got = string(model.Encode(s))
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// TestEqual tests rule V2.
func TestEqual(t *testing.T) {
	number := &model.Type{Kind: model.Scalar}
	typ := &model.Type{Kind: model.Map, Fields: map[string]*model.Type{"n": number, "l": {Kind: model.List, Atomic: true, Items: number}}}
	for _, c := range []struct {
		a, b any
		same bool
	}{
		{int64(1), 1.0, true}, {1.0, int64(1), true}, {int64(1), 1.5, false}, {1.5, int64(1), false}, {int64(1), "1", false}, {nil, nil, true},
		{nil, int64(0), false}, {1.5, 1.5, true}, {true, true, true}, {true, "true", false},
	} {
		for _, wrap := range []func(any) any{
			func(v any) any { return map[string]any{"n": v} },
			func(v any) any { return map[string]any{"l": []any{v, map[string]any{"a": v}}} },
		} {
			cmp := model.Compare(wrap(c.a), wrap(c.b), typ)
			if same := len(cmp.Modified) == 0; same != c.same {
				t.Errorf("%v and %v: equal returns %v, want %v", wrap(c.a), wrap(c.b), same, c.same)
			}
		}
	}
	if cmp := model.Compare(map[string]any{"l": []any{int64(1)}}, map[string]any{"l": int64(1)}, typ); len(cmp.Modified) != 1 {
		t.Error("the model treats a list and a number as equal")
	}
}
