// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package box

import (
	"math"
	"reflect"
	"runtime"
	"testing"
	"unsafe"
)

// TestLayout checks each assumption about the memory layout of Go. Package box depends on the
// layout of interface values. Other packages, such as gostruct, take the address of a map,
// or of the items of a slice. If a Go release or a processor uses another layout, the test fails
// with the reason. The CI runs it on 32-bit and 64-bit processors with both byte orders.
func TestLayout(t *testing.T) {
	const word = unsafe.Sizeof(uintptr(0))
	for _, c := range []struct {
		what        string
		size, words uintptr
	}{
		{"an interface", unsafe.Sizeof(any(nil)), 2},
		{"a string", unsafe.Sizeof(""), 2},
		{"a slice", unsafe.Sizeof([]any(nil)), 3},
		{"a map", unsafe.Sizeof(map[string]any(nil)), 1},
		{"a pointer", unsafe.Sizeof((*int)(nil)), 1},
		{"boxed", unsafe.Sizeof(boxed{}), 2},
	} {
		if c.size != c.words*word {
			t.Errorf("%s takes %d bytes, want %d words of %d", c.what, c.size, c.words, word)
		}
	}

	text, list, m := "text", []any{1, 2, 3}, map[string]any{"a": 1}
	if at := *(*unsafe.Pointer)(unsafe.Pointer(&text)); at != unsafe.Pointer(unsafe.StringData(text)) {
		t.Error("a string does not begin with where its bytes are")
	}
	if at := *(*unsafe.Pointer)(unsafe.Pointer(&list)); at != unsafe.Pointer(&list[0]) {
		t.Error("a slice does not begin with where its items are")
	}
	if n := *(*int)(unsafe.Add(unsafe.Pointer(&list), word)); n != 3 {
		t.Errorf("the second word of a slice of 3 items is %d", n)
	}
	if at := *(*unsafe.Pointer)(unsafe.Pointer(&m)); at != reflect.ValueOf(m).UnsafePointer() {
		t.Error("a map is not where it is")
	}

	var a, b any = text, "other"
	inA, inB := (*boxed)(unsafe.Pointer(&a)), (*boxed)(unsafe.Pointer(&b))
	if inA.kind != inB.kind || inA.kind != stringKind || inA.kind == floatKind || inA.data == inB.data {
		t.Error("an interface does not consist of its type and the address of its data")
	}
	if *(*string)(inA.data) != "text" {
		t.Error("the second word of an interface is not the address of its data")
	}
	var p any = &text
	if (*boxed)(unsafe.Pointer(&p)).data != unsafe.Pointer(&text) {
		t.Error("a pointer in an interface is not the second word")
	}
}

// TestBox checks that String and Float do not allocate memory, and compares their results
// with ordinary conversions.
func TestBox(t *testing.T) {
	for _, s := range []string{"", "t", "text", string(make([]byte, 1000))} {
		got, want := String(&s), any(s)
		if got != want || reflect.TypeOf(got) != reflect.TypeOf(want) {
			t.Errorf("got %v of type %T, want %v", got, got, want)
		}
	}
	for _, f := range []float64{0, math.Copysign(0, -1), 1, 1.5, -1e300, math.Inf(1), math.NaN()} {
		got, ok := Float(&f).(float64)
		if !ok || math.Float64bits(got) != math.Float64bits(f) {
			t.Errorf("got %v, want %v", Float(&f), f)
		}
	}
	s, f := "text", 1.5
	if n := testing.AllocsPerRun(100, func() { kept = String(&s); kept = Float(&f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

var kept any

// TestBoxedIsKept checks that the garbage collector keeps the memory that a boxed value
// refers to.
func TestBoxedIsKept(t *testing.T) {
	all := make([]any, 1000)
	for i := range all {
		s := string([]byte{'a' + byte(i%26), byte(i), byte(i >> 8)})
		all[i] = String(&s)
	}
	runtime.GC()
	runtime.GC()
	for i, v := range all {
		if want := string([]byte{'a' + byte(i%26), byte(i), byte(i >> 8)}); v != any(want) {
			t.Fatalf("%d: got %q, want %q", i, v, want)
		}
	}
}

func TestTextAndAddresses(t *testing.T) {
	b := []byte("spec")
	if got := Text(b); got != "spec" || Text(nil) != "" {
		t.Errorf("got %q", got)
	}
	m, n := map[string]any{}, map[string]any{}
	list := []any{1, 2}
	if MapAddress(m) == MapAddress(n) || MapAddress(m) == nil || MapAddress(map[string]any(nil)) != nil {
		t.Error("maps are where others are")
	}
	if ListAddress(list) != ListAddress(list[:1]) || ListAddress(list) == ListAddress(list[1:]) {
		t.Error("lists are where their first item is")
	}
}
