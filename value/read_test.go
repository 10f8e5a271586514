// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

var documents = []struct {
	in   string
	want any
	why  string
}{
	{"null", nil, ""},
	{" true ", true, ""},
	{"false\n", false, ""},
	{"0", 0.0, ""},
	{"-0", math.Copysign(0, -1), ""},
	{"42", 42.0, ""},
	{"1\r", 1.0, ""},
	{"-1.5", -1.5, ""},
	{"1e3", 1000.0, ""},
	{"1E-7", 1e-7, ""},
	{"0.1234567", 0.1234567, ""},
	{"9007199254740993", 9007199254740992.0, "all numbers are float64"},
	{"4294967296", 4294967296.0, "more than 32 bits"},
	{"[12345678901,-2147483649,999999999999999]", []any{12345678901.0, -2147483649.0, 999999999999999.0}, "more than 32 bits"},
	{"123456789012345678901234567890", 123456789012345678901234567890.0, ""},
	{`""`, "", ""},
	{`"a b!"`, "a b!", "a space is no control character"},
	{`"a\"\\\/\b\f\n\r\tb"`, "a\"\\/\b\f\n\r\tb", ""},
	{`"\u00e9\u00C5é"`, "éÅé", ""},
	{`"\u09AF\u09af"`, "\u09af\u09af", "the first and the last of all digits"},
	{`"\ud83d\ude00"`, "😀", ""},
	{`"\u0041\ud83d\ude00"`, "A😀", ""},
	{`"\ud83dx"`, "\ufffdx", "half of a character"},
	{`"\ud83d\n"`, "\ufffd\n", ""},
	{`"\ud83d\ud83d"`, "\ufffd\ufffd", ""},
	{"\"\xff\"", "\xff", "what is no UTF-8 is kept"},
	{"\"\\n\x01\"", "\n\x01", "control characters pass after an escape"},
	{"[]", []any{}, ""},
	{"[ 1 , [ ] , null ]", []any{1.0, []any{}, nil}, ""},
	{"{}", map[string]any{}, ""},
	{"{\"a\" :\t{\"b\":[]}}", map[string]any{"a": map[string]any{"b": []any{}}}, ""},
	{`{"a":1,"a":2}`, map[string]any{"a": 2.0}, "the last wins"},
	{`{"a":1,null:2}`, map[string]any{"a": 1.0, "": 2.0}, "a null is an empty key, except as the first"},
}

func TestFromJSON(t *testing.T) {
	for _, tc := range documents {
		in := []byte(tc.in)
		v, err := FromJSON(in)
		if err != nil {
			t.Errorf("%q: %v", tc.in, err)
			continue
		}
		clear(in)
		got := v.Unstructured()
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%q: got %#v, want %#v %s", tc.in, got, tc.want, tc.why)
		}
		if f, ok := got.(float64); ok && math.Signbit(f) != math.Signbit(tc.want.(float64)) {
			t.Errorf("%q: got %v", tc.in, f)
		}
	}
}

var noDocuments = []struct{ in, want string }{
	{"", "Read: unexpected value type: 0, error found in #0 byte of ...||..., bigger context ...||..."},
	{" \n", "Read: unexpected value type: 0, error found in #2 byte of ...| \n|..., bigger context ...| \n|..."},
	{"x", "Read: unexpected value type: 0, error found in #0 byte of ...|x|..., bigger context ...|x|..."},
	{"{} x", "managedFields parsing: unexpected trailing data after JSON object, error found in #3 byte of ...|{} x|..., bigger context ...|{} x|..."},
	{"1 2", "managedFields parsing: unexpected trailing data after JSON object, error found in #2 byte of ...|1 2|..., bigger context ...|1 2|..."},
	{"tru", "skipThreeBytes: expect rue, error found in #3 byte of ...|tru|..., bigger context ...|tru|..."},
	{"fals3", "skipFourBytes: expect alse, error found in #5 byte of ...|fals3|..., bigger context ...|fals3|..."},
	{"nul", "skipFourBytes: expect null, error found in #3 byte of ...|nul|..., bigger context ...|nul|..."},
	{"[1", "ReadArrayCB: expect ] in the end, but found \x00, error found in #2 byte of ...|[1|..., bigger context ...|[1|..."},
	{"[1}", "ReadArrayCB: expect ] in the end, but found }, error found in #3 byte of ...|[1}|..., bigger context ...|[1}|..."},
	{"[1,]", "Read: unexpected value type: 0, error found in #3 byte of ...|[1,]|..., bigger context ...|[1,]|..."},
	{"{1:2}", `ReadMapCB: expect " after {, but found 1, error found in #2 byte of ...|{1:2}|..., bigger context ...|{1:2}|...`},
	{`{"a" 1}`, `ReadMapCB: expect : after object field, but found ", error found in #6 byte of ...|{"a" 1}|..., bigger context ...|{"a" 1}|...`},
	{`{"a":1,"b"}`, `ReadMapCB: expect : after object field, but found ,, error found in #10 byte of ...|"a":1,"b"}|..., bigger context ...|{"a":1,"b"}|...`},
	{`{"a":1,}`, `ReadString: expects " or n, but found }, error found in #8 byte of ...|{"a":1,}|..., bigger context ...|{"a":1,}|...`},
	{`{"a":1,nil:1}`, "skipThreeBytes: expect ull, error found in #9 byte of ...|{\"a\":1,nil:1}|..., bigger context ...|{\"a\":1,nil:1}|..."},
	{`{"a":1]`, `ReadMapCB: object not ended with }, error found in #7 byte of ...|{"a":1]|..., bigger context ...|{"a":1]|...`},
	{`"ab`, `readStringSlowPath: unexpected end of input, error found in #3 byte of ...|"ab|..., bigger context ...|"ab|...`},
	{`"a\q"`, `readEscapedChar: invalid escape char after \, error found in #4 byte of ...|"a\q"|..., bigger context ...|"a\q"|...`},
	{`"\u00`, `readStringSlowPath: unexpected end of input, error found in #5 byte of ...|"\u00|..., bigger context ...|"\u00|...`},
	{`"\u00x0"`, `readU4: expects 0~9 or a~f, but found x, error found in #6 byte of ...|"\u00x0"|..., bigger context ...|"\u00x0"|...`},
	{`"\ud83d\`, `readStringSlowPath: unexpected end of input, error found in #8 byte of ...|"\ud83d\|..., bigger context ...|"\ud83d\|...`},
	{`"\ud83d\u00`, `readStringSlowPath: unexpected end of input, error found in #10 byte of ...|\ud83d\u00|..., bigger context ...|"\ud83d\u00|...`},
	{"\"\x01\"", "ReadString: invalid control character found: 1, error found in #1 byte of ...|\"\x01\"|..., bigger context ...|\"\x01\"|..."},
	{"-", "readNumberAsString: invalid number, error found in #1 byte of ...|-|..., bigger context ...|-|..."},
	{"- 1", "readFloat64: empty number, error found in #1 byte of ...|- 1|..., bigger context ...|- 1|..."},
	{"-.5", "readFloat64: leading dot is invalid, error found in #1 byte of ...|-.5|..., bigger context ...|-.5|..."},
	{"01", "readFloat64: leading zero is invalid, error found in #0 byte of ...|01|..., bigger context ...|01|..."},
	{"--1", "readFloat64SlowPath: -- is not valid, error found in #3 byte of ...|--1|..., bigger context ...|--1|..."},
	{"1.", "readFloat64SlowPath: dot can not be last character, error found in #2 byte of ...|1.|..., bigger context ...|1.|..."},
	{"1.e1", "readFloat64SlowPath: missing digit after dot, error found in #4 byte of ...|1.e1|..., bigger context ...|1.e1|..."},
	{"1.2.3", `strconv.ParseFloat: parsing "1.2.3": invalid syntax`},
	{"1e", `strconv.ParseFloat: parsing "1e": invalid syntax`},
	{"1e400", `strconv.ParseFloat: parsing "1e400": value out of range`},
	{`["012345678901234567890123456789012345678901234567890123456789", x, "012345678901234567890123456789012345678901234567890123456789"]`,
		`Read: unexpected value type: 0, error found in #10 byte of ...|3456789", x, "012345|..., bigger context ...|34567890123456789012345678901234567890123456789", x, "0123456789012345678901234567890123456789012345|...`},
}

func TestFromJSONErrors(t *testing.T) {
	for _, tc := range noDocuments {
		v, err := FromJSONFast([]byte(tc.in))
		if err == nil {
			t.Errorf("%q: got %#v", tc.in, v.Unstructured())
		} else if err.Error() != tc.want {
			t.Errorf("%q:\ngot  %q\nwant %q", tc.in, err, tc.want)
		}
		if err != nil && v != nil {
			t.Errorf("%q: a value beside an error", tc.in)
		}
	}
}

func TestFromJSONDeep(t *testing.T) {
	for _, item := range []string{"{}", "[]", `{"a":1}`, "[1]"} {
		if _, err := FromJSON([]byte("[" + strings.Repeat(item+",", maxDepth) + "1]")); err != nil {
			t.Errorf("many %s: %v", item, err)
		}
	}
	for _, parts := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
		document := func(n int) []byte {
			return []byte(strings.Repeat(parts[0], n) + "1" + strings.Repeat(parts[1], n))
		}
		if _, err := FromJSON(document(maxDepth)); err != nil {
			t.Error(err)
		}
		for _, n := range []int{maxDepth + 1, 1_000_000} {
			if _, err := FromJSON(document(n)); err == nil || !strings.HasPrefix(err.Error(), "incrementDepth: exceeded max depth") {
				t.Errorf("%d levels: %v", n, err)
			}
		}
	}
}

// FuzzFromJSON checks that FromJSON and encoding/json decode the same data.
func FuzzFromJSON(f *testing.F) {
	for _, tc := range documents {
		f.Add([]byte(tc.in))
	}
	for _, tc := range noDocuments {
		f.Add([]byte(tc.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := FromJSON(in)
		var want any
		if std := json.Unmarshal(in, &want); std == nil && utf8.Valid(in) {
			if err != nil {
				t.Fatalf("%q: %v", in, err)
			}
			wantDeepEqual(t, v.Unstructured(), want)
		}
		if err != nil {
			return
		}
		out, err := ToJSON(v)
		if err != nil || !json.Valid(out) {
			t.Fatalf("%q: wrote %q, %v", in, out, err)
		}
		again, err := FromJSON(out)
		if err != nil {
			t.Fatalf("%q: wrote %q, which is refused: %v", in, out, err)
		}
		if utf8.Valid(in) && !Equals(v, again) {
			t.Fatalf("%q: read back as %q", in, out)
		}
		if second, _ := ToJSON(again); string(second) != string(out) && utf8.Valid(in) {
			t.Fatalf("%q: wrote %q and then %q", in, out, second)
		}
	})
}

func TestDecode(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want any
	}{
		{"null", nil},
		{"true", true},
		{"false", false},
		{`"a\n"`, "a\n"},
		{"\"\xff\"", "\ufffd"},
		{"1", int64(1)},
		{"1 ", int64(1)},
		{" 1", int64(1)},
		{"-0", int64(0)},
		{"1.0", 1.0},
		{"1e3", 1000.0},
		{"9223372036854775807", int64(9223372036854775807)},
		{"9223372036854775808", 9223372036854775808.0},
		{`{"a":[1,1.5,{"b":null}]}`, map[string]any{"a": []any{int64(1), 1.5, map[string]any{"b": nil}}}},
		{"[]", []any{}},
		{"null ", int64(0)}, // the space after null makes it read as a number
	} {
		got, err := decode([]byte(tc.in))
		if err != nil {
			t.Errorf("%q: %v", tc.in, err)
			continue
		}
		wantDeepEqual(t, got, tc.want)
	}
}

func TestDecodeErrors(t *testing.T) {
	deep := strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2)
	for _, tc := range []struct{ in, want string }{
		{"", "error decoding from json: empty value"},
		{`"a`, "error decoding string from json: unexpected EOF"},
		{"{} x", "error decoding object from json: unexpected trailing data at offset 3"},
		{`{"a":01}`, "error decoding object from json: invalid character '1' after object key:value pair"},
		{"[1,]", "error decoding array from json: invalid character ']' looking for beginning of value"},
		{"[1e400]", `error decoding array from json: strconv.ParseFloat: parsing "1e400": value out of range`},
		{"[\"\x01\"]", `error decoding array from json: invalid character '\x01' in string`},
		{"x", "error decoding number from json: invalid character 'x' looking for beginning of value"},
		{"true ", "error decoding number from json: json: cannot unmarshal bool into Go value of type float64"},
	} {
		if _, err := decode([]byte(tc.in)); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%.20q: got %v, want %s", tc.in, err, tc.want)
		}
	}
	// The message comes from encoding/json, and changed in Go 1.27.
	if _, err := decode([]byte(deep)); err == nil || !strings.Contains(err.Error(), "exceeded max depth") {
		t.Errorf("deep data: %v", err)
	}
}

// FuzzDecode checks that decode and decodeSlowly give the same results.
func FuzzDecode(f *testing.F) {
	for _, tc := range documents {
		f.Add([]byte(tc.in))
	}
	for _, tc := range noDocuments {
		f.Add([]byte(tc.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 {
			return
		}
		got, err := decode(in)
		want, wantErr := decodeSlowly(in)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %#v, %v, want %#v, %v", in, got, err, want, wantErr)
		}
	})
}

// TestDecodeSameErrors checks that the error does not depend on the order of Go maps. It must
// be the error of the first key in sorted order.
func TestDecodeSameErrors(t *testing.T) {
	var fields []string
	for i := range 20 {
		fields = append(fields, fmt.Sprintf(`"f%02d": {"a": 1e4%02d, "b": [1, 1e5%02d]}`, i, i, i))
	}
	text := "{" + strings.Join(fields, ",") + "}"
	for range 50 {
		_, err := decode([]byte(text))
		if want := `error decoding object from json: strconv.ParseFloat: parsing "1e400": value out of range`; err == nil || err.Error() != want {
			t.Fatalf("got %v, want %s", err, want)
		}
	}
}

func TestDecodeObject(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want map[string]any
	}{
		{`{}`, map[string]any{}},
		{" {\"a\": [1, -9007199254740993, 9223372036854775807, 1.5]}\n", map[string]any{"a": []any{int64(1), int64(-9007199254740993), int64(9223372036854775807), 1.5}}},
		{`{"a": 9223372036854775808, "b": 1e2, "c": 1.0}`, map[string]any{"a": 9223372036854775808.0, "b": 100.0, "c": 1.0}},
		{`{"a": {"a": true}, "b": [{"a": null}, {"a": "é\u00e9"}]}`, map[string]any{"a": map[string]any{"a": true}, "b": []any{map[string]any{"a": nil}, map[string]any{"a": "éé"}}}},
	} {
		in := []byte(tc.in)
		got, err := DecodeObject(in)
		clear(in)
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: got %#v, %v, want %#v", tc.in, got, err, tc.want)
		}
		// The fallback gives the same result.
		slow, err := decodeUnique([]byte(tc.in))
		if err != nil || !reflect.DeepEqual(slow, any(tc.want)) {
			t.Errorf("%s: the fallback returns %#v, %v", tc.in, slow, err)
		}
	}
}

func TestDecodeObjectErrors(t *testing.T) {
	deep := strings.Repeat(`{"a":`, maxDepth+1) + "1" + strings.Repeat("}", maxDepth+1)
	for _, tc := range []struct{ in, want string }{
		{"", "got no data"},
		{" \n", "got no data"},
		{"null", "want a JSON object, got null"},
		{"[]", "want a JSON object, got []"},
		{" 12 ", "want a JSON object, got 12"},
		{`"` + strings.Repeat("x", 1000) + `"`, `want a JSON object, got "xxxxxxxxxxxxxxxxxxx`},
		{`{"a": 1`, "not a JSON document: unexpected EOF"},
		{"{a: 1}", "not a JSON document: invalid character 'a'"},
		{`{"a": NaN}`, "invalid character 'N'"},
		{`{"a": 1} {}`, "unexpected trailing data at offset 9"},
		{`{"a": 1e400}`, "value out of range"},
		{"{\"a\": \"\xff\"}", "the JSON contains invalid UTF-8"},
		{`{"a": 1, "b": 2, "a": 3}`, `an object has the key "a" twice, the second time before offset 20`},
		{`{"x": [{"a": 1, "\u0061": 3}]}`, `an object has the key "a" twice`},
		{deep, "exceeded max depth"},
	} {
		v, err := DecodeObject([]byte(tc.in))
		if err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 200 {
			t.Errorf("%.50q: got %v, want %s", tc.in, err, tc.want)
		}
		if v != nil {
			t.Errorf("%.50q: got a value", tc.in)
		}
	}
}
