// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

// unhex converts hexadecimal digits to bytes and puts the CBOR tag in front. Spaces are
// ignored.
func unhex(t testing.TB, digits string) []byte {
	data, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(cborTag), data...)
}

func TestCBOR(t *testing.T) {
	for name, tt := range map[string]struct {
		data string
		want any
		err  string
	}{
		"null, booleans":           {data: "83 f6 f5 f4", want: []any{nil, true, false}},
		"integers":                 {data: "84 00 20 1b7fffffffffffffff 3b7fffffffffffffff", want: []any{int64(0), int64(-1), int64(math.MaxInt64), int64(math.MinInt64)}},
		"floats":                   {data: "83 f93c00 fa3fc00000 fb3ff199999999999a", want: []any{1.0, 1.5, 1.1}},
		"texts":                    {data: "82 6161 4162", want: []any{"a", "b"}},
		"text in parts":            {data: "7f 6161 6162 ff", want: "ab"},
		"a character in two parts": {data: "5f 41c3 41a9 ff", want: "é"},
		"bytes for base64":         {data: "d6 43 ff0001", want: "/wAB"},
		"bytes of base64":          {data: "82 d6 41ff 4161", want: []any{"/w==", "a"}},
		"mapping":                  {data: "a2 6161 01 4162 80", want: map[string]any{"a": int64(1), "b": []any{}}},
		"without lengths":          {data: "bf 6161 9f 01 02 ff ff", want: map[string]any{"a": []any{int64(1), int64(2)}}},
		"unknown tag":              {data: "d9ffff 01", want: int64(1)},
		"tag within":               {data: "d9d9f7 01", want: int64(1)},

		"nothing":                    {err: "f: byte 3: not CBOR: the data ends too early"},
		"ends in a head":             {data: "1900", err: "f: byte 5: not CBOR: the data ends too early"},
		"ends in a text":             {data: "a1 6161 65 61", err: "f: .a: byte 8: not CBOR: the data ends too early"},
		"ends in a list":             {data: "83 01", err: "f: [1]: byte 5: not CBOR: the data ends too early"},
		"ends without a break":       {data: "9f 01", err: "f: [1]: byte 5: not CBOR: the data ends too early"},
		"a very long list":           {data: "9b7fffffffffffffff", err: "f: [0]: byte 12: not CBOR: the data ends too early"},
		"a very long text":           {data: "7bffffffffffffffff", err: "f: byte 12: not CBOR: the data ends too early"},
		"reserved":                   {data: "81 1c", err: "f: [0]: byte 4: not CBOR: no value begins with 1c"},
		"a break":                    {data: "81 ff", err: "f: [0]: byte 4: not CBOR: unexpected break"},
		"part of another kind":       {data: "7f 4161 ff", err: "f: byte 4: not CBOR: each part of a string must be a string of known length, got a byte string"},
		"key given twice":            {data: "a1 6161 a2 6162 01 6162 02", err: "f: .a.b: byte 10: duplicate key, first used at byte 7"},
		"key given twice as bytes":   {data: "a2 6162 01 4162 02", err: "f: .b: byte 7: duplicate key, first used at byte 4"},
		"a number as key":            {data: "a1 01 02", err: "f: byte 4: want a string as a key, got a number"},
		"not UTF-8":                  {data: "81 61ff", err: "f: [0]: byte 4: want a UTF-8 string, got invalid bytes"},
		"bytes that are not UTF-8":   {data: "81 41ff", err: "f: [0]: byte 4: want a UTF-8 string, got invalid bytes"},
		"too large":                  {data: "81 1b8000000000000000", err: "f: [0]: byte 4: number out of range"},
		"too small":                  {data: "81 3b8000000000000000", err: "f: [0]: byte 4: number out of range"},
		"bignum":                     {data: "81 c2 4101", err: "f: [0]: byte 4: number out of range"},
		"NaN":                        {data: "81 f97e00", err: "f: [0]: byte 4: NaN and infinity are not JSON numbers"},
		"infinity":                   {data: "81 fb7ff0000000000000", err: "f: [0]: byte 4: NaN and infinity are not JSON numbers"},
		"undefined":                  {data: "81 f7", err: "f: [0]: byte 4: want true, false, null or a number, got the simple value 23, which JSON does not have"},
		"a time that is none":        {data: "c0 6161", err: "f: byte 0: Kubernetes cannot read this CBOR: a value has the tag of a time, but is not a time"},
		"something behind the value": {data: "01 02", err: "f: byte 4: want the end of the file, or the tag d9d9f7 of the next object, got 02"},
		"deep":                       {data: strings.Repeat("81", 20_000), err: "f: byte 10003: nested more than 10000 levels deep"},
		"deep in tags":               {data: strings.Repeat("c6", 20_000), err: "f: byte 10003: nested more than 10000 levels deep"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadValues("f", unhex(t, tt.data))
			text := ""
			if err != nil {
				text = err.Error()
			}
			if text != tt.err {
				t.Errorf("got %.300s, want %s", text, tt.err)
			}
			if tt.err == "" && (len(got) != 1 || !reflect.DeepEqual(got[0], tt.want)) {
				t.Errorf("got %#v, want %#v", got, tt.want)
			}
		})
	}
}

// Objects in CBOR behave like other objects, but their positions have no lines. A file may
// contain several objects.
func TestReadCBOR(t *testing.T) {
	var data []byte
	for _, v := range []any{
		map[string]any{"apiVersion": "v1", "kind": "A", "metadata": map[string]any{"name": "a"}},
		map[string]any{"apiVersion": "v1", "kind": "BList", "items": []any{map[string]any{"metadata": map[string]any{"name": "\n---\n"}}}},
	} {
		text, err := cbor.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		data = append(append(data, cborTag...), text...)
	}
	objects, err := Read("f", data)
	if err != nil || len(objects) != 2 {
		t.Fatalf("got %d objects, %v", len(objects), err)
	}
	if got := objects[1].Identity(); got != (Identity{APIVersion: "v1", Kind: "B", Name: "\n---\n"}) {
		t.Errorf("got %v", got)
	}
	if got := objects[0].Errorf(".metadata.name", "is wrong").Error(); got != "f: .metadata.name: is wrong" {
		t.Errorf("got %q", got)
	}
	if _, err := Edit("f", data, func(*Object) ([]Change, error) { return nil, nil }); err == nil || err.Error() != "f: CBOR files cannot be edited; convert the file to YAML or JSON" {
		t.Errorf("got %v", err)
	}
	if _, err := objects[0].Rewritten(objects[0].Content); err == nil || err.Error() != "the object is not the only value of a YAML document" {
		t.Errorf("got %v", err)
	}
	text, err := cbor.Marshal(map[string]any{"apiversion": "v1", "kind": "A"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read("f", append([]byte(cborTag), text...)); err == nil || err.Error() != "f: has no apiVersion; rename the field apiversion" {
		t.Errorf("got %v", err)
	}
}

// FuzzCBOR compares the walk, which reports errors, with the library, which decodes
// values. Both must reject the same data, with three exceptions: byte strings that are not
// UTF-8, keys of mappings, and tags whose content only the library checks.
func FuzzCBOR(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		text, err := cbor.Marshal(randomPlain(r, 4))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		for range 3 {
			bad := append([]byte{}, text...)
			bad[r.IntN(len(bad))] = byte(r.Uint32())
			f.Add(bad)
		}
	}
	for _, digits := range []string{"bf61619f0102ffff", "5f41c341a9ff", "d643ff0001", "c06161", "f818", "a2616201416202", "c11b00f9f61881bb1a18"} {
		f.Add(unhex(f, digits)[len(cborTag):])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := cborWalk{data: data}
		_, wrong := w.value(1, false)
		var v any
		rest, err := cborMode().UnmarshalFirst(data, &v)
		switch {
		case wrong == nil && err == nil && w.at != len(data)-len(rest):
			t.Errorf("%x: the walk ends at byte %d, the library at %d", data, w.at, len(data)-len(rest))
		case wrong != nil && err == nil && !strings.Contains(wrong.message, "UTF-8") && !strings.Contains(wrong.message, "key"):
			t.Errorf("%x: byte %d: %s, and the library reads %#v", data, wrong.at, wrong.message, v)
		case wrong == nil && err != nil && !strings.Contains(err.Error(), "time.Time") && !strings.Contains(err.Error(), "decoded time") && !strings.Contains(err.Error(), "tag number") && !strings.Contains(err.Error(), "tag content"):
			t.Errorf("%x: the library says %v", data, err)
		}
	})
}

func randomPlain(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case depth > 0 && n < 3:
		m := map[string]any{}
		for range r.IntN(5) {
			m[string(rune('a'+r.IntN(9)))] = randomPlain(r, depth-1)
		}
		return m
	case depth > 0 && n < 5:
		l := []any{}
		for range r.IntN(5) {
			l = append(l, randomPlain(r, depth-1))
		}
		return l
	case n == 5:
		return r.Float64()
	case n == 6:
		return r.Int64() >> r.IntN(64)
	case n == 7:
		return []any{nil, true, false}[r.IntN(3)]
	}
	return strings.Repeat("é", r.IntN(30))
}

// Encoding a value and decoding it again must not change it.
func TestCBORRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 3000 {
		want := randomPlain(r, 5)
		text, err := cbor.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadValues("f", append([]byte(cborTag), text...))
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Fatalf("%x: got %#v, %v, want %#v", text, got, err, want)
		}
	}
}
