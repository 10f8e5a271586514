package engine

import (
	"hash/maphash"
	"math"
	"math/bits"
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

// hashValue adds v to h. Values that are equal hash alike: 1 and 1.0 too.
// Lists and maps, which make poor keys, all hash alike.
func hashValue(h uint64, v any) uint64 {
	switch x := v.(type) {
	case string:
		return mix(h, maphash.String(mapSeed, x))
	case bool:
		if x {
			return mix(h, hashTrue)
		}
		return mix(h, hashFalse)
	case int64:
		return hashNumber(h, float64(x))
	case float64:
		return hashNumber(h, x)
	case int:
		return hashNumber(h, float64(x))
	case int32:
		return hashNumber(h, float64(x))
	case int16:
		return hashNumber(h, float64(x))
	case int8:
		return hashNumber(h, float64(x))
	case uint:
		return hashNumber(h, float64(x))
	case uint32:
		return hashNumber(h, float64(x))
	case uint16:
		return hashNumber(h, float64(x))
	case uint8:
		return hashNumber(h, float64(x))
	case float32:
		return hashNumber(h, float64(x))
	}
	return mix(h, hashCompound)
}

// hashNumber hashes a number by its value as a float, since an integer equals
// the float that it becomes.
func hashNumber(h uint64, f float64) uint64 {
	if f == 0 {
		f = 0 // minus zero
	}
	return mix(h, mix(hashNumbers, math.Float64bits(f)))
}
