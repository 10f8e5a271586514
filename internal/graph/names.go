// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import "math/bits"

// names finds the fields of a map by name. Most types have few fields, so a hash of the length
// and four bytes of the name distinguishes them. This is much faster than a Go map.
//
// newNames searches for a hash factor and a byte position that give every field its own slot. A
// lookup then compares the name with only one field. If the search fails, names uses a Go map.
type names struct {
	slots  []uint8 // by slot: the index of the field in this slot; any index if the slot is free
	factor uint32
	shift  uint8 // number of bits by which a hash is shifted to get the index of a slot
	place  uint8 // where in the name the third byte is, in sixteenths of its length
	byName map[string]*Field
}

const (
	// maxSlotted is the maximum number of fields for which newNames uses slots.
	maxSlotted = 256
	// maxSpread is the maximum number of slots for each field.
	maxSpread = 16
	// maxFactors is the number of hash factors that newNames tries before it doubles the
	// number of slots.
	maxFactors = 32
)

// places contains the byte positions to try, in this order. Names usually differ in the middle.
var places = [...]uint8{8, 6, 10, 12, 4}

// newNames returns an index of the given fields. The result may point into the slice fields.
func newNames(fields []Field) names {
	if len(fields) == 0 {
		return names{}
	}
	if len(fields) <= maxSlotted {
		for size := 2 << bits.Len(uint(len(fields)-1)); size <= maxSpread*len(fields); size *= 2 {
			n := names{slots: make([]uint8, size), factor: 0x9e3779b1, shift: uint8(32 - bits.Len(uint(size-1)))}
			for range maxFactors {
				for _, n.place = range places {
					if n.fill(fields) {
						return n
					}
				}
				n.factor = n.factor*0x85ebca6b | 1
			}
		}
	}
	byName := make(map[string]*Field, len(fields))
	for i := range fields {
		byName[fields[i].Name] = &fields[i]
	}
	return names{byName: byName}
}

// isZero reports whether n is the zero value. This is the case if the map has no fields, or if
// newNames was not called yet.
func (n *names) isZero() bool { return n.slots == nil && n.byName == nil }

// fill puts the fields into their slots. It returns false if two fields have the same slot.
func (n *names) fill(fields []Field) bool {
	var taken [maxSpread * maxSlotted / 64]uint64
	for i := range fields {
		at := n.slot(fields[i].Name)
		if taken[at/64]>>(at%64)&1 != 0 {
			return false
		}
		taken[at/64] |= 1 << (at % 64)
		n.slots[at] = uint8(i)
	}
	return true
}

// slot returns the slot of a name.
func (n *names) slot(name string) uint32 {
	l := len(name)
	h := uint32(l) * 0x27d4eb2f
	if l > 1 {
		h ^= uint32(name[0]) | uint32(name[1])<<8 | uint32(name[l*int(n.place)>>4])<<16 | uint32(name[l-1])<<24
	} else if l == 1 {
		h ^= uint32(name[0])
	}
	return h * n.factor >> (n.shift & 31)
}

// find returns the field with the given name, or nil.
func (n *names) find(fields []Field, name string) *Field {
	if n.byName != nil {
		return n.byName[name]
	}
	if f := &fields[n.slots[n.slot(name)]]; f.Name == name {
		return f
	}
	return nil
}
