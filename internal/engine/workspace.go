// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// workspace provides the memory for one operation, such as a comparison or a merge. The result of
// the operation may use memory from the slabs. Everything else is scratch memory, which the next
// operation reuses.
type workspace struct {
	item.Workspace
	resultSlabs

	builder setBuilder

	entries scratch.Stack[fieldSetEntry]
	changes scratch.Stack[change]

	// givenUpMembers and givenUpChildren have the given-up paths that FindGivenUp has found so far. The
	// method popGivenUpSet makes a set of them.
	givenUpMembers  scratch.Stack[fieldpath.PathElement]
	givenUpChildren scratch.Stack[fieldpath.SetNode]

	// stored compares values as they are stored, for transition rules. Values that it finds equal must
	// also be equal for a comparison, so NaNs differ. It is here and not in the comparer, because its
	// address would move the comparer to the heap.
	stored data.StoredEquality
}

// resultSlabs has the slabs from which Compare and FindGivenUp allocate field sets. FieldSet uses a
// setBuilder instead.
type resultSlabs struct {
	elements scratch.Slab[fieldpath.PathElement]
	nodes    scratch.Slab[fieldpath.SetNode]
	sets     scratch.Slab[fieldpath.Set]
}

// fieldSetEntry is a field of a map or an item of a list. FieldSet sorts such entries to build a set.
type fieldSetEntry struct {
	pe   fieldpath.PathElement
	name string      // the name of an undeclared field
	t    *graph.Node // the type of a field
	v    any
	at   int32 // the index of an item in its list; only pushItemsSlowly sets it

	declared       bool // whether the entry is a declared field
	member, child  bool // whether the entry is a member of the set, and whether it is a child
	sameAsPrevious bool // whether the previous entry has the same path element
}

var workspaces = sync.Pool{New: func() any { return &workspace{stored: data.StoredEquality{NaNsDiffer: true}} }}

// newWorkspace returns a workspace from the pool. The caller must call done to return it to the
// pool.
func newWorkspace() *workspace { return workspaces.Get().(*workspace) }

// done ends an operation, and returns the workspace to the pool. The next operation gets new slabs,
// because the result of this operation may use the memory of the old ones.
func (w *workspace) done() {
	w.Workspace.Scrub()
	w.resultSlabs = resultSlabs{}
	w.stored.DepthLimit = data.DepthLimit{}
	w.builder.scrub()
	w.entries.Scrub()
	w.changes.Scrub()
	w.givenUpMembers.Scrub()
	w.givenUpChildren.Scrub()
	workspaces.Put(w)
}

// popGivenUpSet pops the elements of givenUpMembers from the index memberMark on, and those of
// givenUpChildren from childMark on. It returns them as a set, or nil if there are none. They must have
// been pushed in ascending order.
func (w *workspace) popGivenUpSet(memberMark, childMark int) *fieldpath.Set {
	members, children := w.givenUpMembers.S[memberMark:], w.givenUpChildren.S[childMark:]
	if len(members) == 0 && len(children) == 0 {
		return nil
	}
	ms, cs := w.elements.Take(len(members)), w.nodes.Take(len(children))
	copy(ms, members)
	copy(cs, children)
	w.givenUpMembers.Pop(memberMark)
	w.givenUpChildren.Pop(childMark)
	s := w.sets.One()
	*s = *fieldpath.FromSorted(ms, cs)
	return s
}

// pathCollector collects results of a walk that have a path, such as removed items. The walk
// adds path elements on its way back to the root. So the elements of a path are in reverse order
// until the walk ends and the method sorted reverses them.
type pathCollector[T any] struct {
	all  []T
	path func(*T) *fieldpath.Path // returns the address of the path of a result
}

// addParent adds a path element to the results from index mark on: the element of the field or item
// that contains them. If there are no such results, addParent does not call element.
func (p *pathCollector[T]) addParent(mark int, element func() fieldpath.PathElement) {
	if mark == len(p.all) {
		return
	}
	pe := element()
	for ; mark < len(p.all); mark++ {
		path := p.path(&p.all[mark])
		*path = append(*path, pe)
	}
}

// sorted reverses the paths, so that each begins at the root. It then sorts the results and
// returns them.
func (p *pathCollector[T]) sorted(order func(a, b T) int) []T {
	for i := range p.all {
		slices.Reverse(*p.path(&p.all[i]))
	}
	slices.SortFunc(p.all, order)
	return p.all
}
