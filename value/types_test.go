// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/internal/allocs"
)

type innermost struct {
	One   int `json:"one"`
	Two   int `json:"two"`
	Three int `json:"three"`
}

type inner struct {
	innermost
	Name string `json:"name,omitempty"`
}

type middle struct {
	*inner `json:",inline"`
	Middle bool
}

// outer has two fields with the JSON name three. One of them is in an embedded struct, and
// wins because it comes last. outer also has two fields with the JSON name one, of which the
// last wins.
type outer struct {
	Three string `json:"three"`
	middle
	One  string    `json:"one"`
	Kept innermost `json:",inline"`
	//lint:ignore SA5008 a field named "-" is what is tested
	Renamed inner  `json:"-,"`
	Hidden  string `json:"-"`
	secret  string
}

// recursive refers to itself in all possible ways.
type recursive struct {
	//lint:ignore U1000 embedding is its use
	*recursive
	Pointer *recursive           `json:"pointer,omitempty"`
	List    []recursive          `json:"list,omitempty"`
	Map     map[string]recursive `json:"map,omitempty"`
}

func TestTypeReflectEntryOfFields(t *testing.T) {
	for _, tc := range []struct {
		name string
		typ  reflect.Type
		want []string
	}{
		{"embedded, to any depth", reflect.TypeFor[outer](), []string{"-", "Kept", "Middle", "name", "one", "three", "two"}},
		{"recursive", reflect.TypeFor[recursive](), []string{"list", "map", "pointer"}},
		{"nothing in it", reflect.TypeFor[struct{ a int }](), []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := TypeReflectEntryOf(tc.typ)
			got := []string{}
			for _, f := range e.OrderedFields() {
				got = append(got, f.JsonName)
				if e.Fields()[f.JsonName] != f || f.TypeEntry == nil {
					t.Errorf("field %s", f.JsonName)
				}
			}
			wantDeepEqual(t, got, tc.want)
			if len(e.Fields()) != len(got) {
				t.Errorf("%d fields", len(e.Fields()))
			}
		})
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[*outer](), reflect.TypeFor[[]outer]()} {
		if e := TypeReflectEntryOf(typ); e.Fields() != nil || e.OrderedFields() != nil {
			t.Errorf("%v has fields", typ)
		}
	}
	var none TypeReflectCacheEntry
	if none.Fields() != nil || none.CanConvertToUnstructured() || none.CanConvertFromUnstructured() {
		t.Error("the zero entry has fields or methods")
	}
}

func TestFieldCacheEntryGetFrom(t *testing.T) {
	o := outer{middle: middle{inner: &inner{innermost{1, 2, 3}, "n"}, Middle: true}, One: "last", Three: "lost", secret: "s"}
	fields := TypeReflectEntryOf(reflect.TypeFor[outer]()).Fields()
	for name, want := range map[string]any{"one": "last", "two": 2, "three": 3, "name": "n", "Middle": true} {
		for _, v := range []reflect.Value{reflect.ValueOf(o), reflect.ValueOf(&o)} {
			wantDeepEqual(t, fields[name].GetFrom(v).Interface(), want)
		}
	}
	if got := fields["two"].GetFrom(reflect.ValueOf(outer{})); got.Kind() != reflect.Int || got.Int() != 0 {
		t.Errorf("through a nil pointer: %v", got)
	}
}

func TestTypeReflectEntryOfConcurrent(t *testing.T) {
	type a struct{ B []*recursive }
	type b struct{ A map[string]a }
	var wg sync.WaitGroup
	entries := make([]*TypeReflectCacheEntry, 16)
	for i := range entries {
		wg.Add(1)
		go func() {
			defer wg.Done()
			v := reflected(t, &b{A: map[string]a{"x": {B: []*recursive{{}}}}})
			v.Unstructured()
			entries[i] = TypeReflectEntryOf(reflect.TypeFor[b]())
		}()
	}
	wg.Wait()
	if len(slices.Compact(entries)) != 1 {
		t.Error("one type has several entries")
	}
}

type zeroValue struct{ N int }

func (z zeroValue) IsZero() bool { return z.N == 7 }

type zeroPointer struct{ N int }

func (z *zeroPointer) IsZero() bool { return z.N == 7 }

func TestOmitZeroFunc(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   any // a pointer to the value
		want bool
	}{
		{"int", new(int), true},
		{"struct", &innermost{}, true},
		{"struct with something", &innermost{One: 1}, false},
		{"method", &zeroValue{7}, true},
		{"method against the zero value", &zeroValue{0}, false},
		{"method of the pointer", &zeroPointer{7}, true},
		{"method of the pointer against", &zeroPointer{0}, false},
		{"pointer", ptr(&zeroPointer{7}), true},
		{"nil pointer", new(*zeroPointer), true},
		{"pointer to a value with the method", ptr(&zeroValue{1}), false},
		{"interface", ptr(isZeroer(zeroValue{7})), true},
		{"interface with a pointer", ptr(isZeroer(&zeroPointer{1})), false},
		{"nil interface", new(isZeroer), true},
		{"interface with a nil pointer", ptr(isZeroer((*zeroPointer)(nil))), true},
		{"time", ptr(time.Time{}), true},
		{"some time", ptr(time.Unix(1, 0)), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := reflect.ValueOf(tc.in).Elem()
			if got := OmitZeroFunc(v.Type())(v); got != tc.want {
				t.Errorf("got %v", got)
			}
			if v.Kind() != reflect.Interface {
				v = reflect.ValueOf(v.Interface()) // not addressable
				if got := OmitZeroFunc(v.Type())(v); got != tc.want {
					t.Errorf("a copy: got %v", got)
				}
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

func TestFieldCacheEntryCanOmit(t *testing.T) {
	type s struct {
		Str   string         `json:"str,omitempty"`
		Bool  bool           `json:"bool,omitempty"`
		Int   int8           `json:"int,omitempty"`
		Uint  uint64         `json:"uint,omitempty"`
		Float float32        `json:"float,omitempty"`
		Ptr   *int           `json:"ptr,omitempty"`
		Any   any            `json:"any,omitempty"`
		Map   map[string]int `json:"map,omitempty"`
		List  []int          `json:"list,omitempty"`
		Arr   [0]int         `json:"arr,omitempty"`
		Zero  zeroValue      `json:"zero,omitzero"`

		Struct innermost `json:"struct,omitempty"`
		Kept   *int      `json:"kept"`
	}
	empty := s{Zero: zeroValue{7}, Map: map[string]int{}, List: []int{}}
	full := s{Str: "a", Bool: true, Int: 1, Uint: 1, Float: 1, Ptr: new(int), Any: 0, Map: map[string]int{"": 0}, List: []int{0}}
	for _, f := range TypeReflectEntryOf(reflect.TypeFor[s]()).OrderedFields() {
		omit := f.JsonName != "struct" && f.JsonName != "kept"
		for _, v := range []s{empty, {Zero: zeroValue{7}}} {
			if got := f.CanOmit(f.GetFrom(reflect.ValueOf(v))); got != omit {
				t.Errorf("empty %s: %v", f.JsonName, got)
			}
		}
		if f.CanOmit(f.GetFrom(reflect.ValueOf(full))) && f.JsonName != "arr" {
			t.Errorf("full %s", f.JsonName)
		}
	}
}

// raw has a MarshalJSON method.
type raw struct{ json string }

func (r raw) MarshalJSON() ([]byte, error)     { return []byte(r.json), nil }
func (r *raw) UnmarshalJSON(data []byte) error { r.json = string(data); return nil }

// rawPointer has a MarshalJSON method on the pointer.
type rawPointer struct{ json string }

func (r *rawPointer) MarshalJSON() ([]byte, error) { return []byte(r.json), nil }

// direct has a ToUnstructured method.
type direct struct{ plain any }

func (direct) MarshalJSON() ([]byte, error)  { return nil, errors.New("not asked") }
func (d direct) ToUnstructured() interface{} { return d.plain }

// directPointer has a ToUnstructured method on the pointer.
type directPointer struct{ plain any }

func (*directPointer) MarshalJSON() ([]byte, error)  { return []byte(`"json"`), nil }
func (d *directPointer) ToUnstructured() interface{} { return d.plain }

// bothMethods has the methods ToUnstructured and ToUnstructuredWithError. ToUnstructuredWithError
// takes precedence.
type bothMethods struct{ plain any }

func (bothMethods) MarshalJSON() ([]byte, error) { return nil, errors.New("not asked") }
func (bothMethods) ToUnstructured() interface{}  { panic("not asked") }
func (b bothMethods) ToUnstructuredWithError() (any, error) {
	if b.plain == nil {
		return nil, errors.New("no plain form")
	}
	return b.plain, nil
}

func TestTypeReflectCacheEntryToUnstructured(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   reflect.Value
		want any
		err  string
	}{
		{"json", reflect.ValueOf(raw{`{"a":1}`}), map[string]any{"a": int64(1)}, ""},
		{"json of a pointer", reflect.ValueOf(&raw{"1.5"}), 1.5, ""},
		{"json by pointer", reflect.ValueOf(&rawPointer{"true"}).Elem(), true, ""},
		{"json by pointer, not addressable", reflect.ValueOf(rawPointer{"true"}), nil, "provided type cannot be converted: value.rawPointer"},
		{"nil pointer", reflect.ValueOf((*raw)(nil)), nil, ""},
		{"nil interface", reflect.Zero(reflect.TypeFor[json.Marshaler]()), nil, ""},
		{"nil interface of no methods", reflect.Zero(reflect.TypeFor[any]()), nil, "provided type cannot be converted: interface {}"},
		{"interface", reflect.ValueOf(ptr(json.Marshaler(raw{"1"}))).Elem(), int64(1), ""},
		{"direct", reflect.ValueOf(direct{int32(1)}), int32(1), ""},
		{"direct by pointer", reflect.ValueOf(&directPointer{"a"}).Elem(), "a", ""},
		{"direct by pointer, not addressable", reflect.ValueOf(directPointer{"a"}), nil, "provided type cannot be converted: value.directPointer"},
		{"with error", reflect.ValueOf(bothMethods{"b"}), "b", ""},
		{"with an error", reflect.ValueOf(bothMethods{}), nil, "no plain form"},
		{"marshaler fails", reflect.ValueOf(own{}), nil, "no json"},
		{"marshaler says nonsense", reflect.ValueOf(raw{"["}), nil, "error decoding array from json: unexpected EOF"},
		{"no conversion", reflect.ValueOf(1), nil, "provided type cannot be converted: int"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := TypeReflectEntryOf(tc.in.Type()).ToUnstructured(tc.in)
			if fmt.Sprint(err) != tc.err && (err != nil || tc.err != "") {
				t.Errorf("got error %v, want %s", err, tc.err)
			}
			wantDeepEqual(t, got, tc.want)
		})
	}
}

func TestTypeReflectCacheEntryFromUnstructured(t *testing.T) {
	for _, tc := range []struct {
		in   any
		want string
	}{
		{"plain", `"plain"`},
		{"<é\b>\u2028", `"\u003cé\b\u003e\u2028"`},
		{int64(1), "1"},
		{nil, "null"},
		{map[string]any{"a": []any{1.5}}, `{"a":[1.5]}`},
	} {
		var r raw
		v := reflect.ValueOf(&r).Elem()
		if err := TypeReflectEntryOf(v.Type()).FromUnstructured(reflect.ValueOf(&tc.in).Elem(), v); err != nil || r.json != tc.want {
			t.Errorf("%v: got %s, %v, want %s", tc.in, r.json, err, tc.want)
		}
	}
	v := reflect.New(reflect.TypeFor[int]()).Elem()
	err := TypeReflectEntryOf(v.Type()).FromUnstructured(reflect.ValueOf("a"), v)
	if err == nil || err.Error() != "unable to unmarshal string into int" {
		t.Error(err)
	}
	err = TypeReflectEntryOf(v.Type()).FromUnstructured(reflect.ValueOf(make(chan int)), v)
	if err == nil || err.Error() != "error encoding int to json: json: unsupported type: chan int" {
		t.Error(err)
	}
}

// TestMarshalIsEncodingJSON checks that FromUnstructured passes the same bytes as
// encoding/json to UnmarshalJSON. Types such as FieldsV1 keep these bytes.
func TestMarshalIsEncodingJSON(t *testing.T) {
	deep := any("x")
	for range 2000 {
		deep = []any{deep}
	}
	samples := []any{
		nil, true, false, "", "plain", `quo"te\`, "a\tb\nc\rd", "bell\a\b\f\v\x00\x1f\x7f", "<&>", "\u2028\u2029", "é€😀", "bad\xffutf8", "\xed\xa0\x80",
		int64(math.MaxInt64), int64(math.MinInt64), int(7), uint8(3), 0.0, math.Copysign(0, -1), 1.5, 1e20, 1e21, -1e21, 1e-6, 9.99e-7, 1e-9, 1e300, math.MaxFloat64,
		float32(1e-7), []byte("bytes"), json.Number("12"), []string{"a"}, []any(nil), map[string]any(nil), []any{}, map[string]any{},
		map[string]any{"b": 1.0, "a": int64(2), "": nil, "\xff": 1.0, "\xfe": 2.0, "\ufffd": 3.0},
		map[string]any{"f:metadata": map[string]any{"f:labels": map[string]any{".": map[string]any{}, `k:{"port":80,"protocol":"TCP"}`: map[string]any{}, `v:"<x>"`: map[string]any{}}}},
		[]any{"x", []any{int64(1), map[string]any{"\b": "\f"}}}, deep, math.NaN(), math.Inf(1), func() {},
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		samples = append(samples, randomJSON(rnd, 4))
	}
	for _, v := range samples {
		want, wantErr := json.Marshal(v)
		got, err := marshal(nil, v)
		if string(got) != string(want) || (err == nil) != (wantErr == nil) {
			t.Errorf("%#v: got %s, %v, want %s, %v", v, got, err, want, wantErr)
		}
	}
}

// TestMarshalDoesNotAllocate checks that marshal needs no allocations for plain data.
func TestMarshalDoesNotAllocate(t *testing.T) {
	room := make([]byte, 0, 1<<10)
	many := map[string]any{}
	for _, k := range strings.Split("a b c d e f g h i j k l m n", " ") {
		many[k] = k
	}
	for _, v := range []any{
		nil, true, int64(-1), 0.0, 1e-6, -1e-6, 9.9e20, "text", []any{}, map[string]any{},
		map[string]any{"b": []any{"x", 1.5, nil}, "a": map[string]any{"c": int64(3)}},
	} {
		if n := allocs.Least(func() { marshal(room, v) }); n != 0 {
			t.Errorf("%v: %v allocations", v, n)
		}
	}
	if n := allocs.Least(func() { marshal(room, many) }); n > 1 {
		t.Errorf("%v: %v allocations", many, n)
	}
}

func randomJSON(rnd *rand.Rand, depth int) any {
	text := func() string {
		b := make([]byte, rnd.IntN(6))
		for i := range b {
			b[i] = byte(rnd.IntN(256))
			if rnd.IntN(2) == 0 {
				b[i] %= 128
			}
		}
		return string(b)
	}
	switch n := rnd.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return text()
	case n == 2:
		return rnd.Int64() - rnd.Int64()
	case n == 3:
		return math.Float64frombits(rnd.Uint64()&^(1<<62) | 1<<60)
	case n == 4:
		return rnd.Float64() * 1e6
	case depth == 0:
		return true
	case n == 5:
		list := make([]any, rnd.IntN(4))
		for i := range list {
			list[i] = randomJSON(rnd, depth-1)
		}
		return list
	}
	object := map[string]any{}
	for range rnd.IntN(5) {
		object[text()] = randomJSON(rnd, depth-1)
	}
	return object
}
