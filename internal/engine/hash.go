// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"hash/maphash"
	"math"
	"math/bits"

	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// Hashes are seeded for each process, so that nobody can prepare a list whose
// items all fall into one slot.
var (
	mapSeed      = maphash.MakeSeed()
	hashSeed     = maphash.String(mapSeed, "")
	hashMissing  = maphash.String(mapSeed, "missing")
	hashFalse    = maphash.String(mapSeed, "false")
	hashTrue     = maphash.String(mapSeed, "true")
	hashCompound = maphash.String(mapSeed, "compound")
	hashNumbers  = maphash.String(mapSeed, "number")
	hashFactor   = maphash.String(mapSeed, "factor") | 1
)

// mix adds x to h. Both halves of the product count: floats of small integers
// differ in their highest bits only, which a table of any size has to see in
// the lowest bits of the hash.
func mix(h, x uint64) uint64 {
	high, low := bits.Mul64(h^x, hashFactor)
	return high ^ low
}

// hashing is how the keys of one table are hashed: those that are equal hash alike, 1
// and 1.0 too. An integer beyond 2^53 equals the float that it becomes, and so do up to
// 1024 of its neighbours: it is hashed by all its bits until the table meets such a
// float. Then hashing is loose from there on, and what is in the table has to be
// hashed again, see turned.
type hashing struct {
	loose, turning bool
}

// turned says whether hashing became loose since it was asked last.
func (g *hashing) turned() bool {
	t := g.turning
	g.turning = false
	return t
}

// value adds v to h.
func (g *hashing) value(h uint64, v any) uint64 {
	switch x := v.(type) {
	case string:
		return mix(h, maphash.String(mapSeed, x))
	case int64:
		return g.integer(h, x)
	}
	return g.other(h, v, 0)
}

// exactly is the number up to which every integer is a float.
const exactly = 1 << 53

func (g *hashing) integer(h uint64, i int64) uint64 {
	if -exactly <= i && i <= exactly || g.loose {
		return hashNumber(h, float64(i))
	}
	return mix(h, mix(hashMissing, uint64(i)))
}

func (g *hashing) number(h uint64, f float64) uint64 {
	if !g.loose && (f >= exactly || f <= -exactly) {
		g.loose, g.turning = true, true
	}
	return hashNumber(h, f)
}

// hashDepth is how deep keys are looked at that are lists or maps.
const hashDepth = 16

func (g *hashing) other(h uint64, v any, depth int) uint64 {
	switch x := v.(type) {
	case string:
		return mix(h, maphash.String(mapSeed, x))
	case bool:
		if x {
			return mix(h, hashTrue)
		}
		return mix(h, hashFalse)
	case int64:
		return g.integer(h, x)
	case float64:
		return g.number(h, x)
	case int:
		return g.integer(h, int64(x))
	case int32:
		return g.integer(h, int64(x))
	case int16:
		return g.integer(h, int64(x))
	case int8:
		return g.integer(h, int64(x))
	case uint:
		return g.integer(h, int64(x))
	case uint32:
		return g.integer(h, int64(x))
	case uint16:
		return g.integer(h, int64(x))
	case uint8:
		return g.integer(h, int64(x))
	case float32:
		return g.number(h, float64(x))
	case []any:
		if depth < hashDepth {
			h = mix(h, hashCompound+uint64(len(x)))
			for _, c := range x {
				h = g.other(h, c, depth+1)
			}
			return h
		}
	case map[string]any:
		if depth < hashDepth {
			sum := uint64(len(x))
			for name, c := range x {
				sum += g.other(maphash.String(mapSeed, name), c, depth+1)
			}
			return mix(h, mix(hashCompound, sum))
		}
	case map[any]any:
		return g.other(h, asMap(x), depth)
	}
	return mix(h, hashCompound)
}

// hashNumber hashes a number by its value as a float.
func hashNumber(h uint64, f float64) uint64 {
	switch {
	case f == 0:
		f = 0 // minus zero
	case f != f:
		return mix(h, hashNumbers)
	}
	return mix(h, mix(hashNumbers, math.Float64bits(f)))
}

// isNaN says whether v is what equals nothing, not even itself.
func isNaN(v any) bool {
	switch x := v.(type) {
	case float64:
		return x != x
	case float32:
		return x != x
	}
	return false
}

// table is an open-addressing hash table of numbers.
type table struct {
	slots []int32 // number + 1
	mask  uint64
	hashing
}

// add puts the numbers below n into the table, which is empty, by their hashes, and
// once more where hashing turned out to be loose.
func (t *table) add(n int, hash func(i int) (h uint64, ok bool)) {
	for i := 0; i < n; i++ {
		h, ok := hash(i)
		if t.turned() {
			clear(t.slots)
			i = -1
			continue
		}
		if ok {
			t.insert(h, int32(i))
		}
	}
}

// newTable returns a table for n entries; it lives in ints.
func newTable(ints *scratch.Stack[int32], n int) table {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return tableIn(ints.Zeros(size))
}

// tableIn returns a table in slots, zeros of which there is a power of two, and at least
// one more than entries.
func tableIn(slots []int32) table { return table{slots: slots, mask: uint64(len(slots) - 1)} }

func (t *table) insert(h uint64, id int32) {
	for h &= t.mask; t.slots[h] != 0; h = (h + 1) & t.mask {
	}
	t.slots[h] = id + 1
}

func (t *table) find(h uint64, same func(int32) bool) int32 {
	for h &= t.mask; t.slots[h] != 0; h = (h + 1) & t.mask {
		if id := t.slots[h] - 1; same(id) {
			return id
		}
	}
	return -1
}
