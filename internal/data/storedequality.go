// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"hash/maphash"
	"math"
	"reflect"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
	"github.com/dovetail-ssa/dovetail/value"
)

// StoredEquality compares values as they are stored. It is stricter than
// [value.EqualUnstructured]: a large integer does not equal the float to which it rounds, and a
// null, an absent field, {}, [] and "" are all different. 1 and 1.0 are equal, and so are two
// NaNs. If the schema declares a list as a set, the order of its items does not matter, at any
// depth.
type StoredEquality struct {
	// IntScratch provides the memory for hash tables. It may be nil if the type passed to Equal is always
	// nil.
	IntScratch *scratch.Stack[int32]
	// AnyOrder makes the comparison also ignore the order of items in keyed lists.
	AnyOrder bool
	// NaNsDiffer makes the comparison stricter: a NaN then differs from every NaN, except inside a map
	// or list that is compared with itself.
	NaNsDiffer bool
	DepthLimit
}

// unknown is the type node for values whose type is not known.
var unknown = &graph.Node{}

// Equal reports whether a and b, two values of type n, are equal as stored. If n is nil, the
// order of items matters in all lists. If the data is too deep, Equal returns false and sets
// Exceeded.
func (e *StoredEquality) Equal(n *graph.Node, a, b any) bool {
	if n == nil {
		n = unknown
	}
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		y, ok := b.(string)
		return ok && x == y
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case int64:
		if y, ok := b.(int64); ok {
			return x == y
		}
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return e.equalMaps(n.Map, x, y)
		}
		return e.equalAnyMaps(n.Map, anyMap(x), b)
	case []any:
		y, ok := b.([]any)
		return ok && e.equalLists(n.List, x, y)
	case map[any]any:
		return e.equalAnyMaps(n.Map, x, b)
	}
	return equalNumbers(a, b) && !(e.NaNsDiffer && IsNaN(a))
}

func (e *StoredEquality) equalMaps(m *graph.Map, x, y map[string]any) bool {
	if len(x) != len(y) {
		return false
	}
	if box.SameMap(x, y) || len(x) == 0 {
		return true
	}
	if !e.EnterLevel() {
		return false
	}
	same := true
	for name, v := range x {
		u, ok := y[name]
		var t *graph.Node
		if m != nil && !IsScalar(v) {
			t = m.At(name)
		}
		if same = ok && e.Equal(t, v, u); !same {
			break
		}
	}
	e.LeaveLevel()
	return same
}

func (e *StoredEquality) equalLists(l *graph.List, x, y []any) bool {
	if len(x) != len(y) {
		return false
	}
	if box.SameList(x, y) {
		return true
	}
	if !e.EnterLevel() {
		return false
	}
	// First compare the items in order, because this is cheap. In an unordered list, pass no type for
	// the items, so that this comparison does not ignore the order of sets inside them. Otherwise, each
	// level would compare its items several times, and the costs of nested levels would multiply.
	var item *graph.Node
	unordered := len(x) > 1 && e.unordered(l)
	if !unordered {
		item = itemOf(l)
	}
	i := 0
	for i < len(x) && e.Equal(item, x[i], y[i]) {
		i++
	}
	same := i == len(x) || unordered && !e.Exceeded && e.sameItems(l.Item, x[i:], y[i:])
	e.LeaveLevel()
	return same
}

// itemOf returns the type of the items of l, or nil if l is nil.
func itemOf(l *graph.List) *graph.Node {
	if l == nil {
		return nil
	}
	return l.Item
}

// unordered reports whether to ignore the order of the items of l.
func (e *StoredEquality) unordered(l *graph.List) bool {
	return l != nil && l.IsAssociative() && (e.AnyOrder || len(l.Keys) == 0)
}

// anyMap converts m to a map[any]any, the type that YAML decoders return.
func anyMap(m map[string]any) map[any]any {
	out := make(map[any]any, len(m))
	for name, v := range m {
		out[name] = v
	}
	return out
}

func (e *StoredEquality) equalAnyMaps(m *graph.Map, x map[any]any, b any) bool {
	y, ok := b.(map[any]any)
	if s, strings := b.(map[string]any); strings {
		y, ok = anyMap(s), true
	}
	if !ok || len(x) != len(y) {
		return false
	}
	if !e.EnterLevel() {
		return false
	}
	defer e.LeaveLevel()
	for k, v := range x {
		u, ok := y[k]
		if !ok || !e.Equal(atKey(m, k), v, u) {
			return false
		}
	}
	return true
}

func atKey(m *graph.Map, key any) *graph.Node {
	if name, ok := key.(string); ok && m != nil {
		return m.At(name)
	}
	return nil
}

// sameItems reports whether two lists of equal length have the same items in any order. An item
// that occurs several times must occur equally often in both lists. sameItems takes linear time,
// except for nested sets: it hashes the items of an inner set once for each set around it.
func (e *StoredEquality) sameItems(item *graph.Node, x, y []any) bool {
	ints := e.IntScratch.Len()
	defer e.IntScratch.Pop(ints)
	t := e.tableOf(item, x)
	count := e.IntScratch.Zeros(len(x))
	for _, v := range x {
		i := t.find(v)
		if i < 0 {
			return false // this happens only if v is nested too deep; v then does not even equal itself
		}
		count[i]++
	}
	for _, v := range y {
		i := t.find(v)
		if i < 0 || count[i] == 0 {
			return false
		}
		count[i]--
	}
	return true
}

// EachRemoved calls f with the index of each item of x that is missing in y. If several such
// items are equal, it calls f only for the first of them.
func (e *StoredEquality) EachRemoved(item *graph.Node, x, y []any, f func(i int)) {
	i := 0
	for i < len(x) && i < len(y) && e.Equal(nil, x[i], y[i]) {
		i++
	}
	if i == len(x) {
		return
	}
	ints := e.IntScratch.Len()
	defer e.IntScratch.Pop(ints)
	there := e.tableOf(item, y)
	var own itemTable
	for ; i < len(x); i++ {
		if there.find(x[i]) >= 0 {
			continue
		}
		if own.items == nil {
			own = e.tableOf(item, x)
		}
		if own.find(x[i]) == int32(i) {
			f(i)
		}
	}
}

// itemTable finds items of a list by value. Its memory comes from StoredEquality.IntScratch.
type itemTable struct {
	Table
	e      *StoredEquality
	item   *graph.Node
	items  []any
	hashes []int32 // the upper half of each item's hash, to avoid most comparisons of items
}

func (e *StoredEquality) tableOf(item *graph.Node, items []any) itemTable {
	t := itemTable{Table: NewTable(e.IntScratch, len(items)), e: e, item: item, items: items, hashes: e.IntScratch.Zeros(len(items))}
	for i, v := range items {
		h := e.hash(item, v)
		t.hashes[i] = int32(h >> 32)
		if t.at(h, v) < 0 {
			t.Insert(h, int32(i))
		}
	}
	return t
}

// find returns the index of the first item that equals v, or -1 if there is none.
func (t *itemTable) find(v any) int32 { return t.at(t.e.hash(t.item, v), v) }

func (t *itemTable) at(h uint64, v any) int32 {
	return t.Table.Find(h, func(i int32) bool {
		return t.hashes[i] == int32(h>>32) && t.e.Equal(t.item, t.items[i], v)
	})
}

// hash returns a hash of v. Values that are equal as stored have the same hash.
func (e *StoredEquality) hash(n *graph.Node, v any) uint64 {
	if n == nil {
		n = unknown
	}
	switch x := v.(type) {
	case nil:
		return HashMissing
	case string:
		return maphash.String(MapSeed, x)
	case bool:
		return new(Hashing).Value(HashSeed, x)
	case map[string]any, map[any]any, []any:
		if !e.EnterLevel() {
			return hashCompound
		}
		h := e.hashEntries(n, v)
		e.LeaveLevel()
		return h
	}
	if x, ok := numberOf(v); ok {
		return Mix(HashNumbers, x.bits)
	}
	return hashCompound
}

// hashEntries returns the hash of a container.
func (e *StoredEquality) hashEntries(n *graph.Node, v any) uint64 {
	sum := uint64(0)
	switch x := v.(type) {
	case map[string]any:
		for name, c := range x {
			sum += Mix(maphash.String(MapSeed, name), e.hash(atKey(n.Map, name), c))
		}
	case map[any]any:
		for k, c := range x {
			sum += Mix(e.hash(nil, k), e.hash(atKey(n.Map, k), c))
		}
	case []any:
		h := uint64(len(x))
		for _, c := range x {
			one := e.hash(itemOf(n.List), c)
			h, sum = Mix(h, one), sum+one
		}
		if !e.unordered(n.List) {
			sum = h
		}
	}
	return Mix(hashCompound, sum)
}

// exact represents the exact value of a number, so that == compares numbers of different Go types.
// For an integer, whole is true, negative is the sign, and bits has the low 64 bits. For any other
// number, bits has the bits of a float64. All NaNs have the same representation.
type exact struct {
	whole, negative bool
	bits            uint64
}

func equalNumbers(a, b any) bool {
	x, ok := numberOf(a)
	y, is := numberOf(b)
	if !ok || !is {
		return ok == is && reflect.DeepEqual(a, b)
	}
	return x == y
}

func numberOf(v any) (exact, bool) {
	switch x := v.(type) {
	case int64:
		return exact{true, x < 0, uint64(x)}, true
	case float64:
		return exactFloat(x), true
	case uint:
		return exact{true, false, uint64(x)}, true
	case float32:
		return exactFloat(float64(x)), true
	}
	i, ok := oddInteger(v)
	return exact{true, i < 0, uint64(i)}, ok
}

// oddInteger returns the value of an integer of a Go type that no JSON decoder returns, such
// as int32.
func oddInteger(v any) (int64, bool) {
	if x := value.NewValueInterface(v); x.IsInt() {
		return x.AsInt(), true
	}
	return 0, false
}

func exactFloat(f float64) exact {
	size := math.Abs(f)
	switch {
	case f != f:
		return exact{bits: math.Float64bits(math.NaN())}
	case size >= 1<<64 || size != math.Trunc(size):
		return exact{bits: math.Float64bits(f)}
	case f < 0:
		return exact{true, true, -uint64(size)}
	}
	return exact{true, false, uint64(size)}
}
