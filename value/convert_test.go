package value

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
)

// raw converts itself by MarshalJSON.
type raw struct{ json string }

func (r raw) MarshalJSON() ([]byte, error)     { return []byte(r.json), nil }
func (r *raw) UnmarshalJSON(data []byte) error { r.json = string(data); return nil }

// rawPointer does so by pointer only.
type rawPointer struct{ json string }

func (r *rawPointer) MarshalJSON() ([]byte, error) { return []byte(r.json), nil }

// direct converts itself without JSON.
type direct struct{ plain any }

func (direct) MarshalJSON() ([]byte, error)  { return nil, errors.New("not asked") }
func (d direct) ToUnstructured() interface{} { return d.plain }

// directPointer does so by pointer only.
type directPointer struct{ plain any }

func (*directPointer) MarshalJSON() ([]byte, error)  { return []byte(`"json"`), nil }
func (d *directPointer) ToUnstructured() interface{} { return d.plain }

// both has a conversion that may fail, which wins.
type both struct{ plain any }

func (both) MarshalJSON() ([]byte, error) { return nil, errors.New("not asked") }
func (both) ToUnstructured() interface{}  { panic("not asked") }
func (b both) ToUnstructuredWithError() (any, error) {
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
		{"interface", reflect.ValueOf(ptr(json.Marshaler(raw{"1"}))).Elem(), int64(1), ""},
		{"direct", reflect.ValueOf(direct{int32(1)}), int32(1), ""},
		{"direct by pointer", reflect.ValueOf(&directPointer{"a"}).Elem(), "a", ""},
		{"direct by pointer, not addressable", reflect.ValueOf(directPointer{"a"}), nil, "provided type cannot be converted: value.directPointer"},
		{"with error", reflect.ValueOf(both{"b"}), "b", ""},
		{"with an error", reflect.ValueOf(both{}), nil, "no plain form"},
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
