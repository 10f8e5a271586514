// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

type mixed struct {
	A     int8
	B     int64
	c     bool
	Text  string
	Float float64
	Ptr   *mixed
	List  []mixed
	Bytes []byte
	Map   map[string]string
	Other map[string]int
	Maps  map[key]mixed
	Any   any
	Func  func()
	In    struct{ X, Y int32 }
}

type key string

func TestAlike(t *testing.T) {
	nan := math.NaN()
	same := []func() mixed{
		func() mixed { return mixed{} },
		func() mixed { return mixed{A: 1, B: 2, c: true, Text: "x", Float: 1.5, In: struct{ X, Y int32 }{1, 2}} },
		func() mixed { return mixed{Ptr: &mixed{Text: "y"}, List: []mixed{{A: 1}, {}}, Bytes: []byte("b")} },
		func() mixed {
			return mixed{Map: map[string]string{"a": "b"}, Other: map[string]int{"a": 1}, Any: []any{"x"}}
		},
		func() mixed { return mixed{List: []mixed{}, Bytes: []byte{}, Map: map[string]string{}} },
	}
	sameness := samenessOf(reflect.TypeFor[mixed]())
	inOneMemory := func(a, b *mixed) bool {
		return sameness.same(reflect.ValueOf(a).UnsafePointer(), reflect.ValueOf(b).UnsafePointer())
	}
	for i := range same {
		for j := range same {
			a, b := same[i](), same[j]()
			if got := inOneMemory(&a, &b); got != (i == j) {
				t.Errorf("%+v and %+v: got %v", a, b, got)
			}
		}
	}
	full := func() *mixed {
		x := same[1]()
		x.Ptr, x.List, x.Bytes = &mixed{Text: "y"}, []mixed{{A: 1}, {}}, []byte("b")
		x.Map, x.Other, x.Any = map[string]string{"a": "b"}, map[string]int{"a": 1}, 1
		x.Maps = map[key]mixed{"k": {Text: "y", Maps: map[key]mixed{"l": {}}}, "l": {}}
		return &x
	}
	if !inOneMemory(full(), full()) {
		t.Error("the same is not the same")
	}
	if x, y := full(), full(); true {
		x.Maps, y.Maps = map[key]mixed{"a": {Text: "z"}}, map[key]mixed{"b": {Text: "z"}}
		if inOneMemory(x, y) {
			t.Error("other keys are not seen")
		}
	}
	for name, change := range map[string]func(*mixed){
		"Maps":   func(x *mixed) { x.Maps["k"] = mixed{Text: "z"} },
		"empty":  func(x *mixed) { x.Maps = map[key]mixed{} },
		"null":   func(x *mixed) { x.Maps = nil },
		"A":      func(x *mixed) { x.A++ },
		"B":      func(x *mixed) { x.B++ },
		"c":      func(x *mixed) { x.c = false },
		"Text":   func(x *mixed) { x.Text = "z" },
		"Float":  func(x *mixed) { x.Float = 2 },
		"Ptr":    func(x *mixed) { x.Ptr.Text = "z" },
		"no Ptr": func(x *mixed) { x.Ptr = nil },
		"List":   func(x *mixed) { x.List[1].A = 1 },
		"longer": func(x *mixed) { x.List = append(x.List, mixed{}) },
		"Bytes":  func(x *mixed) { x.Bytes[0]++ },
		"Map":    func(x *mixed) { x.Map["a"] = "c" },
		"key":    func(x *mixed) { x.Map = map[string]string{"b": "b"} },
		"no Map": func(x *mixed) { x.Map = nil },
		"Other":  func(x *mixed) { x.Other["a"] = 2 },
		"Any":    func(x *mixed) { x.Any = "1" },
		"In":     func(x *mixed) { x.In.Y++ },
		"Func":   func(x *mixed) { x.Func = func() {} },
	} {
		x := full()
		change(x)
		if inOneMemory(x, full()) || inOneMemory(full(), x) {
			t.Errorf("a change of %s is not seen", name)
		}
	}
	// A NaN differs from itself. Cyclic data is too deep to compare.
	if x := (&mixed{Float: nan}); inOneMemory(x, x) {
		t.Error("a NaN is like itself")
	}
	x, y := &mixed{}, &mixed{}
	x.Ptr, y.Ptr = x, y
	if inOneMemory(x, y) {
		t.Error("two cycles are the same")
	}
}

// TestAlikeLayouts checks that a field next to numbers in memory is compared according to its
// own type.
func TestAlikeLayouts(t *testing.T) {
	text := func() string { return string([]byte("text")) } // each call allocates a new string
	one := func() *int { n := 1; return &n }
	zero := math.Copysign(0, -1)
	for _, pair := range [][3]any{
		{&struct{ S string }{text()}, &struct{ S string }{text()}, &struct{ S string }{"other"}},
		{&struct {
			S string
			N int64
		}{text(), 1}, &struct {
			S string
			N int64
		}{text(), 1}, &struct {
			S string
			N int64
		}{text(), 2}},
		{&struct {
			N int64
			S string
			M int8
		}{1, text(), 2}, &struct {
			N int64
			S string
			M int8
		}{1, text(), 2}, &struct {
			N int64
			S string
			M int8
		}{1, text(), 3}},
		{&struct {
			P *int
			N int
		}{one(), 1}, &struct {
			P *int
			N int
		}{one(), 1}, &struct {
			P *int
			N int
		}{one(), 2}},
		{&struct {
			F float64
			N int64
		}{0, 1}, &struct {
			F float64
			N int64
		}{zero, 1}, &struct {
			F float64
			N int64
		}{0, 2}},
		{&struct{ F float32 }{0}, &struct{ F float32 }{float32(zero)}, &struct{ F float32 }{1}},
	} {
		l := samenessOf(reflect.TypeOf(pair[0]).Elem())
		at := func(i int) (v reflect.Value) { return reflect.ValueOf(pair[i]) }
		if !l.same(at(0).UnsafePointer(), at(1).UnsafePointer()) || l.same(at(0).UnsafePointer(), at(2).UnsafePointer()) {
			t.Errorf("%+v, %+v and %+v: the first two are the same", pair[0], pair[1], pair[2])
		}
	}
}

// TestSameMemoryIsDeepEqual checks the comparison of the file samememory.go. If it returns
// true for two values, reflect.DeepEqual must return true, too. In nearly all other cases,
// reflect.DeepEqual must return false.
func TestSameMemoryIsDeepEqual(t *testing.T) {
	var random func(r *rand.Rand, depth int) mixed
	random = func(r *rand.Rand, depth int) mixed {
		x := mixed{A: int8(r.IntN(2)), c: r.IntN(2) == 0, Text: []string{"", "a"}[r.IntN(2)], Float: []float64{0, math.Copysign(0, -1), 1.5, math.NaN()}[r.IntN(4)]}
		if depth > 0 && r.IntN(2) == 0 {
			below := random(r, depth-1)
			x.Ptr = &below
		}
		for range r.IntN(3) {
			if depth > 0 {
				x.List = append(x.List, random(r, depth-1))
			}
			x.Bytes = append(x.Bytes, byte(r.IntN(2)))
		}
		x.Map = []map[string]string{nil, {}, {"a": "b"}, {"a": "c"}, {"b": "b"}}[r.IntN(5)]
		if depth > 0 && r.IntN(2) == 0 {
			x.Maps = map[key]mixed{}
			for k := range r.IntN(2 * fewEntries) {
				x.Maps[key(rune('a'+k))] = mixed{A: int8(r.IntN(2))}
			}
		}
		x.Any = []any{nil, 1, "a", []any{}}[r.IntN(4)]
		return x
	}
	sameness := samenessOf(reflect.TypeFor[mixed]())
	alike, unsure := 0, 0
	for seed := range uint64(5000) {
		a := random(rand.New(rand.NewPCG(seed, 0)), 1)
		b := random(rand.New(rand.NewPCG(seed+seed%2, 0)), 1)
		want := reflect.DeepEqual(a, b)
		got, sure := sameness.compare(reflect.ValueOf(&a).UnsafePointer(), reflect.ValueOf(&b).UnsafePointer())
		if got != want {
			t.Fatalf("%d: %+v and %+v: got %v", seed, a, b, got)
		}
		if !sure {
			unsure++
		}
		if got {
			alike++
		}
	}
	if alike < 500 {
		t.Errorf("%d are alike: too few to tell", alike)
	}
	if unsure > 2500 {
		t.Errorf("%d are unsure", unsure)
	}
	// reflect.DeepEqual finds a NaN equal to itself if both values are behind the same
	// pointer, slice or map.
	nan := []mixed{{Float: math.NaN()}}
	for _, x := range []mixed{{List: nan}, {Ptr: &nan[0]}, {Maps: map[key]mixed{"k": nan[0]}}} {
		y := x
		same, sure := sameness.compare(reflect.ValueOf(&x).UnsafePointer(), reflect.ValueOf(&y).UnsafePointer())
		if same || sure || !reflect.DeepEqual(x, y) {
			t.Errorf("%+v: got %v, %v", x, same, sure)
		}
	}
}
