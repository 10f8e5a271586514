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

// walker has the memory of one operation: slabs for parts of the results, and scratch space
// that the next operation uses again.
type walker struct {
	item.Memory
	results

	builder setBuilder

	members  scratch.Stack[fieldpath.PathElement]
	children scratch.Stack[fieldpath.SetNode]
	entries  scratch.Stack[entry]
	changes  scratch.Stack[change]

	// stored compares values as they are stored, for transition rules. It is here because a
	// comparer is on the stack.
	stored data.StoredEquality
}

// results are the slabs that field sets are cut from.
type results struct {
	elements scratch.Slab[fieldpath.PathElement]
	nodes    scratch.Slab[fieldpath.SetNode]
	sets     scratch.Slab[fieldpath.Set]
}

// entry is one field of a map or one item of a list while these are sorted.
type entry struct {
	pe   fieldpath.PathElement
	name string      // the name of an undeclared field, until pe holds it
	t    *graph.Node // the type of a field
	v    any
	at   int32 // the index of an item or the rank of a field; -1 for an undeclared field

	member, child bool // whether the set has it as a member, as a child
	again         bool // whether it has the same path element as the item before
}

var walkers = sync.Pool{New: func() any { return new(walker) }}

// newWalker returns a walker from the pool. Call done to put it back.
func newWalker() *walker { return walkers.Get().(*walker) }

// done ends the operation. The results of the operation keep the slabs in memory. The scratch
// space returns to the pool.
func (w *walker) done() {
	w.Memory.Scrub()
	w.results = results{}
	w.stored.Descent = data.Descent{}
	w.builder.scrub()
	w.members.Scrub()
	w.children.Scrub()
	w.entries.Scrub()
	w.changes.Scrub()
	walkers.Put(w)
}

// set pops the members and children that were pushed after two marks, and returns them as a
// set. It returns nil if there are none. The arguments members and children are the marks.
func (w *walker) set(members, children int) *fieldpath.Set {
	m, c := w.members.S[members:], w.children.S[children:]
	if len(m) == 0 && len(c) == 0 {
		return nil
	}
	ms, cs := w.elements.Take(len(m)), w.nodes.Take(len(c))
	copy(ms, m)
	copy(cs, c)
	w.members.Pop(members)
	w.children.Pop(children)
	s := w.sets.One()
	*s = *fieldpath.FromSorted(ms, cs)
	return s
}

// pathCollector collects the findings of a walk, each with its path. Paths grow while the walk
// returns, so the last element is first. sorted reverses the paths.
type pathCollector[T any] struct {
	all  []T
	path func(*T) *fieldpath.Path
}

// prepend adds a path element in front of every path collected since the mark.
func (f *pathCollector[T]) prepend(mark int, element func() fieldpath.PathElement) {
	if mark == len(f.all) {
		return
	}
	pe := element()
	for ; mark < len(f.all); mark++ {
		p := f.path(&f.all[mark])
		*p = append(*p, pe)
	}
}

// sorted reverses the paths to their normal order, sorts all collected findings and returns
// them.
func (f *pathCollector[T]) sorted(order func(a, b T) int) []T {
	for i := range f.all {
		slices.Reverse(*f.path(&f.all[i]))
	}
	slices.SortFunc(f.all, order)
	return f.all
}
