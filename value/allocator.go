// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

// Allocator is part of an older API, in which callers chose how short-lived values are
// allocated. Functions and methods whose names end in "Using" still accept an Allocator, but
// ignore it.
//
// Deprecated: call the function or method whose name has no "Using".
type Allocator interface {
	// Free does nothing.
	Free(any)

	allocator()
}

// HeapAllocator implements Allocator and does nothing.
//
// Deprecated: see [Allocator].
var HeapAllocator = &heapAllocator{}

type heapAllocator struct{}

func (*heapAllocator) Free(any)   {}
func (*heapAllocator) allocator() {}

// NewFreelistAllocator returns HeapAllocator.
//
// Deprecated: see [Allocator].
func NewFreelistAllocator() Allocator { return HeapAllocator }

// CompareUsing does the same as Compare.
//
// Deprecated: the allocator is ignored; use Compare.
func CompareUsing(_ Allocator, lhs, rhs Value) int { return Compare(lhs, rhs) }

// EqualsUsing does the same as Equals.
//
// Deprecated: the allocator is ignored; use Equals.
func EqualsUsing(_ Allocator, lhs, rhs Value) bool { return Equals(lhs, rhs) }

// ListEqualsUsing does the same as ListEquals.
//
// Deprecated: the allocator is ignored; use ListEquals.
func ListEqualsUsing(_ Allocator, lhs, rhs List) bool { return ListEquals(lhs, rhs) }

// ListCompareUsing does the same as ListCompare.
//
// Deprecated: the allocator is ignored; use ListCompare.
func ListCompareUsing(_ Allocator, lhs, rhs List) int { return ListCompare(lhs, rhs) }

// MapZipUsing does the same as MapZip.
//
// Deprecated: the allocator is ignored; use MapZip.
func MapZipUsing(_ Allocator, lhs, rhs Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return MapZip(lhs, rhs, order, fn)
}

// MapCompareUsing does the same as MapCompare.
//
// Deprecated: the allocator is ignored; use MapCompare.
func MapCompareUsing(_ Allocator, lhs, rhs Map) int { return MapCompare(lhs, rhs) }

// MapEqualsUsing does the same as MapEquals.
//
// Deprecated: the allocator is ignored; use MapEquals.
func MapEqualsUsing(_ Allocator, lhs, rhs Map) bool { return MapEquals(lhs, rhs) }

// The methods below implement the deprecated Using methods of Value, List and Map.

type (
	entryFunc = func(key string, value Value) bool
	zipFunc   = func(key string, lhs, rhs Value) bool
)

func (v *valueUnstructured) AsMapUsing(Allocator) Map   { return v.AsMap() }
func (v *valueUnstructured) AsListUsing(Allocator) List { return v.AsList() }

func (l sliceList) AtUsing(_ Allocator, i int) Value         { return l.At(i) }
func (l sliceList) RangeUsing(Allocator) ListRange           { return l.Range() }
func (l sliceList) EqualsUsing(_ Allocator, other List) bool { return l.Equals(other) }

func (m plainMap[K]) GetUsing(_ Allocator, key string) (Value, bool) { return m.Get(key) }
func (m plainMap[K]) EqualsUsing(_ Allocator, other Map) bool        { return m.Equals(other) }
func (m plainMap[K]) IterateUsing(_ Allocator, fn entryFunc) bool    { return m.Iterate(fn) }
func (m plainMap[K]) ZipUsing(_ Allocator, other Map, order MapTraverseOrder, fn zipFunc) bool {
	return zip(m, other, order, fn)
}

func (r *valueReflect) AsMapUsing(Allocator) Map   { return r.AsMap() }
func (e *entryReflect) AsMapUsing(Allocator) Map   { return e.AsMap() }
func (r *valueReflect) AsListUsing(Allocator) List { return r.AsList() }

func (l *listReflect) AtUsing(_ Allocator, i int) Value         { return l.At(i) }
func (l *listReflect) RangeUsing(Allocator) ListRange           { return l.Range() }
func (l *listReflect) EqualsUsing(_ Allocator, other List) bool { return l.Equals(other) }

func (m *mapReflect) GetUsing(_ Allocator, key string) (Value, bool) { return m.Get(key) }
func (m *mapReflect) EqualsUsing(_ Allocator, other Map) bool        { return m.Equals(other) }
func (m *mapReflect) IterateUsing(_ Allocator, fn entryFunc) bool    { return m.Iterate(fn) }
func (m *mapReflect) ZipUsing(_ Allocator, other Map, order MapTraverseOrder, fn zipFunc) bool {
	return zip(m, other, order, fn)
}

func (s *structReflect) GetUsing(_ Allocator, key string) (Value, bool) { return s.Get(key) }
func (s *structReflect) EqualsUsing(_ Allocator, other Map) bool        { return MapEquals(s, other) }
func (s *structReflect) IterateUsing(_ Allocator, fn entryFunc) bool    { return s.Iterate(fn) }
func (s *structReflect) ZipUsing(_ Allocator, other Map, order MapTraverseOrder, fn zipFunc) bool {
	return s.Zip(other, order, fn)
}
