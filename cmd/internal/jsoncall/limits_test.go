// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoncall

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDepthOfText(t *testing.T) {
	deep := maxDepth + 1
	var indented strings.Builder
	for i := range deep {
		indented.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	for _, c := range []struct {
		name, text string
		refused    bool
	}{
		{"lists", strings.Repeat("- ", deep) + "a", true},
		{"mappings", indented.String(), true},
		{"brackets", "a: " + strings.Repeat("[", deep), true},
		{"brackets on several lines", "a:\n" + strings.Repeat(" [\n", deep), true},
		{"JSON", strings.Repeat(`{"a":`, deep), true},
		{"brackets after a tag", "a: !!seq " + strings.Repeat("[", deep), true},
		{"brackets after quotes", `"[": 'it''s' ` + "\nb: " + strings.Repeat("[", deep), true},
		{"brackets after an apostrophe", "a: rock 'n roll, it's\nb: " + strings.Repeat("{", deep), true},
		{"a plain text", "a: x " + strings.Repeat("[", deep), false},
		{"quotes", `a: "` + strings.Repeat("[", deep) + `"`, false},
		{"quotes over several lines", "a: 'x\n  " + strings.Repeat("[", deep) + "'", false},
		{"a literal text", "a: |\n  " + strings.Repeat("[", deep), false},
		{"a literal text in a list", "- &x >-\n  " + strings.Repeat("- ", deep), false},
		{"a comment", "a: 1 # " + strings.Repeat("[", deep), false},
		{"many siblings", strings.Repeat("- [[], {}]\n", deep), false},
		{"many documents", strings.Repeat("---\na:\n- b: [1]\n", deep), false},
	} {
		if err := checkText([]byte(c.text)); (err != nil) != c.refused {
			t.Errorf("%s: %v, want refused %t", c.name, err, c.refused)
		}
	}
	if err := checkJSON([]byte(`"` + strings.Repeat(`[\"`, deep) + `"`)); err != nil {
		t.Errorf("a string: %v", err)
	}
	if err := checkJSON([]byte(strings.Repeat("[", deep))); err == nil || err.Reason != reasonTooLarge {
		t.Errorf("got %v, want %s", err, reasonTooLarge)
	}
	if err := checkJSON(make([]byte, maxSize+1)); err == nil || err.Reason != reasonTooLarge {
		t.Errorf("got %v, want %s", err, reasonTooLarge)
	}
}

// A panic becomes an answer, and later calls succeed.
func TestPanicIsAnAnswer(t *testing.T) {
	operations["panic"] = func(*typeSet, json.RawMessage) answer { panic("on purpose") }
	defer delete(operations, "panic")
	e := New()
	types := newTypes(t, e, map[string]any{})
	a := callEngine(t, e, "panic", types, nil)
	first := a["errors"].([]any)[0].(map[string]any)
	if first["reason"] != reasonInternal || !strings.Contains(first["message"].(string), "on purpose") || first["stack"] == nil {
		t.Errorf("got %v", first)
	}
	if a := callEngine(t, e, "kinds", types, nil); a["ok"] != true {
		t.Errorf("got %v", a["errors"])
	}
}
