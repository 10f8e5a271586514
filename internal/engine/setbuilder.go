// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// setBuilder builds field sets in scratch memory. It builds the children of a set before the set
// itself. Later operations reuse scratch memory, so setBuilder copies completed sets to new memory
// of exactly their size. It does so whenever a chunk of sets is full (see maxChunk), and in the
// method finish.
//
// Sets get numbers in the order in which they are completed. The first set has the number 1.
type setBuilder struct {
	// members and children are in scratch memory. They belong first to the completed sets in
	// extents, and then to the current set: the set to which addMember and addChild add elements.
	members  scratch.Stack[fieldpath.PathElement]
	children scratch.Stack[fieldpath.SetNode] // Set is nil if the child has a number
	numbers  scratch.Stack[int32]             // for each child: the number of its set, or 0 for an existing set
	extents  scratch.Stack[extent]            // the completed sets in scratch memory
	copied   scratch.Stack[*fieldpath.Set]    // the sets that were already copied; the set with the number n has the index n-1
	// childSets has the sets of children whose parents are not completed yet. The fieldSetWalker pushes
	// and pops them.
	childSets scratch.Stack[setRef]
}

// extent marks where a set ends in members and in children. The set starts where the previous
// set ends.
type extent struct{ members, children int32 }

// setRef refers to the set of the paths below a path element. This set is empty, an existing set, or a
// set of the builder.
type setRef struct {
	set    *fieldpath.Set // an existing set, or nil
	number int32          // the number of a set of the builder, or 0
}

// isEmpty reports whether the set is empty.
func (s setRef) isEmpty() bool { return s == setRef{} }

// addMember adds a member to the current set. Members must be added in ascending order.
func (b *setBuilder) addMember(pe fieldpath.PathElement) { b.members.Push(pe) }

// addChild adds a child to the current set. Children must be added in ascending order.
func (b *setBuilder) addChild(pe fieldpath.PathElement, below setRef) {
	b.children.Push(fieldpath.SetNode{PathElement: pe, Set: below.set})
	b.numbers.Push(below.number)
}

// endSet completes the current set and returns it. The set must not be empty. The next call of
// addMember or addChild starts a new set.
func (b *setBuilder) endSet() setRef {
	b.extents.Push(extent{int32(b.members.Len()), int32(b.children.Len())})
	s := setRef{number: int32(b.copied.Len() + b.extents.Len())}
	// If there are too many members for a chunk, copy the earlier sets. If this set alone has too
	// many, also copy it, into an allocation of its own.
	if b.members.Len() > maxChunk {
		b.copySets(b.extents.Len() - 1)
	}
	if b.members.Len() > maxChunk {
		b.copySets(1)
	}
	return s
}

// maxChunk limits the number of members that share one allocation. Without this limit, a small
// part of a large set would keep the whole set in memory. A set with more members gets an
// allocation of its own. There is no limit for the number of children.
const maxChunk = 1024

// finish returns s as a set outside of scratch memory, or nil if it is empty.
func (b *setBuilder) finish(s setRef) *fieldpath.Set {
	if s.number == 0 {
		return s.set
	}
	b.copySets(b.extents.Len())
	return b.copied.S[s.number-1]
}

// copySets copies the first n sets in scratch memory to new memory, and frees the scratch memory
// that they used.
func (b *setBuilder) copySets(n int) {
	if n == 0 {
		return
	}
	b.copyChunk(b.extents.S[:n])
	to := b.extents.S[n-1]
	b.members.Drop(int(to.members))
	b.children.Drop(int(to.children))
	b.numbers.Drop(int(to.children))
	b.extents.Drop(n)
	for i := range b.extents.S {
		b.extents.S[i].members -= to.members
		b.extents.S[i].children -= to.children
	}
}

// copyChunk copies the sets with the given extents, which are the first sets in scratch memory.
// It makes one allocation for all members, one for all children, and one for the sets.
func (b *setBuilder) copyChunk(extents []extent) {
	to := extents[len(extents)-1]
	members := append([]fieldpath.PathElement(nil), b.members.S[:to.members]...)
	children := append([]fieldpath.SetNode(nil), b.children.S[:to.children]...)
	sets := make([]fieldpath.Set, len(extents))
	start := extent{}
	for i, end := range extents {
		for child := start.children; child < end.children; child++ {
			if number := b.numbers.S[child]; number > 0 {
				children[child].Set = b.copied.S[number-1]
			}
		}
		sets[i] = *fieldpath.FromSorted(members[start.members:end.members], children[start.children:end.children])
		b.copied.Push(&sets[i])
		start = end
	}
}

// scrub empties b for the next operation.
func (b *setBuilder) scrub() {
	b.members.Scrub()
	b.children.Scrub()
	b.numbers.Scrub()
	b.extents.Scrub()
	b.copied.Scrub()
	b.childSets.Scrub()
}
