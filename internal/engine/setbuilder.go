// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// setBuilder is field sets in the making. They are laid out one after the other
// in memory that the next operation uses again, and copied from there into
// memory of just their size: a piece whenever there is enough for one, the rest
// by finish. Sets come after the sets below them.
type setBuilder struct {
	members  scratch.Stack[fieldpath.PathElement]
	children scratch.Stack[fieldpath.SetNode] // without the sets that are built
	of       scratch.Stack[int32]             // child -> 1 + index of its built set, else 0
	extents  scratch.Stack[extent]
	made     scratch.Stack[*fieldpath.Set] // of which the sets at extents are not yet part
	// found are what was found below the containers that are being walked.
	found scratch.Stack[subset]
}

// extent is where a built set ends; it starts where the one before ends.
type extent struct{ members, children int32 }

// subset is what a set has below one element: nothing, a set that was there
// before, or a built one.
type subset struct {
	set   *fieldpath.Set
	built int32 // 1 + its index
}

func (s subset) none() bool { return s == subset{} }

// member adds a member to the set that is ended next.
func (d *setBuilder) member(pe fieldpath.PathElement) { d.members.Push(pe) }

// child adds a child to the set that is ended next.
func (d *setBuilder) child(pe fieldpath.PathElement, below subset) {
	d.children.Push(fieldpath.SetNode{PathElement: pe, Set: below.set})
	d.of.Push(below.built)
}

// end ends a set, which is not empty.
func (d *setBuilder) end() subset {
	d.extents.Push(extent{int32(d.members.Len()), int32(d.children.Len())})
	s := subset{built: int32(d.made.Len() + d.extents.Len())}
	if d.members.Len() > maxPiece {
		d.make(d.extents.Len() - 1)
	}
	if d.members.Len() > maxPiece {
		d.make(1)
	}
	return s
}

// maxPiece is how many members may be in one piece of memory, so that who keeps
// a part of a large set does not keep all of it.
const maxPiece = 1024

// finish returns the set that s stands for, nil if it is nothing.
func (d *setBuilder) finish(s subset) *fieldpath.Set {
	if s.built == 0 {
		return s.set
	}
	d.make(d.extents.Len())
	return d.made.S[s.built-1]
}

// make makes the first n of the sets that were ended, and drops what they were built in.
func (d *setBuilder) make(n int) {
	if n == 0 {
		return
	}
	d.piece(d.extents.S[:n])
	to := d.extents.S[n-1]
	d.members.Drop(int(to.members))
	d.children.Drop(int(to.children))
	d.of.Drop(int(to.children))
	d.extents.Drop(n)
	for i := range d.extents.S {
		d.extents.S[i].members -= to.members
		d.extents.S[i].children -= to.children
	}
}

// piece makes the first sets, which end at extents.
func (d *setBuilder) piece(extents []extent) {
	to := extents[len(extents)-1]
	members := append([]fieldpath.PathElement(nil), d.members.S[:to.members]...)
	children := append([]fieldpath.SetNode(nil), d.children.S[:to.children]...)
	sets := make([]fieldpath.Set, len(extents))
	at := extent{}
	for i, end := range extents {
		for c := at.children; c < end.children; c++ {
			if of := d.of.S[c]; of > 0 {
				children[c].Set = d.made.S[of-1]
			}
		}
		sets[i] = *fieldpath.FromSorted(members[at.members:end.members], children[at.children:end.children])
		d.made.Push(&sets[i])
		at = end
	}
}

// scrub empties d for the next operation.
func (d *setBuilder) scrub() {
	d.members.Scrub()
	d.children.Scrub()
	d.of.Scrub()
	d.extents.Scrub()
	d.made.Scrub()
	d.found.Scrub()
}
