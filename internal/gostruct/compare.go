// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"bytes"
	"encoding/base64"
	"maps"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
	"github.com/dovetail-ssa/dovetail/value"
)

// structured-merge-diff compares Go slices with reflect.DeepEqual. So two items of an atomic
// list differ if a slice in one is nil and in the other is empty, even if omitempty omits both
// from the JSON. Without declarative defaults, the comparisons in this file do the same. With
// declarative defaults, they compare the plain data.

// Reflected is the plain data of a Go value, together with the Go slices from which its lists
// were converted.
type Reflected struct {
	tree   any
	slices *goSlices
}

// Reflect converts a Go value to plain data that can be compared repeatedly.
func Reflect(v value.Value) *Reflected {
	s := newGoSlices()
	return &Reflected{s.plain(v), s}
}

// CompareReflected compares two values of type n that Reflect returned. The parameter facts and
// the results are those of engine.CompareWithOrigins.
func CompareReflected(n *graph.Node, left, right *Reflected, facts engine.Facts) (d *engine.Differences, rulesProven bool, findings diag.Findings) {
	return engine.CompareWithOrigins(n, left.tree, right.tree, facts, left.slices, right.slices)
}

// Compare compares two valid structs of type n. It converts only the fields that differ to plain
// data. The facts must be true for both structs. The first three results are those of
// engine.Compare. ok is false if the structs have different Go types or have conversion methods, or
// if n is not a granular map. The caller must then call CompareReflected.
func Compare(n *graph.Node, left, right reflect.Value, facts engine.Facts) (d *engine.Differences, rulesProven bool, findings diag.Findings, ok bool) {
	if left.Type() != right.Type() || n.Map == nil || n.Map.Atomic || value.TypeReflectEntryOf(left.Addr().Type()).CanConvertToUnstructured() {
		return nil, false, nil, false
	}
	l, err := value.NewValueReflect(left.Addr().Interface())
	r, other := value.NewValueReflect(right.Addr().Interface())
	if err != nil || other != nil {
		return nil, false, nil, false
	}
	var s *goSlices
	if !n.Declarative {
		s = spareSlices.Get().(*goSlices)
		defer s.done()
	}
	x, y := different(n, left, right, l, r, s)
	var origin engine.Origin
	if s != nil {
		origin = s
	}
	d, rulesProven, findings = engine.CompareWithOrigins(n, x, y, facts, origin, origin)
	return d, rulesProven, findings, true
}

// different returns, as plain data, those fields of two structs that differ. If nothing differs,
// both results are empty. If an atomic list differs, the results may have placeholders instead of
// the two lists.
func different(n *graph.Node, left, right reflect.Value, l, r value.Value, known *goSlices) (x, y map[string]any) {
	x, y = map[string]any{}, map[string]any{}
	fields := value.TypeReflectEntryOf(left.Type()).OrderedFields()
	parts, leftAt, rightAt := partsOf(left.Type(), fields), left.Addr().UnsafePointer(), right.Addr().UnsafePointer()
	lm, rm := l.AsMap(), r.AsMap()
	for i, f := range fields {
		surely := false
		var texts textChanges
		if p := &parts[i]; p.sameness != nil {
			a, b := unsafe.Add(leftAt, p.offset), unsafe.Add(rightAt, p.offset)
			if (p.typ == textMap || p.typ == bytesMap) && !n.Declarative && isGranularMap(n.Map.At(f.JsonName)) {
				texts = compareTexts(p.typ, a, b)
			}
			same, sure := texts.known && texts.left == nil, true
			if !texts.known {
				same, sure = p.compare(a, b)
			}
			if same {
				continue
			}
			surely = sure
		}
		a, b := f.GetFrom(left), f.GetFrom(right)
		u, hasLeft := lm.Get(f.JsonName)
		v, hasRight := rm.Get(f.JsonName)
		below := n.Map.At(f.JsonName)
		if hasLeft && hasRight {
			if a, b, ok := structsIn(a, b); ok && isGranularMap(below) {
				if p, q := different(below, a, b, u, v, known); len(p) > 0 || len(q) > 0 {
					x[f.JsonName], y[f.JsonName] = p, q
				}
				continue
			}
		}
		if texts.known && hasLeft && hasRight {
			x[f.JsonName], y[f.JsonName] = texts.left, texts.right
			continue
		}
		if known != nil && below.List != nil && below.List.IsAtomic() && (!hasLeft || u.IsList()) && (!hasRight || v.IsList()) {
			// The comparison only needs to know whether an atomic list is present and whether it
			// changed. It does not need the items.
			isSlice := a.Kind() == reflect.Slice && !f.TypeEntry.CanConvertToUnstructured()
			if hasLeft && hasRight && !(surely && isSlice) && u.AsList().Equals(v.AsList()) {
				continue
			}
			u, v = anyList, anotherList
		}
		if hasLeft {
			x[f.JsonName] = known.plain(u)
		}
		if hasRight {
			y[f.JsonName] = known.plain(v)
		}
	}
	return x, y
}

// textChanges contains the entries that differ between two maps of strings or []byte values, as
// plain data. left and right are nil if the maps are equal. A ConfigMap can have hundreds of
// entries, of which usually only one changes, so converting all entries would be slower.
type textChanges struct {
	left, right map[string]any
	known       bool
}

var bytesMap = reflect.TypeFor[map[string][]byte]()

// compareTexts compares the maps at two addresses. The type of the maps is textMap or bytesMap. It
// compares each entry only once, because an entry can be a megabyte long. If one of the maps is
// nil, it does not compare them, and returns a result in which known is false.
func compareTexts(t reflect.Type, a, b unsafe.Pointer) textChanges {
	if *(*unsafe.Pointer)(a) == nil || *(*unsafe.Pointer)(b) == nil {
		return textChanges{}
	}
	if t == textMap {
		return differentEntries(*(*map[string]string)(a), *(*map[string]string)(b),
			func(s, t string) bool { return s == t }, func(s string) any { return s })
	}
	same := func(s, t []byte) bool { return bytes.Equal(s, t) && (s == nil) == (t == nil) }
	return differentEntries(*(*map[string][]byte)(a), *(*map[string][]byte)(b), same, func(s []byte) any {
		if s == nil {
			return nil
		}
		return base64.StdEncoding.EncodeToString(s)
	})
}

func isGranularMap(n *graph.Node) bool { return n.Map != nil && !n.Map.Atomic }

func differentEntries[V any](a, b map[string]V, same func(s, t V) bool, plain func(V) any) textChanges {
	c := textChanges{known: true}
	if box.SameMap(a, b) {
		return c
	}
	differ := func() {
		if c.left == nil {
			c.left, c.right = map[string]any{}, map[string]any{}
		}
	}
	shared := 0
	for name, s := range a {
		t, ok := b[name]
		if ok {
			shared++
		}
		if !ok || !same(s, t) {
			differ()
			c.left[name] = plain(s)
			if ok {
				c.right[name] = plain(t)
			}
		}
	}
	if shared < len(b) {
		differ()
		for name, t := range b {
			if _, ok := a[name]; !ok {
				c.right[name] = plain(t)
			}
		}
	}
	return c
}

var anyList, anotherList = value.NewValueInterface([]any{}), value.NewValueInterface([]any{nil})

// structsIn returns the structs in two fields of the same type. The fields must be structs or
// non-nil pointers to structs. ok is false for all other fields, and for types with conversion
// methods.
func structsIn(a, b reflect.Value) (x, y reflect.Value, ok bool) {
	if value.TypeReflectEntryOf(a.Type()).CanConvertToUnstructured() {
		return a, b, false
	}
	if a.Kind() == reflect.Pointer {
		if a.IsNil() || b.IsNil() {
			return a, b, false
		}
		a, b = a.Elem(), b.Elem()
	}
	return a, b, a.Kind() == reflect.Struct && a.CanAddr() && b.CanAddr()
}

// goSlices records the Go slices from which lists of plain data were converted. Two recorded
// lists are compared by calling reflect.DeepEqual on their slices. So a nil slice in an item
// differs from an empty slice, although both have the same JSON.
type goSlices struct {
	of map[*any]goSlice
	// recordFunc is the method value s.record. It is stored here, so that it is allocated only
	// once.
	recordFunc func(list []any, from reflect.Value)

	mu sync.Mutex
	// same caches results. It maps the address of a slice to the address of an equal slice.
	same map[unsafe.Pointer]unsafe.Pointer
}

// goSlice is a Go slice, given by the address of the slice variable. sameness compares slices of
// this type.
type goSlice struct {
	*sameness
	at unsafe.Pointer
}

func newGoSlices() *goSlices {
	s := &goSlices{of: map[*any]goSlice{}, same: map[unsafe.Pointer]unsafe.Pointer{}}
	s.recordFunc = s.record
	return s
}

// spareSlices is a pool of goSlices for comparisons whose results do not refer to them.
var spareSlices = sync.Pool{New: func() any { return newGoSlices() }}

func (s *goSlices) done() {
	if s != nil && len(s.of) <= scratch.MaxKept {
		clear(s.of)
		clear(s.same)
		spareSlices.Put(s)
	}
}

// record stores the Go slice from which list was converted.
func (s *goSlices) record(list []any, from reflect.Value) {
	if !from.CanAddr() {
		copied := reflect.New(from.Type()).Elem()
		copied.Set(from)
		from = copied
	}
	s.of[unsafe.SliceData(list)] = goSlice{samenessOf(from.Type()), from.Addr().UnsafePointer()}
}

// plain returns v as plain data. It also records the Go slice of each list in the result,
// unless s is nil.
func (s *goSlices) plain(v value.Value) any {
	r, ok := v.(interface {
		PlainWithSources(onList func(list []any, from reflect.Value)) any
	})
	if !ok || s == nil {
		return v.Unstructured()
	}
	return r.PlainWithSources(s.recordFunc)
}

// Equal reports whether left and right are equal. If s or other has recorded the Go slices of two
// lists, it compares the Go slices. It compares all other values like value.EqualUnstructured.
func (s *goSlices) Equal(left, right any, other engine.Origin) bool {
	return s.equal(left, right, other.(*goSlices))
}

// find returns the slice from which list was converted, if s or other recorded it.
func (s *goSlices) find(list []any, other *goSlices) (goSlice, bool) {
	from, ok := s.of[unsafe.SliceData(list)]
	if !ok && s != other {
		from, ok = other.of[unsafe.SliceData(list)]
	}
	return from, ok
}

func (s *goSlices) equal(a, b any, other *goSlices) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok {
			return false
		}
		x, isLeft := s.find(a, other)
		y, isRight := s.find(b, other)
		if isLeft && isRight {
			return s.equalSlices(x, y, a, b)
		}
		return slices.EqualFunc(a, b, func(x, y any) bool { return s.equal(x, y, other) })
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, func(x, y any) bool { return s.equal(x, y, other) })
	}
	return value.EqualUnstructured(a, b)
}

// equalSlices reports whether two Go slices are equal according to reflect.DeepEqual. The last two
// arguments are the lists to which the slices were converted. reflect.DeepEqual allocates memory,
// so equalSlices first tries cheaper checks, and caches positive results.
func (s *goSlices) equalSlices(x, y goSlice, a, b []any) bool {
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
	switch same, sure := x.compare(x.at, y.at); {
	case same:
	case sure || !slices.EqualFunc(a, b, value.EqualUnstructured): // if the plain data differs, the Go values also differ
		return false
	case !reflect.DeepEqual(reflect.NewAt(x.typ, x.at).Elem().Interface(), reflect.NewAt(y.typ, y.at).Elem().Interface()):
		return false
	}
	s.mu.Lock()
	s.same[x.at] = y.at
	s.mu.Unlock()
	return true
}
