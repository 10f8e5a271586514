// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"hash/maphash"
	"math"
	"math/bits"

	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// The seeds are random in each process, so that an attacker cannot send lists whose items all have
// the same hash.
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

// Mix adds x to the hash h and returns the result. It combines both halves of a 128-bit product,
// because the floats of small integers differ only in their highest bits, but a hash table uses the
// lowest bits.
func Mix(h, x uint64) uint64 {
	high, low := bits.Mul64(h^x, hashFactor)
	return high ^ low
}

// Hashing computes the hashes for one table. Equal values must have equal hashes.
//
// This is difficult for large numbers, because a float above 2^53 can equal many different
// integers. So Hashing at first hashes all bits of an integer. When it sees the first float of this
// size, it sets Loose, and hashes all further integers as floats. The table must then be rebuilt
// (see BecameLoose).
type Hashing struct {
	Loose, becameLoose bool
}

// BecameLoose reports whether g became Loose since the last call.
func (g *Hashing) BecameLoose() bool {
	t := g.becameLoose
	g.becameLoose = false
	return t
}

// Value adds the value v to the hash h and returns the result.
func (g *Hashing) Value(h uint64, v any) uint64 {
	return g.value(h, v, 0)
}

// exactly is the largest number up to which a float64 can represent every integer.
const exactly = 1 << 53

func (g *Hashing) integer(h uint64, i int64) uint64 {
	if -exactly <= i && i <= exactly || g.Loose {
		return hashNumber(h, float64(i))
	}
	return Mix(h, Mix(HashMissing, uint64(i)))
}

func (g *Hashing) number(h uint64, f float64) uint64 {
	if !g.Loose && (f >= exactly || f <= -exactly) {
		g.Loose, g.becameLoose = true, true
	}
	return hashNumber(h, f)
}

// hashDepth limits how deeply lists and maps are hashed. All lists and maps below this depth
// have the same hash.
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

// hashNumber adds the float f to the hash h.
func hashNumber(h uint64, f float64) uint64 {
	switch {
	case f == 0:
		f = 0 // -0 and 0 are equal, so they must have the same hash
	case f != f:
		return Mix(h, HashNumbers)
	}
	return Mix(h, Mix(HashNumbers, math.Float64bits(f)))
}

// IsNaN reports whether v is a NaN. A NaN equals no value, not even itself.
func IsNaN(v any) bool {
	switch x := v.(type) {
	case float64:
		return x != x
	case float32:
		return x != x
	}
	return false
}

// Table is a hash table of ids, which are small integers starting from 0. Insert takes constant
// time, even if many ids have the same hash, as duplicates do.
type Table struct {
	first []int32 // for each slot: 1 + the id that was last inserted there, or 0
	next  []int32 // for each id: 1 + the id that was inserted into the same slot before it, or 0
	mask  uint64
	Hashing
}

// NewTable returns an empty table for n ids. Its memory is allocated from ints.
func NewTable(ints *scratch.Stack[int32], n int) Table {
	slots := 8
	for slots < n {
		slots *= 2
	}
	return TableIn(ints.Zeros(slots+n), slots)
}

// TableIn returns an empty table that uses the slice zeros as its memory. zeros has one
// element for each slot, followed by one element for each id. slots is the number of slots, a
// power of two.
func TableIn(zeros []int32, slots int) Table {
	return Table{first: zeros[:slots], next: zeros[slots:], mask: uint64(slots - 1)}
}

// IsZero reports whether t is the zero Table, which has no memory.
func (t *Table) IsZero() bool { return t.first == nil }

// Clear removes all ids.
func (t *Table) Clear() { clear(t.first) }

// Add inserts the ids from 0 to n-1 into an empty table. It skips ids for which hash returns
// false. Afterwards, Find visits ids with the same hash in ascending order. If the Hashing
// becomes Loose, Add clears the table and starts again.
func (t *Table) Add(n int, hash func(i int) (h uint64, ok bool)) {
	for i := n - 1; i >= 0; i-- {
		h, ok := hash(i)
		if t.BecameLoose() {
			t.Clear()
			i = n
		} else if ok {
			t.Insert(h, int32(i))
		}
	}
}

// RebuildIfLoose rebuilds the table with Add if its Hashing became Loose since the last check.
// It reports whether it did.
func (t *Table) RebuildIfLoose(n int, hash func(i int) (h uint64, ok bool)) bool {
	if !t.BecameLoose() {
		return false
	}
	t.Clear()
	t.Add(n, hash)
	return true
}

// Insert adds an id with the hash h. It does not check whether the table already has the id.
func (t *Table) Insert(h uint64, id int32) {
	h &= t.mask
	t.next[id], t.first[h] = t.first[h], id+1
}

// Find returns the last inserted id with the hash h for which same returns true, or -1 if there is
// none. Several hashes share a slot of the table, so Find may also call same for ids with other
// hashes. Therefore same must compare the values themselves.
func (t *Table) Find(h uint64, same func(int32) bool) int32 {
	for at := t.first[h&t.mask]; at != 0; at = t.next[at-1] {
		if same(at - 1) {
			return at - 1
		}
	}
	return -1
}
