package graph

// names finds the fields of a map by name. Schemas have few fields, and known
// ones: a hash of the length and three bytes of a name tells them apart, in a
// fraction of the time that a Go map takes. Where it does not spread them, a Go
// map takes its place, so that no schema is slow.
type names struct {
	slots  []uint16 // 1 + index of a field, 0 where there is none
	seed   uint32
	byName map[string]*Field
}

const (
	// maxProbes is how many fields a name may be compared with.
	maxProbes = 4
	// maxSlotted is how many fields can be numbered.
	maxSlotted = 1<<16 - 2
)

// seeds are odd numbers without a pattern, tried in turn.
var seeds = [...]uint32{0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09}

// newNames returns the names of fields, which live as long as the result.
func newNames(fields []Field) names {
	if len(fields) == 0 {
		return names{}
	}
	size := 4
	for size < 2*len(fields) {
		size *= 2
	}
	if len(fields) <= maxSlotted {
		slots := make([]uint16, size)
		for _, seed := range seeds {
			n := names{slots: slots, seed: seed}
			if n.fill(fields) {
				return n
			}
			clear(slots)
		}
	}
	byName := make(map[string]*Field, len(fields))
	for i := range fields {
		byName[fields[i].Name] = &fields[i]
	}
	return names{byName: byName}
}

// fill puts the fields into their slots, and says whether all are found at once.
func (n *names) fill(fields []Field) bool {
	for i := range fields {
		at := n.first(fields[i].Name)
		for probes := 1; n.slots[at] != 0; probes++ {
			if probes == maxProbes {
				return false
			}
			at = (at + 1) & uint32(len(n.slots)-1)
		}
		n.slots[at] = uint16(i + 1)
	}
	return true
}

// first returns the slot to look at first.
func (n *names) first(name string) uint32 {
	h := n.seed
	if l := len(name); l > 0 {
		h = uint32(name[0]) | uint32(name[l-1])<<8 | uint32(name[l>>1])<<16 | uint32(l)<<24
	}
	h *= n.seed
	return (h ^ h>>15) >> 3 & uint32(len(n.slots)-1)
}

func (n *names) find(fields []Field, name string) *Field {
	if len(n.slots) == 0 {
		return n.byName[name]
	}
	for at := n.first(name); ; at = (at + 1) & uint32(len(n.slots)-1) {
		s := n.slots[at]
		if s == 0 {
			return nil
		}
		if f := &fields[s-1]; f.Name == name {
			return f
		}
	}
}
