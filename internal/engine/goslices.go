package engine

import (
	"reflect"
	"unsafe"

	"github.com/dovetail-ssa/dovetail/value"
)

// goSlices tells of lists of plain data which Go slices they were made of. Two lists that
// it both knows are equal if the slices are: nil, empty and, where a type converts
// itself, another form of the same differ, whatever their JSON is. Nil knows none.
type goSlices struct {
	of map[*any]reflect.Value
}

// reflected is a value that was found by reflection.
type reflected interface {
	// Lowered is Unstructured. It tells of each list, which is never without an
	// address, the slice that it is made of.
	Lowered(made func(list []any, from reflect.Value)) any
}

// plain is v.Unstructured, and remembers what its lists are made of.
func (s *goSlices) plain(v value.Value) any {
	r, ok := v.(reflected)
	if !ok || s == nil {
		return v.Unstructured()
	}
	return r.Lowered(func(list []any, from reflect.Value) {
		if s.of == nil {
			s.of = map[*any]reflect.Value{}
		}
		s.of[unsafe.SliceData(list)] = from
	})
}

// equal is value.EqualUnstructured but for lists that are both known.
func (s *goSlices) equal(a, b any) bool {
	if s == nil || len(s.of) == 0 {
		return value.EqualUnstructured(a, b)
	}
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok {
			return false
		}
		x, isLeft := s.of[unsafe.SliceData(a)]
		y, isRight := s.of[unsafe.SliceData(b)]
		if isLeft && isRight {
			return reflect.DeepEqual(x.Interface(), y.Interface())
		}
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if !s.equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, x := range a {
			if y, ok := b[k]; !ok || !s.equal(x, y) {
				return false
			}
		}
		return true
	}
	return value.EqualUnstructured(a, b)
}
