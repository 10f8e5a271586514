// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestSerializePathElement(t *testing.T) {
	for _, c := range []struct {
		why  string
		pe   PathElement
		want string
	}{
		{"names stand as they are", FieldNameElement("a<\"\\\n\xff"), "f:a<\"\\\n\xff"},
		{"", FieldNameElement(""), "f:"},
		{"", IndexElement(-12), "i:-12"},
		{"names of keys are escaped for JSON only", KeyElementByFields("<\"", 1), `k:{"<\"":1}`},
		{"values are escaped for HTML", KeyElementByFields("a", "<>&\u2028\u2029"), `k:{"a":"\u003c\u003e\u0026\u2028\u2029"}`},
		{"control characters", ValueElement(v("\x00\n\r\t\b\f\"\\/\x7f")), `v:"\u0000\n\r\t\u0008\u000c\"\\/` + "\x7f\""},
		{"bytes that are not UTF-8", ValueElement(v("a\xffb\xc3")), `v:"a\ufffdb\ufffd"`},
		{"", ValueElement(v("äé日😀")), `v:"äé日😀"`},
		{"two keys", KeyElementByFields("b", "x", "a", 1), `k:{"a":1,"b":"x"}`},
		{"no keys", KeyElement(), "k:{}"},
		{"", ValueElement(v(nil)), "v:null"},
		{"", ValueElement(v(true)), "v:true"},
		{"", ValueElement(v(int64(math.MinInt64))), "v:-9223372036854775808"},
		{"", ValueElement(v(1.0)), "v:1"},
		{"", ValueElement(v(math.Copysign(0, -1))), "v:-0"},
		{"", ValueElement(v(1e20)), "v:100000000000000000000"},
		{"", ValueElement(v(1e21)), "v:1e+21"},
		{"", ValueElement(v(1e-6)), "v:0.000001"},
		{"the exponent has two digits", ValueElement(v(1e-7)), "v:1e-07"},
		{"", ValueElement(v(float64(1 << 53))), "v:9007199254740992"},
		{"a float from 2^53 on has the digits that tell it apart", ValueElement(v(float64(1 << 60))), "v:1152921504606847000"},
		{"", ValueElement(v(float64(-1 << 60))), "v:-1152921504606847000"},
		{"a float32 has fewer digits", ValueElement(v(float32(0.1))), "v:0.1"},
		{"", ValueElement(v([]any{1, "<"})), `v:[1,"\u003c"]`},
		{"", ValueElement(v(map[string]any{"b": 1, "a": nil})), `v:{"a":null,"b":1}`},
	} {
		got, err := SerializePathElement(c.pe)
		if err != nil || got != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.why, got, err, c.want)
		}
	}
}

func TestSerializeErrors(t *testing.T) {
	for _, c := range []struct {
		pe        PathElement
		want, err string
	}{
		{PathElement{}, "", "invalid PathElement"},
		{ValueElement(v(math.NaN())), "v:", "unsupported value: NaN"},
		{KeyElementByFields("a", math.Inf(1)), "k:", "unsupported value: +Inf"},
		{ValueElement(nil), "v:", "invalid PathElement"},
	} {
		got, err := SerializePathElement(c.pe)
		if got != c.want || err == nil || err.Error() != c.err {
			t.Errorf("got %q, %v, want %q, %s", got, err, c.want, c.err)
		}
		s := &Set{}
		s.Insert(Path{FieldNameElement("a"), c.pe})
		if b, err := s.ToJSON(); b != nil || err == nil || err.Error() != c.err {
			t.Errorf("got %s, %v, want %s", b, err, c.err)
		}
		var out bytes.Buffer
		if err := s.ToJSONStream(&out); err == nil || out.Len() > 0 {
			t.Errorf("got %s, %v", &out, err)
		}
	}
}

func TestToJSON(t *testing.T) {
	for _, c := range []struct {
		name string
		set  *Set
		want string
	}{
		{"empty", &Set{}, "{}"},
		{"members and children in one order", fields("b", "a.x", "c", "c.y"),
			`{"f:a":{"f:x":{}},"f:b":{},"f:c":{".":{},"f:y":{}}}`},
		{"kinds, indices by number", NewSet(p(10), p(9), p(v(1)), p(k("a", 1)), p("z")),
			`{"f:z":{},"k:{\"a\":1}":{},"v:1":{},"i:9":{},"i:10":{}}`},
		{"escapes twice", NewSet(p("q\"<\\\t"), p(k("a", "\"<\\")), p(v("x\ny"))),
			`{"f:q\"<\\\t":{},"k:{\"a\":\"\\\"\\u003c\\\\\"}":{},"v:\"x\\ny\"":{}}`},
		{"name of a key with a quote", NewSet(p(k("a\"", 1.5))), `{"k:{\"a\\\"\":1.5}":{}}`},
		{"empty child", func() *Set {
			s := fields("a")
			s.Children.Descend(FieldNameElement("a"))
			return s
		}(), `{"f:a":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := toJSON(t, c.set); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			var out strings.Builder
			if err := c.set.ToJSONStream(&out); err != nil || out.String() != c.want {
				t.Errorf("stream: %s, %v", &out, err)
			}
		})
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestToJSONStreamReturnsErrorOfWriter(t *testing.T) {
	if err := fields("a").ToJSONStream(brokenWriter{}); err != errBroken {
		t.Errorf("got %v", err)
	}
}

// TestToJSONDeepAndLarge checks that ToJSON handles deep sets. It also checks that the result
// does not change when ToJSON is called again.
func TestToJSONDeepAndLarge(t *testing.T) {
	deep := make(Path, 200_000)
	for i := range deep {
		deep[i] = FieldNameElement("a")
	}
	want := strings.Repeat(`{"f:a":`, len(deep)) + "{}" + strings.Repeat("}", len(deep))
	s := NewSet(deep)
	got := toJSON(t, s)
	if got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	first, _ := s.ToJSON()
	if _, err := pod(3).ToJSON(); err != nil || string(first) != want {
		t.Errorf("the result of ToJSON was overwritten, %v", err)
	}
}
