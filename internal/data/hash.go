// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"hash/maphash"
	"math"
	"math/bits"

	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// Hashes are seeded for each process, so that nobody can prepare a list whose
// items all fall into one slot.
var (
	MapSeed      = maphash.MakeSeed()
	HashSeed     = maphash.String(MapSeed, "")
	HashMissing  = maphash.String(MapSeed, "missing")
	hashFalse    = maphash.String(MapSeed, "false")
	hashTrue     = maphash.String(MapSeed, "true")
	hashCompound = maphash.String(MapSeed, "compound")
	HashNumbers  = maphash.String(MapSeed, "number")
	hashFactor   = maphash.String(MapSeed, "factor") | 1
)

// Mix adds x to h. Both halves of the product count: floats of small integers
// differ in their highest bits only, which a table of any size has to see in
// the lowest bits of the hash.
func Mix(h, x uint64) uint64 {
	high, low := bits.Mul64(h^x, hashFactor)
	return high ^ low
}

// Hashing is how the keys of one table are hashed: those that are equal hash alike, 1
// and 1.0 too. An integer beyond 2^53 equals the float that it becomes, and so do up to
// 1024 of its neighbours: it is hashed by all its bits until the table meets such a
// float. Then hashing is loose from there on, and what is in the table has to be
// hashed again, see Turned.
type Hashing struct {
	Loose, turning bool
}

// Turned says whether hashing became loose since it was asked last.
func (g *Hashing) Turned() bool {
	t := g.turning
	g.turning = false
	return t
}

// Value adds v to h.
func (g *Hashing) Value(h uint64, v any) uint64 {
	return g.value(h, v, 0)
}

// exactly is the number up to which every integer is a float.
const exactly = 1 << 53

func (g *Hashing) integer(h uint64, i int64) uint64 {
	if -exactly <= i && i <= exactly || g.Loose {
		return hashNumber(h, float64(i))
	}
	return Mix(h, Mix(HashMissing, uint64(i)))
}

func (g *Hashing) number(h uint64, f float64) uint64 {
	if !g.Loose && (f >= exactly || f <= -exactly) {
		g.Loose, g.turning = true, true
	}
	return hashNumber(h, f)
}

// hashDepth is how deep keys are looked at that are lists or maps.
const hashDepth = 16

func (g *Hashing) value(h uint64, v any, depth int) uint64 {
	switch x := v.(type) {
	case string:
		return Mix(h, maphash.String(MapSeed, x))
	case bool:
		if x {
			return Mix(h, hashTrue)
		}
		return Mix(h, hashFalse)
	case int64:
		return g.integer(h, x)
	case float64:
		return g.number(h, x)
	case int, int32, int16, int8, uint, uint32, uint16, uint8:
		i, _ := oddInteger(v)
		return g.integer(h, i)
	case float32:
		return g.number(h, float64(x))
	case []any:
		if depth < hashDepth {
			h = Mix(h, hashCompound+uint64(len(x)))
			for _, c := range x {
				h = g.value(h, c, depth+1)
			}
			return h
		}
	case map[string]any:
		if depth < hashDepth {
			sum := uint64(len(x))
			for name, c := range x {
				sum += g.value(maphash.String(MapSeed, name), c, depth+1)
			}
			return Mix(h, Mix(hashCompound, sum))
		}
	case map[any]any:
		return g.value(h, AsMap(x), depth)
	}
	return Mix(h, hashCompound)
}

// hashNumber hashes a number by its value as a float.
func hashNumber(h uint64, f float64) uint64 {
	switch {
	case f == 0:
		f = 0 // minus zero
	case f != f:
		return Mix(h, HashNumbers)
	}
	return Mix(h, Mix(HashNumbers, math.Float64bits(f)))
}

// IsNaN says whether v is what equals nothing, not even itself.
func IsNaN(v any) bool {
	switch x := v.(type) {
	case float64:
		return x != x
	case float32:
		return x != x
	}
	return false
}

// Table is an open-addressing hash table of numbers.
type Table struct {
	Slots []int32 // number + 1
	mask  uint64
	Hashing
}

// Add puts the numbers below n into the table, which is empty, by their hashes, and
// once more where hashing turned out to be loose.
func (t *Table) Add(n int, hash func(i int) (h uint64, ok bool)) {
	for i := 0; i < n; i++ {
		h, ok := hash(i)
		if t.Turned() {
			clear(t.Slots)
			i = -1
		} else if ok {
			t.Insert(h, int32(i))
		}
	}
}

// Again says whether hashing turned out to be loose since it was asked last, and puts
// what Add put into the table there again if so.
func (t *Table) Again(n int, hash func(i int) (h uint64, ok bool)) bool {
	if !t.Turned() {
		return false
	}
	clear(t.Slots)
	t.Add(n, hash)
	return true
}

// NewTable returns a table for n entries; it lives in ints.
func NewTable(ints *scratch.Stack[int32], n int) Table {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return TableIn(ints.Zeros(size))
}

// TableIn returns a table in slots, zeros of which there is a power of two, and at least
// one more than entries.
func TableIn(slots []int32) Table { return Table{Slots: slots, mask: uint64(len(slots) - 1)} }

func (t *Table) Insert(h uint64, id int32) {
	for h &= t.mask; t.Slots[h] != 0; h = (h + 1) & t.mask {
	}
	t.Slots[h] = id + 1
}

func (t *Table) Find(h uint64, same func(int32) bool) int32 {
	for h &= t.mask; t.Slots[h] != 0; h = (h + 1) & t.mask {
		if id := t.Slots[h] - 1; same(id) {
			return id
		}
	}
	return -1
}
