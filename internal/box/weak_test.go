// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package box

import (
	"reflect"
	"runtime"
	"sync"
	"testing"
	"unsafe"
	"weak"
)

// TestWeakIsAPointer checks the facts that Weak relies on. A weak.Pointer is one pointer in
// memory. It is nil in the zero value, and equal for equal referents.
func TestWeakIsAPointer(t *testing.T) {
	if size := unsafe.Sizeof(weak.Pointer[int]{}); size != unsafe.Sizeof(unsafe.Pointer(nil)) {
		t.Fatalf("weak.Pointer has %d bytes", size)
	}
	pointers := 0
	for _, f := range reflect.VisibleFields(reflect.TypeOf(weak.Pointer[int]{})) {
		if f.Type.Kind() == reflect.UnsafePointer {
			pointers++
		} else if f.Type.Size() != 0 {
			t.Errorf("weak.Pointer has a field %s", f.Type)
		}
	}
	if pointers != 1 {
		t.Errorf("weak.Pointer has %d pointers", pointers)
	}
	var none weak.Pointer[int]
	if *(*unsafe.Pointer)(unsafe.Pointer(&none)) != nil {
		t.Error("the zero weak.Pointer is not nil")
	}
	p := new(int)
	a, b := weak.Make(p), weak.Make(p)
	if *(*unsafe.Pointer)(unsafe.Pointer(&a)) != *(*unsafe.Pointer)(unsafe.Pointer(&b)) {
		t.Error("two weak.Pointers to one variable differ")
	}
	runtime.KeepAlive(p)
}

func TestWeak(t *testing.T) {
	var w Weak[[4]int]
	if w.Load() != nil {
		t.Fatal("the zero Weak refers to something")
	}
	p := w.LoadOrNew()
	p[1] = 7
	if w.Load() != p || w.LoadOrNew() != p {
		t.Error("the referent is another one while it is held")
	}
	runtime.KeepAlive(p)
	p = nil
	for range 10 {
		runtime.GC()
	}
	if got := w.Load(); got != nil {
		t.Errorf("the referent %v is still there", got)
	}
	if p = w.LoadOrNew(); p[1] != 0 {
		t.Error("the new referent is the old one")
	}
}

// TestWeakConcurrently checks that goroutines that use a Weak at the same time get the same
// value, even if the garbage collector frees the value between uses.
func TestWeakConcurrently(t *testing.T) {
	for range 200 {
		var w Weak[[4]int]
		var all sync.WaitGroup
		results := make([]*[4]int, 8)
		for i := range results {
			all.Add(1)
			go func() {
				defer all.Done()
				for range 20 {
					results[i] = w.LoadOrNew()
					if got := w.Load(); got != results[i] {
						t.Errorf("got %p, want %p", got, results[i])
					}
				}
			}()
		}
		runtime.GC()
		all.Wait()
		for _, p := range results {
			if p != results[0] {
				t.Fatal("two goroutines hold different referents")
			}
		}
	}
}
