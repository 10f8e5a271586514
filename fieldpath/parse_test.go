// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"math"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/value"
)

func TestParsePath(t *testing.T) {
	field, item := FieldNameElement, func(v any) PathElement { return ValueElement(value.NewValueInterface(v)) }
	for text, want := range map[string]Path{
		"":                                    {},
		".spec.replicas":                      {field("spec"), field("replicas")},
		`.spec.ports[port=80,protocol="TCP"]`: {field("spec"), field("ports"), KeyElementByFields("port", 80, "protocol", "TCP")},
		`[b=null,a=true,c=1.5,d="],\"="].x`:   {KeyElementByFields("a", true, "b", nil, "c", 1.5, "d", `],"=`), field("x")},
		`["a=b"=-0]`:                          {KeyElementByFields("a=b", 0)},
		`[="x,]"][=1e+06][=false][=null]`:     {item("x,]"), item(1e6), item(false), item(nil)},
		`[=[1,"\x00",[]]][={"a": "]", "b":{}}]`: {
			item([]any{int64(1), "\x00", []any{}}), item(map[string]any{"a": "]", "b": map[string]any{}})},
		"[0][-7]":                               {IndexElement(0), IndexElement(-7)},
		`.metadata.labels."example.com/a"[]b`:   nil,
		`.metadata.labels."example.com/a"."".x`: {field("metadata"), field("labels"), field("example.com/a"), field(""), field("x")},
		".a-b/c=d,e$]f}":                        {field("a-b/c=d,e$]f}")},
		".x[9223372036854775808=1]":             {field("x"), KeyElementByFields("9223372036854775808", 1)},
		"[=9223372036854775808]":                {item(float64(math.MaxInt64))},
	} {
		got, err := ParsePath(text)
		if want == nil {
			if err == nil {
				t.Errorf("%s is read as %v", text, got)
			}
			continue
		}
		if err != nil || !got.Equals(want) {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParsePathRefuses(t *testing.T) {
	for text, at := range map[string]string{
		"spec": "spec", ".": ".", "..a": "..a", ".a.": ".", ".a b": " b", `."a`: `."a`, `."\z"`: `."\z"`, `.a"b"`: `"b"`,
		"[": "[", "[]": "[]", ".x[a]": "[a]", "[a=]": "[a=]", "[a=1": "[a=1", "[a=1,]": "[a=1,]", "[a=1;b=2]": "[a=1;b=2]",
		"[=]": "[=]", "[=1": "[=1", "[=x]": "[=x]", `[="x]`: `[="x]`, "[1": "[1", "[a=1]b": "b", `[a="\z"]`: `[a="\z"]`,
		"[a=1,a=2]": "[a=1,a=2]", "[=0x10]": "[=0x10]", "[=NaN]": "[=NaN]", "[=1e999]": "[=1e999]", "[=1_0]": "[=1_0]",
		"[=[1]": "[=[1]", `[={a:1}]`: `[={a:1}]`, `[={"a"}]`: `[={"a"}]`, "[=[,]]": "[=[,]]", "[=a=1]": "[=a=1]",
		"[=" + strings.Repeat("[", 200): "[=" + strings.Repeat("[", 200),
	} {
		got, err := ParsePath(text)
		if err == nil {
			t.Errorf("%s is read as %v", text, got)
			continue
		}
		if !strings.HasPrefix(err.Error(), "path "+text+": at ") || !strings.Contains(err.Error(), `at `+quote(at)+`: `) {
			t.Errorf("%s: the error does not show where: %v", text, err)
		}
	}
}

func quote(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }

// plainName reports whether ParsePath can read a name that Path.String wrote.
func plainName(s string) bool {
	name, rest, err := cutName(s, ".[")
	return err == nil && name == s && rest == ""
}

// readable reports whether ParsePath can read the text of e.
func readable(e PathElement) bool {
	switch {
	case e.FieldName != nil:
		return plainName(*e.FieldName)
	case e.Key != nil:
		for _, f := range *e.Key {
			if !plainName(f.Name) || strings.ContainsAny(f.Name, "=,[]") || !readableValue(f.Value.Unstructured()) {
				return false
			}
		}
		return len(*e.Key) > 0
	case e.Value != nil:
		return readableValue((*e.Value).Unstructured())
	}
	return e.Index != nil
}

func readableValue(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return false
	case []any:
		for _, item := range v {
			if !readableValue(item) {
				return false
			}
		}
	case float64:
		return !math.IsInf(v, 0) && !math.IsNaN(v)
	}
	return true
}

// FuzzParsePath checks that parsing the text of a path returns the same path, if its names
// need no quotes.
func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"", ".a.b", `."a.b"`, `[a="b",c=1]`, "[=1.5]", "[3]", `[={"a":null}]`, `[=["\x00",[]]]`, ".a/b=c,d", `[a=-0,b="]"].x`, "[1=2]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			return
		}
		for _, e := range p {
			if !readable(e) {
				return
			}
		}
		back, err := ParsePath(p.String())
		if err != nil || !back.Equals(p) {
			t.Errorf("%q is %v, whose text is read as %v, %v", text, p, back, err)
		}
	})
}

// FuzzPathText checks that parsing the text of a path returns the same path. It makes the
// path from elements in the FieldsV1 format.
func FuzzPathText(f *testing.F) {
	for _, s := range []string{"f:a", `k:{"a":"b\u0000","c":1e30}`, `v:["\u2028",1.5]`, "i:5", `v:"\ud83d"`, `k:{"":1}`, `f:\ufffd`} {
		f.Add(s, "f:x")
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		var p Path
		for _, text := range []string{first, second} {
			e, err := DeserializePathElement(text)
			if err != nil || !readable(e) {
				return
			}
			p = append(p, e)
		}
		back, err := ParsePath(p.String())
		if err != nil || !back.Equals(p) {
			t.Errorf("%v is read as %v, %v", p, back, err)
		}
	})
}

// TestParsePathOfSets checks that ParsePath reads the text of all paths of typical sets.
func TestParsePathOfSets(t *testing.T) {
	n := 0
	for path := range pod(3).All() {
		back, err := ParsePath(path.String())
		if err != nil || !back.Equals(path) {
			t.Errorf("%v is read as %v, %v", path, back, err)
		}
		n++
	}
	if n < 20 {
		t.Errorf("only %d paths", n)
	}
}
