// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
)

type text string

func (t text) MarshalText() ([]byte, error) {
	if t == "bad" {
		return nil, errors.New("bad text")
	}
	return []byte("<" + t + ">"), nil
}

type own struct{ json string }

func (o own) MarshalJSON() ([]byte, error) {
	if o.json == "" {
		return nil, errors.New("no json")
	}
	return []byte(o.json), nil
}

type ownPointer struct{ N int }

func (*ownPointer) MarshalJSON() ([]byte, error) { return []byte(`"own"`), nil }

func TestToJSON(t *testing.T) {
	type name string
	type number int
	type octets []byte
	one := 1
	for _, tc := range []struct {
		in   any
		want string
		why  string
	}{
		{nil, "null", ""},
		{true, "true", ""},
		{"a", `"a"`, ""},
		{"<é>&\u2028\u2029\"\\/\n\r\t\b\f\x00\x7f", `"\u003cé\u003e\u0026\u2028\u2029\"\\/\n\r\t\u0008\u000c\u0000` + "\x7f\"", ""},
		{"a\xffb\xc3", `"a\ufffdb\ufffd"`, ""},
		{1, "1", ""}, {int8(-1), "-1", ""}, {int64(math.MinInt64), "-9223372036854775808", ""},
		{uint32(7), "7", ""}, {uint64(math.MaxUint64), "18446744073709551615", ""},
		{0.0, "0", ""}, {math.Copysign(0, -1), "-0", ""}, {1.0, "1", ""}, {0.1, "0.1", ""},
		{1e-6, "0.000001", ""}, {1e-7, "1e-07", "two digits"}, {1e20, "100000000000000000000", ""}, {1e21, "1e+21", ""},
		{float32(0.1), "0.1", "as a float32"}, {float32(1e-7), "1e-07", ""}, {float32(1e21), "1e+21", ""}, {float32(1e-6), "0.000001", ""},
		{[]any{}, "[]", ""}, {[]any(nil), "null", ""}, {[]any{1, "a", nil}, `[1,"a",null]`, ""},
		{map[string]any{}, "{}", ""}, {map[string]any(nil), "null", ""}, {map[any]any(nil), "null", ""},
		{map[string]any{"b": 1, "a": map[string]any{"<": 2}, "": 3}, `{"":3,"a":{"\u003c":2},"b":1}`, "sorted, keys escaped too"},
		{map[string]any{"\xff": 1, "\uffff": 2, "a": 3}, "{\"a\":3,\"\\ufffd\":1,\"\uffff\":2}", "sorted as they are written"},
		{map[any]any{"b": 1, 1: 2, true: 3, 1.5: 4, name("n"): 5, text("t"): 6, uint8(9): 7}, `{"1":2,"1.5":4,"9":7,"\u003ct\u003e":6,"b":1,"n":5,"true":3}`, ""},
		{map[int]string{2: "b", 10: "a"}, `{"10":"a","2":"b"}`, ""},
		{[]byte("hi"), `"aGk="`, ""}, {[]byte(nil), "null", ""},
		{octets("hi"), `"aGk="`, "as a []byte"}, {[2]byte{1, 2}, "[1,2]", "not as a []byte"}, {[]uint16{1}, "[1]", ""},
		{[]string{"a"}, `["a"]`, ""}, {[2]bool{true}, "[true,false]", ""}, {[]string(nil), "null", ""},
		{name("<"), `"\u003c"`, ""}, {number(3), "3", ""},
		{&one, "1", ""}, {(*int)(nil), "null", ""}, {[]*int{nil, &one}, "[null,1]", ""},
		{json.Number("1.50"), "1.50", ""}, {json.Number(""), "0", ""},
		{json.RawMessage(`{"a": 1}`), `{"a": 1}`, ""}, {json.RawMessage(`{`), "null", ""},
		{own{"[ 1 ]\n"}, "[ 1 ]", ""}, {text("t"), `"\u003ct\u003e"`, ""},
		{[]ownPointer{{}}, `["own"]`, ""}, {[]any{ownPointer{1}}, `[{"N":1}]`, "not addressable"},
		{struct {
			A int `json:"a"`
		}{1}, `{"a":1}`, ""},
	} {
		got, err := ToJSON(NewValueInterface(tc.in))
		if err != nil || string(got) != tc.want {
			t.Errorf("%#v: got %s, %v, want %s %s", tc.in, got, err, tc.want, tc.why)
		}
	}
}

func TestToJSONErrors(t *testing.T) {
	cycle := map[string]any{}
	cycle["again"] = []any{cycle}
	var pointer any
	pointer = &pointer
	for _, tc := range []struct {
		name string
		in   any
		want string
	}{
		{"NaN", math.NaN(), "unsupported value: NaN"},
		{"infinity", []any{float32(math.Inf(1))}, "unsupported value: +Inf"},
		{"key", map[any]any{math.Inf(-1): 1}, "unsupported value: -Inf"},
		{"channel", map[string]any{"a": make(chan int)}, "chan int is unsupported type"},
		{"complex", []complex64{1}, "complex64 is unsupported type"},
		{"struct as key", map[any]any{struct{}{}: 1}, "unsupported map key type: struct {}"},
		{"nil as key", map[any]any{nil: 1}, "unsupported map key type: <nil>"},
		{"marshaler", own{}, "no json"},
		{"text", text("bad"), "bad text"},
		{"text as key", map[text]int{"bad": 1}, "bad text"},
		{"cycle", cycle, "exceeded max depth of 10000"},
		{"pointer to itself", pointer, "exceeded max depth of 10000"},
		{"deep", nested(maxDepth + 1), "exceeded max depth of 10000"},
		{"very deep", nested(1_000_000), "exceeded max depth of 10000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, err := ToJSON(NewValueInterface(tc.in))
			if err == nil || err.Error() != tc.want || b != nil {
				t.Errorf("got %.40s, %v, want %s", b, err, tc.want)
			}
		})
	}
	if _, err := ToJSON(NewValueInterface(nested(maxDepth))); err != nil {
		t.Error(err)
	}
	for _, tc := range []struct {
		in   func(any) any
		core any
	}{
		{func(v any) any { return map[any]any{"a": v} }, map[any]any{}},
		{func(v any) any { return map[string]any{"a": v} }, map[string]any{}},
		{func(v any) any { return map[int]any{1: v} }, map[int]any{}},
		{func(v any) any { return []any{v} }, []any{}},
	} {
		v, in := tc.core, tc.in
		for range maxDepth - 1 {
			v = in(v)
		}
		if _, err := ToJSON(NewValueInterface(v)); err != nil {
			t.Errorf("%T: %v", v, err)
		}
		if _, err := ToJSON(NewValueInterface(in(v))); err == nil {
			t.Errorf("%T: wrote data that is too deep", v)
		}
	}
}

func TestToYAML(t *testing.T) {
	got, err := ToYAML(NewValueInterface(map[string]any{"b": []any{1, "yes"}, "a": nil}))
	if want := "a: null\nb:\n- 1\n- \"yes\"\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if tooDeep(nested(maxDepth), 0) || !tooDeep(nested(maxDepth+1), 0) {
		t.Errorf("YAML does not allow the depth of JSON")
	}
	if got, err := ToYAML(NewValueInterface(nested(1_000_000))); err == nil {
		t.Errorf("got %d bytes", len(got))
	}
	cycle := map[any]any{}
	cycle["again"] = cycle
	if _, err := ToYAML(NewValueInterface(cycle)); err == nil {
		t.Error("wrote a cycle")
	}
}

func TestToString(t *testing.T) {
	for _, tc := range []struct {
		in   any
		want string
	}{
		{nil, "null"}, {1, "1"}, {1.0, "1"}, {1e6, "1e+06"}, {1e-7, "1e-07"}, {float32(0.1), "0.10000000149011612"},
		{"a\"<", `"a\"<"`}, {true, "true"}, {uint64(1), "{{undefined}}"},
		{[]any{1, []any{}, "a"}, `[1,[],"a"]`},
		{map[string]any{}, ""}, {map[string]any{"b": 2, "a": []any{1}, "c": map[any]any{"y": 1, "x": 2}}, "a=[1]b=2c=x=2y=1"},
	} {
		for _, v := range []Value{NewValueInterface(tc.in), opaque{NewValueInterface(tc.in)}} {
			if got := ToString(v); got != tc.want {
				t.Errorf("%#v: got %s, want %s", tc.in, got, tc.want)
			}
		}
	}
	depth := 100_000
	if got, want := len(ToString(NewValueInterface(nested(depth)))), 2*depth+len(`"core"`); got != want {
		t.Errorf("deep: %d bytes, want %d", got, want)
	}
}

func TestToYAMLOfUnknownType(t *testing.T) {
	if out, err := ToYAML(NewValueInterface(map[string]any{"a": complex(1, 2)})); err == nil {
		t.Errorf("got %q, want an error", out)
	}
}
