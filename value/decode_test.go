// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

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
		{"null ", int64(0)}, // taken for a number
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
		{"[\"\x01\"]", `error decoding array from json: invalid character '\x01' in string literal`},
		{"x", "error decoding number from json: invalid character 'x' looking for beginning of value"},
		{"true ", "error decoding number from json: json: cannot unmarshal bool into Go value of type float64"},
		{deep, "error decoding array from json: invalid character '[' exceeded max depth"},
	} {
		if _, err := decode([]byte(tc.in)); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%.20q: got %v, want %s", tc.in, err, tc.want)
		}
	}
}

// The quick way of decode and the slow one say the same.
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

// The error is the first by name, whatever the order of Go's maps.
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
