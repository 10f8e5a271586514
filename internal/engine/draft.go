package engine

import "github.com/dovetail-ssa/dovetail/fieldpath"

// draft is a field set in the making. Its parts are laid out one after the
// other in memory that the next operation uses again; once all are there, finish
// copies them into memory of just their size. Sets come after the sets below
// them.
type draft struct {
	members  stack[fieldpath.PathElement]
	children stack[fieldpath.SetNode] // without the sets that are drafted
	of       stack[int32]             // child -> 1 + index of its drafted set, else 0
	extents  stack[extent]
	made     stack[*fieldpath.Set]
	// found are what was found below the containers that are being walked.
	found stack[subset]
}

// extent is where a drafted set ends; it starts where the one before ends.
type extent struct{ members, children int32 }

// subset is what a set has below one element: nothing, a set that was there
// before, or a drafted one.
type subset struct {
	set     *fieldpath.Set
	drafted int32 // 1 + its index
}

func (s subset) none() bool { return s == subset{} }

// member adds a member to the set that is ended next.
func (d *draft) member(pe fieldpath.PathElement) { d.members.push(pe) }

// child adds a child to the set that is ended next.
func (d *draft) child(pe fieldpath.PathElement, below subset) {
	d.children.push(fieldpath.SetNode{PathElement: pe, Set: below.set})
	d.of.push(below.drafted)
}

// end ends a set, which is not empty.
func (d *draft) end() subset {
	d.extents.push(extent{int32(d.members.len()), int32(d.children.len())})
	return subset{drafted: int32(d.extents.len())}
}

// maxPiece is how many members may be in one piece of memory, so that who keeps
// a part of a large set does not keep all of it.
const maxPiece = 1024

// finish returns the set that s stands for, nil if it is nothing.
func (d *draft) finish(s subset) *fieldpath.Set {
	if s.drafted == 0 {
		return s.set
	}
	from := extent{}
	extents := d.extents.s[:s.drafted]
	for len(extents) > 0 {
		n := 1
		for n < len(extents) && extents[n].members-from.members <= maxPiece {
			n++
		}
		d.piece(from, extents[:n])
		from, extents = extents[n-1], extents[n:]
	}
	return d.made.s[s.drafted-1]
}

// piece makes the sets that end at extents, the first of which starts at from.
func (d *draft) piece(from extent, extents []extent) {
	to := extents[len(extents)-1]
	members := append([]fieldpath.PathElement(nil), d.members.s[from.members:to.members]...)
	children := append([]fieldpath.SetNode(nil), d.children.s[from.children:to.children]...)
	sets := make([]fieldpath.Set, len(extents))
	at := from
	for i, end := range extents {
		for c := at.children; c < end.children; c++ {
			if of := d.of.s[c]; of > 0 {
				children[c-from.children].Set = d.made.s[of-1]
			}
		}
		sets[i] = *fieldpath.FromSorted(members[at.members-from.members:end.members-from.members], children[at.children-from.children:end.children-from.children])
		d.made.push(&sets[i])
		at = end
	}
}

// scrub empties d for the next operation.
func (d *draft) scrub() {
	d.members.scrub()
	d.children.scrub()
	d.of.scrub()
	d.extents.scrub()
	d.made.scrub()
	d.found.scrub()
}
