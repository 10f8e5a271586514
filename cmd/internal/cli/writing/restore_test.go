// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package writing

import (
	"encoding/json"
	"fmt"
	"maps"
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
	for _, c := range []struct{ name, before, after, live, want, lost string }{
		{"changed", `{"a":1,"b":2}`, `{"a":3,"b":2}`, `{"a":3,"b":4}`, `{"a":1}`, ""},
		{"added", `{}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`, `{"a":null}`, ""},
		{"added, others beside it", `{}`, `{"a":{"b":1}}`, `{"a":{"b":1,"c":2}}`, `{"a":{"b":null}}`, ""},
		{"removed", `{"a":{"b":[1]}}`, `{}`, `{}`, `{"a":{"b":[1]}}`, ""},
		{"a list", `{"a":[1]}`, `{"a":[1,2]}`, `{"a":[1,2]}`, `{"a":[1]}`, ""},
		{"a list that others change", `{"a":[1]}`, `{"a":[1,2]}`, `{"a":[1,2,3]}`, `.a`, ""},
		{"a value that others change", `{"a":{"b":1}}`, `{"a":{"b":2}}`, `{"a":{"b":3}}`, `.a.b`, ""},
		{"what a server counts", `{"status":1,"metadata":{"generation":1}}`, `{"status":2,"metadata":{"generation":2}}`, `{"status":3,"metadata":{"generation":3}}`, `null`, ""},
		{"done already", `{"a":1}`, `{"a":2}`, `{"a":1,"b":1}`, `null`, ""},
		{"null", `{"a":{"b":null}}`, `{"a":{"b":5}}`, `{"a":{"b":5}}`, `{"a":{"b":null}}`, ".a.b"},
		{"null in what was removed", `{"a":{"b":null,"c":1}}`, `{}`, `{}`, `{"a":{"b":null,"c":1}}`, ".a.b"},
		{"values of the server", `{"t":1,"p":[{"a":1}]}`, `{"t":2,"ip":"x","p":[{"a":1,"n":5}]}`, `{"t":2,"ip":"y","p":[{"a":1,"n":6}]}`, `{"ip":null,"p":[{"a":1}],"t":1}`, ""},
		{"values beside those of the server", `{"p":[{"a":1}]}`, `{"p":[{"a":1,"n":5}]}`, `{"p":[{"a":2,"n":6}]}`, `.p`, ""},
	} {
		var objects [3]map[string]any
		for i, text := range []string{c.before, c.after, c.live} {
			if err := json.Unmarshal([]byte(text), &objects[i]); err != nil {
				t.Fatal(err)
			}
		}
		u := &undoComparison{unknown: []string{".p[0].n", ".ip"}}
		patch, restored := u.restorePatch(objects[0], objects[1], objects[2], "")
		text, _ := json.Marshal(patch)
		got := string(text)
		if len(u.clashes) > 0 {
			got = strings.Join(u.clashes, " ")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if lost := strings.Join(lostNulls(restored, merged(objects[2], patch), ""), " "); lost != c.lost {
			t.Errorf("%s: lost %q, want %q", c.name, lost, c.lost)
		}
	}
}

// merged applies a merge patch to a copy of a value.
func merged(v any, patch map[string]any) any {
	m, _ := v.(map[string]any)
	out := maps.Clone(m)
	if out == nil {
		out = map[string]any{}
	}
	for name, x := range patch {
		if inner, ok := x.(map[string]any); ok {
			out[name] = merged(out[name], inner)
		} else if out[name] = x; x == nil {
			delete(out, name)
		}
	}
	return out
}

// Undo restores a status that the main endpoint has written. It ignores all other statuses, because a
// server does.
func TestBackOfStatus(t *testing.T) {
	object := func(status, subresource string) map[string]any {
		return map[string]any{
			"metadata": map[string]any{"managedFields": []any{map[string]any{
				"manager": "x", "operation": "Apply", "apiVersion": "v1", "subresource": subresource, "fieldsType": "FieldsV1",
				"fieldsV1": map[string]any{"f:status": map[string]any{"f:s": map[string]any{}}},
			}}},
			"status": map[string]any{"s": status},
		}
	}
	for subresource, want := range map[string]string{"": `{"status":{"s":"1"}}`, "status": "null"} {
		before, after := object("1", subresource), object("2", subresource)
		patch, _ := newUndoComparison(&objectBeforeAfter{Before: before, After: after}).restorePatch(before, after, after, "")
		if got, _ := json.Marshal(patch); string(got) != want {
			t.Errorf("subresource %q: %s, want %s", subresource, got, want)
		}
	}
}
