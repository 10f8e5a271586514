// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
	"github.com/dovetail-ssa/dovetail/value"
)

// documents lists documents that FromJSON accepts, with the resulting sets.
var documents = []struct {
	name string
	text string
	want *Set
}{
	{"empty", `{}`, &Set{}},
	{"null", `null`, &Set{}},
	{"white space", " \n{\t\"f:a\" :\r{ } , \"f:b\":{}}\n", fields("a", "b")},
	{"member with children", `{"f:a":{".":{},"f:b":{}}}`, fields("a", "a.b")},
	{"dot anywhere", `{"f:a":{"f:b":{},".":{}}}`, fields("a", "a.b")},
	{"dot alone", `{"f:a":{".":{}}}`, fields("a")},
	{"dot at the root", `{".":{}}`, &Set{}},
	{"dot with any value", `{"f:a":{".":[1,"x",{"y":null}],"f:b":{}}}`, fields("a", "a.b")},
	{"dot with a text", `{"f:a":{".":"x y"}}`, fields("a")},
	{"dot with numbers", `{"f:a":{".":[1 ,2]},"f:b":{".":{"x":1.5},"y:":1
}}`, fields("a", "b")},
	{"null is a leaf", `{"f:a":null}`, fields("a")},
	{"unknown kinds", `{"x:y":{"f:b":{}},"f:a":{},"q:":[1,2.5e3,-01,0.5,"\n"]}`, fields("a")},
	{"any order", `{"f:c":{"f:z":{},"f:y":{}},"f:a":{},"f:b":{"f:x":{}}}`, fields("a", "b.x", "c.y", "c.z")},
	{"a repeated subtree replaces", `{"f:a":{"f:x":{},"f:y":{}},"f:a":{"f:z":{}}}`, fields("a.z")},
	{"a repeated leaf does not", `{"f:a":{"f:x":{}},"f:a":{}}`, fields("a", "a.x")},
	{"repeated out of order", `{"f:b":{"f:x":{}},"f:a":{},"f:b":{"f:y":{}},"f:a":{}}`, fields("a", "b.y")},
	{"kinds", `{"f:":{},"k:{\"b\":1,\"a\":\"x\"}":{},"v:[1]":{},"v:-0.5":{},"i:3":{},"i:+4":{}}`,
		NewSet(p(""), p(k("a", "x", "b", 1.0)), p(v([]any{1.0})), p(v(-0.5)), p(3), p(4))},
	{"literals", `{"v:true":{},"v:false":{},"v:null":{},"k:{\"a\":null}":{}}`,
		NewSet(p(v(true)), p(v(false)), p(v(nil)), p(k("a", nil)))},
	{"composite key", `{"k:{\"a\":{\"b\":[]}}":{}}`, NewSet(p(k("a", map[string]any{"b": []any{}})))},
	{"white space in a key", `{"k:{ \"a\" : 1 }":{},"v: 2 ":{}}`, NewSet(p(k("a", 1.0)), p(v(2.0)))},
	{"key with a name twice", `{"k:{\"b\":1,\"a\":2,\"b\":3}":{}}`, NewSet(Path{KeyElement(
		value.Field{Name: "a", Value: v(2.0)}, value.Field{Name: "b", Value: v(1.0)}, value.Field{Name: "b", Value: v(3.0)})})},
	{"null for a key", `{"k:null":{}}`, NewSet(Path{KeyElement([]value.Field{}...)})},
	{"escapes", `{"f:\u0061\/\n\"\\":{},"k:{\"\\u0062\":\"\\\"\\u003c\"}":{},"v:\"\\ud83d\\ude00\"":{}}`,
		NewSet(p("a/\n\"\\"), p(k("b", "\"<")), p(v("😀")))},
	{"kind escaped", `{"\u0066:a":{},"f\u003ab":{}}`, fields("a", "b")},
	{"half surrogates", `{"f:\ud83dx":{},"f:\ude00\ud83d":{},"f:\ud800\u0041":{}}`,
		fields("\uFFFDA", "\uFFFDx", "\uFFFD\uFFFD")},
	{"not UTF-8", "{\"f:\xff\xc3\":{},\"v:\\\"\xff\\\"\":{}}", NewSet(p("\xff\xc3"), p(v("\xff")))},
	{"numbers are floats", `{"v:9007199254740993":{},"v:1e3":{}}`, NewSet(p(v(float64(1<<53))), p(v(1000.0)))},
	{"null reads as an empty name", `{"k:{\"a\":1,null:2}":{}}`, NewSet(p(k("a", 1.0, "", 2.0)))},
	{"control character behind an escape", "{\"f:\\u0061\n\":{}}", fields("a\n")},
}

func TestFromJSON(t *testing.T) {
	for _, c := range documents {
		t.Run(c.name, func(t *testing.T) {
			got := fields("old", "old.x")
			if err := got.FromJSON(strings.NewReader(c.text)); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", toJSON(t, got), toJSON(t, c.want))
			}
			checkBothReaders(t, c.text)
			// In a value, a byte that is not UTF-8 becomes \ufffd.
			if back := fromJSON(t, toJSON(t, got)); !back.Equals(got) && c.name != "not UTF-8" {
				t.Errorf("comes back as\n%s", toJSON(t, back))
			}
		})
	}
}

// checkBothReaders fails if the decoder accepts text but replaySet reads another set from it.
func checkBothReaders(t *testing.T, text string) {
	t.Helper()
	quick, ok := decode(text)
	if !ok {
		return
	}
	slow, err := replaySet(jsoniter.Source{Text: text})
	if err != nil || !reflect.DeepEqual(quick, slow) {
		t.Fatalf("%q: the decoder reads\n%s\nthe replay, with %v,\n%s", text, &quick, err, &slow)
	}
}

// TestDecoder checks that the decoder accepts the output of JSON encoders, with any white
// space and escapes, and that it rejects other documents.
func TestDecoder(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`:                                  true,
		" {\t\"f:a\"\r:\n{ } , \"f:b\":{}}\n": true,
		`{"f:a":{".":{},"f:b":{}}}`:           true,
		`{".":{}}`:                            true,
		`{"f:":{},"i:3":{},"i:-4":{}}`:        true,
		`{"k:{\"a\":1,\"b\":\"x\"}":{}}`:      true,
		`{"k:{\"b\":null,\"a\":true}":{}}`:    true,
		`{"k:{}":{}}`:                         true,
		`{"v:0":{},"v:-0":{},"v:10":{},"v:-1.50":{},"v:1e5":{},"v:1E+5":{},"v:12.5e-05":{}}`:         true,
		`{"v:123456789012345":{},"v:1234567890123456":{},"v:99999999999999999999":{}}`:               true,
		`{"v:\"\"":{},"v:\"x\"":{},"v:true":{},"v:false":{},"v:null":{}}`:                            true,
		`{"f:\u0041\u00AF\u00aF\"\\\/\b\f\n\r\t":{}}`:                                                true,
		`{"f:\ud83d\ude00":{},"f:\ud83dx":{},"f:\ud83d\u0041":{},"f:\ude00":{},"f:\ud83d\ud83d":{}}`: true,
		`{"v:\"\\u00e4\"":{},"k:{\"\\n\":\"\\\\\"}":{}}`:                                             true,
		`{"k:{\"\u0061\":1}":{}}`:                       true,
		"{\"f:\xff\":{}}":                               true,
		`{"f:b":{"f:y":{},"f:x":{}},"f:a":{},"f:b":{}}`: true,

		``:                          false,
		`null`:                      false,
		`{"f:a":null}`:              false,
		`{"f:a":{},}`:               false,
		`{"f:a":{}"f:b":{}}`:        false,
		`{,"f:a":{}}`:               false,
		`{"f:a":{}}{`:               false,
		`{"f:a"`:                    false,
		`{"f:a":`:                   false,
		`{"f:a":{}`:                 false,
		`{"f:a",{}}`:                false,
		`{"f:a":1}`:                 false,
		`{"x:a":{}}`:                false,
		`{"f;a":{}}`:                false,
		`{".x":{}}`:                 false,
		`{".":{"f:a":{}}}`:          false,
		`{"v:01":{}}`:               false,
		`{"v:-":{}}`:                false,
		`{"v:1.":{}}`:               false,
		`{"v:1e":{}}`:               false,
		`{"v:1e+":{}}`:              false,
		`{"v:1e400":{}}`:            false,
		`{"v:1x":{}}`:               false,
		`{"v:tru":{}}`:              false,
		`{"v:":{}}`:                 false,
		`{"v:[1]":{}}`:              false,
		`{"k:{\"a\" :1}":{}}`:       false,
		`{"k:{\"a\":1":{}}`:         false,
		`{"k:{\"a\":1}x":{}}`:       false,
		`{"k:{\"a\:1}":{}}`:         false,
		`{"k:{,\"a\":1}":{}}`:       false,
		`{"k:\"a\"":{}}`:            false,
		`{"i:x":{}}`:                false,
		`{"f:\q":{}}`:               false,
		`{"f:\`:                     false,
		`{"f:\u00g0":{}}`:           false,
		`{"f:\u00`:                  false,
		"{\"f:\n\":{}}":             false,
		"{\"f:\\n\x1f\":{}}":        false,
		`{"f:\ud83d\u00":{}}`:       false,
		`{"v:\"\\u00e\"":{}}`:       false,
		"{\"v:\\\"\\\\\n\\\"\":{}}": false,
	} {
		if _, ok := decode(text); ok != want {
			t.Errorf("%q: read %v, want %v", text, ok, want)
		}
		checkBothReaders(t, text)
	}
}

// TestDecoderReadsDamage checks that the decoder reads a damaged document like replaySet, or
// rejects it.
func TestDecoderReadsDamage(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	texts := []string{toJSON(t, pod(1)), `{"v:-12.5e-3":{},"f:\u00aF\ud83d\ude00\n\"":{},"k:{\"a\":10,\"b\":\"\\u00AF\"}":{".":{}, "i:3":{}}}`}
	for _, c := range documents {
		texts = append(texts, c.text)
	}
	const bytes = "{}[]\",:.\\/ \n\x1f\x7f\xff019-+eEfkviunldaAFgG"
	for range 100_000 {
		b := []byte(texts[r.Intn(len(texts))])
		for range 1 + r.Intn(3) {
			i := r.Intn(len(b))
			c := bytes[r.Intn(len(bytes))]
			switch r.Intn(4) {
			case 0:
				b[i] = c
			case 1:
				b = append(b[:i], append([]byte{c}, b[i:]...)...)
			case 2:
				b = append(b[:i], b[i+1:]...)
			default:
				j := i + r.Intn(len(b)-i)
				b = append(b[:i:i], b[j:]...)
			}
			if len(b) == 0 {
				b = []byte("{")
			}
		}
		checkBothReaders(t, string(b))
	}
}

func TestFromJSONErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		want *Set // the paths read before the error
		err  string
	}{
		{"nothing", ``, &Set{},
			"ReadMapCB: expect { or n, but found \x00, error found in #0 byte of ...||..., bigger context ...||..."},
		{"no object", `[]`, &Set{},
			"ReadMapCB: expect { or n, but found [, error found in #1 byte of ...|[]|..., bigger context ...|[]|..."},
		{"trailing data", `{"f:a":{}}x`, fields("a"),
			`managedFields parsing: unexpected trailing data after JSON object, error found in #10 byte of ...|{"f:a":{}}x|..., bigger context ...|{"f:a":{}}x|...`},
		{"two documents", `{}{}`, &Set{}, "unexpected trailing data after JSON object"},
		{"cut short", `{"f:a":{}`, fields("a"), "ReadMapCB: object not ended with }"},
		{"no value", `{"f:a"}`, &Set{}, "ReadMapCB: expect : after object field, but found \""},
		{"scalar for an object, read on", `{"f:a":1,"f:b":{}}`, fields("a", "b"), "ReadMapCB: expect { or n, but found 1"},
		{"list for an object", `{"f:b":{},"f:a":[]}`, fields("a", "b"), "ReadMapCB: expect { or n, but found ["},
		{"key without a kind", `{"a":{}}`, &Set{}, "parsing key as path element: key must be 2 characters long:"},
		{"key without a colon", `{"abc":{}}`, &Set{}, "parsing key as path element: missing colon: abc"},
		{"bad list key", `{"f:a":{},"k:{\"a\":1":{}}`, fields("a"), "ReadObjectCB: object not ended with }"},
		{"list key that is none", `{"k:1":{}}`, &Set{}, "ReadObjectCB: expect { or n, but found 1"},
		{"bad value", `{"v:nope":{}}`, &Set{}, "skipFourBytes: expect null"},
		{"bad number", `{"v:01":{}}`, &Set{}, "readFloat64: leading zero is invalid"},
		{"huge number", `{"v:1e999":{}}`, &Set{}, `strconv.ParseFloat: parsing "1e999": value out of range`},
		{"bad index", `{"i:x":{}}`, &Set{}, `strconv.Atoi: parsing "x": invalid syntax`},
		{"control character", "{\"f:\n\":{}}", &Set{}, "ReadString: invalid control character found: 10"},
		{"unknown escape", `{"f:\q":{}}`, &Set{}, "readEscapedChar: invalid escape char after \\"},
		{"comma at the end", `{"f:a":{},}`, fields("a"), "ReadString: expects \" or n, but found }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := fields("old")
			err := got.FromJSON(strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("got error %v, want %s", err, c.err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("understood\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestFromJSONDepth(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"f:a":`, n-1) + "{}" + strings.Repeat("}", n-1)
	}
	if got := fromJSON(t, nested(jsoniter.MaxDepth)); got.Size() != 1 {
		t.Errorf("%d members", got.Size())
	}
	if got, err := replaySet(jsoniter.Source{Text: nested(jsoniter.MaxDepth)}); err != nil || got.Size() != 1 {
		t.Errorf("replayed: %d members, %v", got.Size(), err)
	}
	for _, text := range []string{
		nested(jsoniter.MaxDepth + 1),
		strings.Repeat(`{"f:a":`, 2_000_000),
		`{".":` + strings.Repeat("[", 2_000_000),
		`{"v:` + strings.Repeat("[", 2_000_000) + `":{}}`,
		`{"k:{\"a\":` + strings.Repeat(`{\"a\":`, 1_000_000) + `":{}}`,
	} {
		err := new(Set).FromJSON(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), "exceeded max depth") {
			t.Errorf("%.20s: got error %.200v", text, err)
		}
	}
}

// TestFromJSONCopies checks that a set does not refer to the memory of the reader it was read
// from.
func TestFromJSONCopies(t *testing.T) {
	text := []byte(`{"f:abc":{},"k:{\"name\":\"abc\"}":{},"v:\"abc\"":{}}`)
	want := string(text)
	for _, r := range []io.Reader{bytes.NewReader(text), bytes.NewBuffer(text), iotest.OneByteReader(bytes.NewReader(text))} {
		copy(text, want)
		s := &Set{}
		if err := s.FromJSON(r); err != nil {
			t.Fatal(err)
		}
		for i := range text {
			text[i] = 'x'
		}
		if got := toJSON(t, s); got != want {
			t.Errorf("%T: got %s", r, got)
		}
	}
}

// pausing is a reader that sometimes returns no data and no error.
type pausing struct {
	r     io.Reader
	reads int
}

func (p *pausing) Read(b []byte) (int, error) {
	if p.reads++; p.reads%2 == 1 {
		return 0, nil
	}
	return p.r.Read(b)
}

type silentReader struct{}

func (silentReader) Read([]byte) (int, error) { return 0, nil }

func TestFromJSONReaders(t *testing.T) {
	long := toJSON(t, pod(20))
	if len(long) < 3*jsoniter.Window {
		t.Fatal("too short to be read in pieces")
	}
	for name, r := range map[string]io.Reader{
		"one byte":        iotest.OneByteReader(strings.NewReader(long)),
		"half":            iotest.HalfReader(strings.NewReader(long)),
		"error with data": iotest.DataErrReader(strings.NewReader(long)),
		"plain":           struct{ io.Reader }{strings.NewReader(long)},
		"with pauses":     &pausing{r: strings.NewReader(long)},
		"partly read":     io.MultiReader(strings.NewReader(long[:5]), strings.NewReader(long[5:])),
	} {
		s := &Set{}
		if err := s.FromJSON(r); err != nil || toJSON(t, s) != long {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := io.MultiReader(strings.NewReader(`{"f:a":{},`), iotest.ErrReader(errBroken))
	s := &Set{}
	if err := s.FromJSON(broken); !errors.Is(err, errBroken) || !s.Equals(fields("a")) {
		t.Errorf("got %v with %s", err, s)
	}
	if err := s.FromJSON(silentReader{}); err != io.ErrNoProgress {
		t.Errorf("a reader that returns nothing: %v", err)
	}
}

// TestFromJSONWindow checks strings that cross the end of json-iterator's buffer.
// json-iterator accepts control characters there.
func TestFromJSONWindow(t *testing.T) {
	text := `{"f:` + strings.Repeat("a", jsoniter.Window) + "\n\":{}}"
	if err := new(Set).FromJSON(strings.NewReader(text)); err != nil {
		t.Error(err)
	}
	if err := new(Set).FromJSON(struct{ io.Reader }{strings.NewReader(text)}); err != nil {
		t.Error(err)
	}
	if err := new(Set).FromJSON(iotest.OneByteReader(strings.NewReader("{\"f:\n\":{}}"))); err != nil {
		t.Error(err)
	}
}

func TestDeserializePathElement(t *testing.T) {
	for _, c := range []struct {
		text string
		want PathElement
	}{
		{"f:a\"b", FieldNameElement("a\"b")},
		{"f:", FieldNameElement("")},
		{`k:{"b":"x","a":1}`, KeyElementByFields("a", 1.0, "b", "x")},
		{`k:{}`, KeyElement([]value.Field{}...)},
		{`v:"\u00e4\""`, ValueElement(v("ä\""))},
		{`v:-0`, ValueElement(v(math.Copysign(0, -1)))},
		{`v:[1,{}]`, ValueElement(v([]any{1.0, map[string]any{}}))},
		{`i:007`, IndexElement(7)},
	} {
		got, err := DeserializePathElement(c.text)
		if err != nil || !got.Equals(c.want) {
			t.Errorf("%s: got %v, %v", c.text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":           "key must be 2 characters long:",
		"f":          "key must be 2 characters long:",
		"fo:":        "missing colon: fo:",
		"x:1":        "unknown path element type",
		"i:":         `strconv.Atoi: parsing "": invalid syntax`,
		"k:":         "ReadObjectCB: expect { or n, but found \x00",
		"k:[]":       "ReadObjectCB: expect { or n, but found [",
		`k:{"a":1`:   "ReadObjectCB: object not ended with }",
		`k:{"a":1}}`: "unexpected trailing data",
		"v:1 2":      "unexpected trailing data",
		"v:":         "Read: unexpected value type: 0",
		`v:"\ud8"`:   "readU4: expects 0~9 or a~f, but found \"",
	} {
		got, err := DeserializePathElement(text)
		if err == nil || !strings.Contains(err.Error(), want) || got != (PathElement{}) {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	if _, err := DeserializePathElement("z:"); err != ErrUnknownPathElementType {
		t.Errorf("got %v", err)
	}
}

func TestJSONOfRandomSets(t *testing.T) {
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		s := NewSet(randomPaths(r, randomElements(r))...)
		text := toJSON(t, s)
		back := fromJSON(t, text)
		if !back.Equals(s) || toJSON(t, back) != text {
			t.Fatalf("seed %d: %s comes back as %s", seed, text, toJSON(t, back))
		}
		checkBothReaders(t, text)
	}
}

// TestSkippedNumbers checks that FromJSON accepts long numbers in values that it skips, and
// does so in little time.
func TestSkippedNumbers(t *testing.T) {
	for text, ok := range map[string]bool{
		"-01e5": true, "-01.5e5": true, "0.25": true, "1e5": true, "-0": true, "12.5": true,
		"1e400": false, "-01e": false, "1.2.3": false, "1.": false, "-": false, "01": false,
		"-0" + strings.Repeat("1", 3_000_000) + "e5": true,
	} {
		err := new(Set).FromJSON(strings.NewReader(`{".":` + text + `}`))
		if (err == nil) != ok {
			t.Errorf("%.20s: %.200v", text, err)
		}
	}
}
