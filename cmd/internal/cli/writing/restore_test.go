// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package writing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// list parses managed fields such as "a=xy b=z". Each word is an Update entry: a manager and its
// fields, one letter each.
func list(t *testing.T, text string) (all []any) {
	t.Helper()
	for _, part := range strings.Fields(text) {
		name, fields, _ := strings.Cut(part, "=")
		set := map[string]any{}
		for _, f := range fields {
			set["f:"+string(f)] = map[string]any{}
		}
		all = append(all, map[string]any{"manager": name, "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:data": set}})
	}
	return all
}

// text formats managed fields as list parses them.
func text(list []any) string {
	var parts []string
	for _, e := range list {
		m := e.(map[string]any)
		part := fmt.Sprint(m["manager"], "=")
		var names []string
		for f := range m["fieldsV1"].(map[string]any)["f:data"].(map[string]any) {
			names = append(names, strings.TrimPrefix(f, "f:"))
		}
		slices.Sort(names)
		parts = append(parts, part+strings.Join(names, ""))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// Undo restores entries that have not changed since the write.
func TestRestore(t *testing.T) {
	for _, c := range []struct{ name, before, after, live, want, clash string }{
		{"all", "a=x b=y", "b=xy", "b=xy", "a=x b=y", ""},
		{"not written", "a=x b=y", "b=xy", "a=x b=y", "", ""},
		{"others beside it", "a=x c=z", "b=x c=z", "b=x c=zw d=v", "a=x c=wz d=v", ""},
		{"others took it", "a=x", "b=x", "d=x", "", "b"},
		{"others took a part", "a=xy", "b=xy", "b=x d=y", "", "b"},
		{"done already, and others since", "a=x c=z", "b=x c=z", "a=x c=w", "", ""},
		{"fields were put back, by us", "a=x", "b=x", "dovetail=x", "a=x", ""},
		{"a part of them", "a=xy c=z", "a=y b=x c=z", "a=y dovetail=x c=z", "a=xy c=z", ""},
		{"values alone, of which we are the owner", "a=xy c=z", "a=xy c=z", "a=y c=zw dovetail=x", "a=xy c=wz", ""},
		{"sweep what we own", "a=x", "a=x", "a=x dovetail=y", "a=x", ""},
		{"what we own, else", "a=x", "a=x", "a=x dovetail=y", "", ""},
		{"all gone", "a=x", "", "", "a=x", ""},
	} {
		got, touched, clashes := restore(list(t, c.before), list(t, c.after), list(t, c.live), strings.HasPrefix(c.name, "sweep"))
		told := ""
		if touched {
			told = text(got)
		}
		for i := range clashes {
			clashes[i], _, _ = strings.Cut(clashes[i], " ")
		}
		if clash := strings.Join(clashes, ", "); clash != c.clash || clash == "" && told != c.want {
			t.Errorf("%s: %q, %q; want %q, %q", c.name, told, clash, c.want, c.clash)
		}
	}
}

// Undo restores values that have not changed since the apply. It treats a list as one value.
func TestBack(t *testing.T) {
	for _, c := range []struct{ name, before, after, live, want string }{
		{"changed", `{"a":1,"b":2}`, `{"a":3,"b":2}`, `{"a":3,"b":4}`, `{"a":1}`},
		{"added", `{}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`, `{"a":null}`},
		{"added, others beside it", `{}`, `{"a":{"b":1}}`, `{"a":{"b":1,"c":2}}`, `{"a":{"b":null}}`},
		{"removed", `{"a":{"b":[1]}}`, `{}`, `{}`, `{"a":{"b":[1]}}`},
		{"a list", `{"a":[1]}`, `{"a":[1,2]}`, `{"a":[1,2]}`, `{"a":[1]}`},
		{"a list that others change", `{"a":[1]}`, `{"a":[1,2]}`, `{"a":[1,2,3]}`, `.a`},
		{"a value that others change", `{"a":{"b":1}}`, `{"a":{"b":2}}`, `{"a":{"b":3}}`, `.a.b`},
		{"what a server counts", `{"status":1,"metadata":{"generation":1}}`, `{"status":2,"metadata":{"generation":2}}`, `{"status":3,"metadata":{"generation":3}}`, `null`},
		{"done already", `{"a":1}`, `{"a":2}`, `{"a":1,"b":1}`, `null`},
	} {
		var objects [3]map[string]any
		for i, text := range []string{c.before, c.after, c.live} {
			if err := json.Unmarshal([]byte(text), &objects[i]); err != nil {
				t.Fatal(err)
			}
		}
		u := &undoComparison{}
		patch, _ := json.Marshal(u.restorePatch(objects[0], objects[1], objects[2], ""))
		got := string(patch)
		if len(u.clashes) > 0 {
			got = strings.Join(u.clashes, " ")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
