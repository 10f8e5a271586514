// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLooseValues(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"kubebuilder:default", `5`, `5`},
		{"kubebuilder:default", `1.5`, `1.5`},
		{"kubebuilder:default", `true`, `true`},
		{"kubebuilder:default", `bare text`, `"bare text"`},
		{"kubebuilder:default", `"quoted: {}"`, `"quoted: {}"`},
		{"kubebuilder:default", `'single "x"'`, `"single \"x\""`},
		{"kubebuilder:default", "`back\\d`", `"back\\d"`},
		{"kubebuilder:default", `{}`, `{}`},
		{"kubebuilder:default", `[]`, `[]`},
		{"kubebuilder:default", `{a, "b", 3}`, `["a","b",3]`},
		{"kubebuilder:default", `{a: b, "c d": {1, 2}, e: {f: true}}`, `{"a":"b","c d":[1,2],"e":{"f":true}}`},
		{"kubebuilder:default", `{{name: x}, {name: y}}`, `[{"name":"x"},{"name":"y"}]`},
		{"kubebuilder:default", `[{"a":1}]`, `[{"a":1}]`},
		{"kubebuilder:default", `0x10`, `"0x10"`},
		{"kubebuilder:default", `{a`, `error: expected a comma or }, got ""`},
		{"kubebuilder:default", `{a: 1, a: 2}`, `error: duplicate field a`},
		{"kubebuilder:default", `"open`, `error: missing closing quote`},
		{"kubebuilder:default", ``, `error: expected a value`},
		{"kubebuilder:default", `{a} b`, `error: unexpected text after the value: b`},
		{"kubebuilder:validation:Enum", `a;b;"c d"`, `["a","b","c d"]`},
		{"kubebuilder:validation:Enum", `a;b; `, `["a","b"]`},
		{"kubebuilder:validation:Enum", `{1,2}`, `[1,2]`},
		{"kubebuilder:validation:Enum", `"";Never`, `["","Never"]`},
		{"kubebuilder:validation:Pattern", "`^a;b,c$`", `"^a;b,c$"`},
		{"kubebuilder:validation:Pattern", `^[a-z]+$`, `"^[a-z]+$"`},
		{"kubebuilder:validation:MaxLength", `-1`, `error: expected a non-negative integer, got "-1"`},
		{"kubebuilder:resource", `path=foos,shortName=f;fo,scope=Cluster`, `{"path":"foos","scope":"Cluster","shortName":["f","fo"]}`},
		{"kubebuilder:resource", `categories={a,b},path="x"`, `{"categories":["a","b"],"path":"x"}`},
		{"kubebuilder:resource", `path`, `error: expected name=value, got path`},
		{"kubebuilder:validation:XValidation", `rule="self.a == 'x, y'",message="a; b"`, `{"message":"a; b","rule":"self.a == 'x, y'"}`},
		{"kubebuilder:printcolumn", "name=Age,type=date,JSONPath=`.status.conditions[?(@.type==\"Ready\")].status`", `{"JSONPath":".status.conditions[?(@.type==\"Ready\")].status","name":"Age","type":"date"}`},
		{"default", `{"a": 1.0, "b": [null]}`, `{"a":1,"b":[null]}`},
		{"default", strings.Repeat("[", 1000), `error: nested more than 100 levels deep`},
		{"listType", `set`, `"set"`},
		{"listType", `"set"`, `"set"`},
		{"nullable", `false`, `error: expected no value, got "false"`},
	} {
		m := Marker{Name: test.name, Spelled: test.name, Value: test.in, HasValue: true}
		v, err := m.Decode()
		got := JSON(v)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != test.want {
			t.Errorf("+%s=%s: got %s, want %s", test.name, test.in, got, test.want)
		}
	}
}

func TestMarkersAreParsed(t *testing.T) {
	for _, test := range []struct{ in, name, value string }{
		{`default="x"`, "default", `"x"`},
		{`default = "x"`, "default", `"x"`},
		{`kubebuilder:default:=5`, "default", "5"},
		{`kubebuilder:resource:path=x,scope=Cluster`, "kubebuilder:resource", "path=x,scope=Cluster"},
		{`kubebuilder:validation:XValidation:rule="a==b"`, "kubebuilder:validation:XValidation", `rule="a==b"`},
		{`kubebuilder:subresource:status`, "kubebuilder:subresource:status", ""},
		{`optional for now`, "optional", "for now"},
		{`k8s:alpha(since: "1.35")=+k8s:required`, "k8s:alpha", `(since: "1.35")=+k8s:required`},
		{`kubebuilder:validation:Optional`, "optional", ""},
	} {
		m := parseMarker(test.in)
		if m.Name != test.name || m.Value != test.value || m.String() != "+"+test.in {
			t.Errorf("+%s: got %q with %q, shown as %s", test.in, m.Name, m.Value, &m)
		}
	}
}

func FuzzMarker(f *testing.F) {
	for _, seed := range []string{`default={"a":[1]}`, "kubebuilder:default={a: {b, 'c'}}", "kubebuilder:resource:path=x,shortName={a,b}", "kubebuilder:validation:Enum=a;b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // Go source is always valid UTF-8
		}
		m := parseMarker(text)
		if v, err := m.Decode(); err == nil && m.Name == "default" {
			again, err := ParseJSON(JSON(v))
			if err != nil || JSON(again) != JSON(v) {
				t.Errorf("%s: %s changed when written and parsed again: %v", text, JSON(v), err)
			}
		}
	})
}
