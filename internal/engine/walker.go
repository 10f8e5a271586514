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

// walker is the memory of one operation: what its results are cut from, and
// scratch space that is handed on to the next operation.
type walker struct {
	item.Memory
	results

	builder setBuilder

	members  scratch.Stack[fieldpath.PathElement]
	children scratch.Stack[fieldpath.SetNode]
	entries  scratch.Stack[entry]
	changes  scratch.Stack[change]

	// stored tells what is stored alike. A comparison on the stack cannot have it.
	stored data.StoredEquality
}

// results are what sets are cut from.
type results struct {
	elements scratch.Slab[fieldpath.PathElement]
	nodes    scratch.Slab[fieldpath.SetNode]
	sets     scratch.Slab[fieldpath.Set]
}

// entry is one field of a map or one item of a list that is being put in order.
type entry struct {
	pe   fieldpath.PathElement
	name string      // of an undeclared field, until pe has it
	t    *graph.Node // of a field
	v    any
	at   int32 // index of an item, or rank of a field, -1 if that is not declared

	member, child bool // what of it is in the set
	again         bool // whether it shares the element of the item before
}

var walkers = sync.Pool{New: func() any { return new(walker) }}

func newWalker() *walker { return walkers.Get().(*walker) }

// done ends the operation. The memory stays with its results.
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

// set returns the set of the members and children gathered since the marks,
// nil if there are none, and drops them.
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

// finds are what a walk found, with paths whose last element comes first: they grow
// while the walk unwinds.
type finds[T any] struct {
	all  []T
	path func(*T) *fieldpath.Path
}

// under puts what was found since a mark below a path element.
func (f *finds[T]) under(mark int, element func() fieldpath.PathElement) {
	if mark == len(f.all) {
		return
	}
	pe := element()
	for ; mark < len(f.all); mark++ {
		p := f.path(&f.all[mark])
		*p = append(*p, pe)
	}
}

// sorted returns what was found with its paths the right way round.
func (f *finds[T]) sorted(order func(a, b T) int) []T {
	for i := range f.all {
		slices.Reverse(*f.path(&f.all[i]))
	}
	slices.SortFunc(f.all, order)
	return f.all
}
