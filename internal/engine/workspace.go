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

// workspace provides the memory for one operation, such as a comparison or a merge. Parts of
// the results come from slabs. Everything else is scratch memory, which the next operation
// reuses.
type workspace struct {
	item.Workspace
	results

	builder setBuilder

	members  scratch.Stack[fieldpath.PathElement]
	children scratch.Stack[fieldpath.SetNode]
	entries  scratch.Stack[entry]
	changes  scratch.Stack[change]

	// stored compares values as they are stored, for transition rules. It is here and not in the
	// comparer, because its address would move the comparer to the heap.
	stored data.StoredEquality
}

// results has the slabs from which field sets are allocated.
type results struct {
	elements scratch.Slab[fieldpath.PathElement]
	nodes    scratch.Slab[fieldpath.SetNode]
	sets     scratch.Slab[fieldpath.Set]
}

// entry is a field of a map or an item of a list. Entries are sorted to build a set.
type entry struct {
	pe   fieldpath.PathElement
	name string      // the name of an undeclared field
	t    *graph.Node // the type of a field
	v    any
	at   int32 // the index of an item, or the rank of a declared field, or -1 for an undeclared field

	member, child bool // whether the entry is a member of the set, and whether it is a child
	again         bool // whether the previous entry has the same path element
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// newWorkspace returns a workspace from the pool. The caller must call done to return it to the
// pool.
func newWorkspace() *workspace { return workspaces.Get().(*workspace) }

// done ends an operation, and returns the scratch memory to the pool. The results keep the
// slabs from which they were allocated.
func (w *workspace) done() {
	w.Workspace.Scrub()
	w.results = results{}
	w.stored.Descent = data.Descent{}
	w.builder.scrub()
	w.members.Scrub()
	w.children.Scrub()
	w.entries.Scrub()
	w.changes.Scrub()
	workspaces.Put(w)
}

// popSet pops the members and children that were pushed since the two marks. It returns them as
// a set, or nil if there are none.
func (w *workspace) popSet(memberMark, childMark int) *fieldpath.Set {
	m, c := w.members.S[memberMark:], w.children.S[childMark:]
	if len(m) == 0 && len(c) == 0 {
		return nil
	}
	ms, cs := w.elements.Take(len(m)), w.nodes.Take(len(c))
	copy(ms, m)
	copy(cs, c)
	w.members.Pop(memberMark)
	w.children.Pop(childMark)
	s := w.sets.One()
	*s = *fieldpath.FromSorted(ms, cs)
	return s
}

// pathCollector collects results of a walk that have a path, such as removed items. The walk
// adds path elements on its way back to the root. So the paths are reversed until the walk ends
// and the method sorted puts their elements in the normal order.
type pathCollector[T any] struct {
	all  []T
	path func(*T) *fieldpath.Path
}

// addParent adds the path element of a container to all results inside the container. These are
// the results from index mark on. If there are none, addParent does not call element.
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

// sorted puts the elements of all paths in the normal order, sorts the results and returns
// them.
func (p *pathCollector[T]) sorted(order func(a, b T) int) []T {
	for i := range p.all {
		slices.Reverse(*p.path(&p.all[i]))
	}
	slices.SortFunc(p.all, order)
	return p.all
}
