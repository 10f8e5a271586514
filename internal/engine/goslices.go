// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/dovetail-ssa/dovetail/internal/scratch"
	"github.com/dovetail-ssa/dovetail/value"
)

// goSlices tells of lists of plain data which Go slices they were made of. Two lists that
// are both known are equal if the slices are: nil, empty and, where a type converts
// itself, another form of the same differ, whatever their JSON is.
type goSlices struct {
	of map[*any]goSlice
	// learned is learn, made a function once.
	learned func(list []any, from reflect.Value)

	mu sync.Mutex
	// same are slices, each with another one that it was found equal to.
	same map[unsafe.Pointer]unsafe.Pointer
}

// goSlice is a slice: its likeness, and where it is.
type goSlice struct {
	*likeness
	at unsafe.Pointer
}

func newGoSlices() *goSlices {
	s := &goSlices{of: map[*any]goSlice{}, same: map[unsafe.Pointer]unsafe.Pointer{}}
	s.learned = s.learn
	return s
}

// spareSlices are for comparisons that keep nothing of what they make.
var spareSlices = sync.Pool{New: func() any { return newGoSlices() }}

func (s *goSlices) done() {
	if s != nil && len(s.of) <= scratch.MaxKept {
		clear(s.of)
		clear(s.same)
		spareSlices.Put(s)
	}
}

func (s *goSlices) learn(list []any, from reflect.Value) {
	if !from.CanAddr() {
		copied := reflect.New(from.Type()).Elem()
		copied.Set(from)
		from = copied
	}
	s.of[unsafe.SliceData(list)] = goSlice{likenessOf(from.Type()), from.Addr().UnsafePointer()}
}

// plain is v.Unstructured, and remembers what its lists are made of. Nil does not.
func (s *goSlices) plain(v value.Value) any {
	r, ok := v.(interface {
		Lowered(made func(list []any, from reflect.Value)) any
	})
	if !ok || s == nil {
		return v.Unstructured()
	}
	return r.Lowered(s.learned)
}

// Equal is value.EqualUnstructured but for lists that are both known.
func (s *goSlices) Equal(left, right any, other Origin) bool {
	k := pairedSlices{left: s, right: other.(*goSlices)}
	return k.equal(left, right)
}

// pairedSlices are what two values were made of.
type pairedSlices struct{ left, right *goSlices }

func (k *pairedSlices) find(list []any) (goSlice, bool) {
	p := unsafe.SliceData(list)
	from, ok := k.left.of[p]
	if !ok && k.left != k.right {
		from, ok = k.right.of[p]
	}
	return from, ok
}

func (k *pairedSlices) equal(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok {
			return false
		}
		x, isLeft := k.find(a)
		y, isRight := k.find(b)
		switch {
		case isLeft && isRight:
			return k.left.equal(x, y, a, b)
		case len(a) != len(b):
			return false
		}
		for i := range a {
			if !k.equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, x := range a {
			if y, ok := b[name]; !ok || !k.equal(x, y) {
				return false
			}
		}
		return true
	}
	return value.EqualUnstructured(a, b)
}

// equal says whether two slices, of which a and b were made, are equal to
// reflect.DeepEqual. That is asked last and once, since it allocates.
func (s *goSlices) equal(x, y goSlice, a, b []any) bool {
	if x.typ != y.typ || len(a) != len(b) {
		return false
	}
	if (*sliceHeader)(x.at).data == (*sliceHeader)(y.at).data {
		return true
	}
	s.mu.Lock()
	other, ok := s.same[x.at]
	s.mu.Unlock()
	if ok && other == y.at {
		return true
	}
	for i := range a {
		if !value.EqualUnstructured(a[i], b[i]) {
			return false // what has another form is another value
		}
	}
	if !x.likeness.same(x.at, y.at, 0) && !reflect.DeepEqual(reflect.NewAt(x.typ, x.at).Elem().Interface(), reflect.NewAt(y.typ, y.at).Elem().Interface()) {
		return false
	}
	s.mu.Lock()
	s.same[x.at] = y.at
	s.mu.Unlock()
	return true
}
