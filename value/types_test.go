// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
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

// In outer, three is the last of two fields, although the deeper one, and one
// is the last of two as well.
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

// themselves refers to its own type in every way a type can.
type themselves struct {
	//lint:ignore U1000 embedding is its use
	*themselves
	Pointer *themselves           `json:"pointer,omitempty"`
	List    []themselves          `json:"list,omitempty"`
	Map     map[string]themselves `json:"map,omitempty"`
}

func TestTypeReflectEntryOfFields(t *testing.T) {
	for _, tc := range []struct {
		name string
		typ  reflect.Type
		want []string
	}{
		{"embedded, to any depth", reflect.TypeFor[outer](), []string{"-", "Kept", "Middle", "name", "one", "three", "two"}},
		{"recursive", reflect.TypeFor[themselves](), []string{"list", "map", "pointer"}},
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
		t.Error("the zero entry knows something")
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
	type a struct{ B []*themselves }
	type b struct{ A map[string]a }
	var wg sync.WaitGroup
	entries := make([]*TypeReflectCacheEntry, 16)
	for i := range entries {
		wg.Add(1)
		go func() {
			defer wg.Done()
			v := reflected(t, &b{A: map[string]a{"x": {B: []*themselves{{}}}}})
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
