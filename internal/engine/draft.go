// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import "github.com/dovetail-ssa/dovetail/fieldpath"

// draft is a field set in the making. Its sets are laid out one after the other
// in memory that the next operation uses again, and copied from there into
// memory of just their size: a piece whenever there is enough for one, the rest
// by finish. Sets come after the sets below them.
type draft struct {
	members  stack[fieldpath.PathElement]
	children stack[fieldpath.SetNode] // without the sets that are drafted
	of       stack[int32]             // child -> 1 + index of its drafted set, else 0
	extents  stack[extent]
	made     stack[*fieldpath.Set] // of which the sets at extents are not yet part
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

// room makes room for the members and children of a set.
func (d *draft) room(members, children int) {
	d.members.room(members)
	d.children.room(children)
	d.of.room(children)
}

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
	s := subset{drafted: int32(d.made.len() + d.extents.len())}
	if d.members.len() > maxPiece {
		d.make(d.extents.len() - 1)
	}
	if d.members.len() > maxPiece {
		d.make(1)
	}
	return s
}

// maxPiece is how many members may be in one piece of memory, so that who keeps
// a part of a large set does not keep all of it.
const maxPiece = 1024

// finish returns the set that s stands for, nil if it is nothing.
func (d *draft) finish(s subset) *fieldpath.Set {
	if s.drafted == 0 {
		return s.set
	}
	d.make(d.extents.len())
	return d.made.s[s.drafted-1]
}

// make makes the first n of the sets that were ended, and drops their drafts.
func (d *draft) make(n int) {
	if n == 0 {
		return
	}
	d.piece(d.extents.s[:n])
	to := d.extents.s[n-1]
	d.members.drop(int(to.members))
	d.children.drop(int(to.children))
	d.of.drop(int(to.children))
	d.extents.drop(n)
	for i := range d.extents.s {
		d.extents.s[i].members -= to.members
		d.extents.s[i].children -= to.children
	}
}

// piece makes the first sets, which end at extents.
func (d *draft) piece(extents []extent) {
	to := extents[len(extents)-1]
	members := append([]fieldpath.PathElement(nil), d.members.s[:to.members]...)
	children := append([]fieldpath.SetNode(nil), d.children.s[:to.children]...)
	sets := make([]fieldpath.Set, len(extents))
	at := extent{}
	for i, end := range extents {
		for c := at.children; c < end.children; c++ {
			if of := d.of.s[c]; of > 0 {
				children[c].Set = d.made.s[of-1]
			}
		}
		sets[i] = *fieldpath.FromSorted(members[at.members:end.members], children[at.children:end.children])
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
