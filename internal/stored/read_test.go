// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"encoding/json"
	"testing"
)

func TestIsPlainScalar(t *testing.T) {
	values := []any{"a", "", true, false, 5.0, 6.0, int64(5), int64(6), nil, "5", "true"}
	for text, want := range map[string][]any{
		`"a"`: {"a"}, `""`: {""}, "true": {true}, "false": {false}, "5": {5.0, int64(5)}, "6": {6.0, int64(6)}, `"5"`: {"5"}, `"true"`: {"true"},
	} {
		for _, v := range values {
			is := false
			for _, w := range want {
				is = is || v == w
			}
			if got := isPlainScalar(text, v); got != is {
				t.Errorf("%s and %T %v: %v", text, v, v, got)
			}
		}
	}
}

func TestEachPlainField(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`:               "a=1 ",
		`{"a":1,"b":"x"}`:       `a=1 b="x" `,
		`{"a":true,"b":false}`:  "a=true b=false ",
		``:                      "no",
		`{`:                     "no",
		`{}`:                    "no",
		`{"a"}`:                 "no",
		`{"a":}`:                "no",
		`{"a":1`:                "no",
		`"a":1}`:                "no",
		`{"a",1}`:               "no",
		`{"b":1,"a":1}`:         "no",
		`{"a":1,"a":1}`:         "no",
		`{"a":1 }`:              "no",
		`{"a":1,}`:              "no",
		`{"a":[1]}`:             "no",
		`{"a":"x\n"}`:           "no",
		`{"a":1,"b":2,"c":"y"}`: `a=1 b=2 c="y" `,
	} {
		got := ""
		if !eachPlainField(text, func(name, scalar string) { got += name + "=" + scalar + " " }) {
			got = "no"
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// TestIsPlain checks that fields are plain only if their set is written in the same way.
func TestIsPlain(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`:                                 true,
		`{"f:a":{}}`:                         true,
		`{"f:a":{".":{},"f:b":{}}}`:          true,
		`{"f:a":{"k:{\"b\":1}":{"v:2":{}}}}`: true,
		`{".":{}}`:                           false,
		`{".":{},"f:a":{}}`:                  false,
		`{"f:a":{".":{}}}`:                   false,
		`{"f:a":{".":{"f:b":{}},"f:c":{}}}`:  false,
		`{"f:a":{".":null,"f:c":{}}}`:        false,
		`{"f:a":null}`:                       false,
		`{"f:a":1}`:                          false,
		`{"a":{}}`:                           false,
		`{"x:a":{}}`:                         false,
		`{"v:1.0":{}}`:                       false,
		`{"k:{\"b\": 1}":{}}`:                false,
	} {
		var fields map[string]any
		if err := json.Unmarshal([]byte(text), &fields); err != nil {
			t.Fatal(err)
		}
		if got := new(Check).IsPlain(fields, 0, nil, nil); got != want {
			t.Errorf("%s: got %v", text, got)
		}
		set, canonical, err := new(Reader).Read(fields)
		if want && (err != nil || !canonical) {
			t.Errorf("%s is plain, but its set is %v, %v", text, set, err)
		}
	}
}
