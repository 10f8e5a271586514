// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
	"github.com/dovetail-ssa/dovetail/value"
)

// Workspace has the memory for operations on items: scratch space that the next operation
// reuses, and slabs for path elements. It is not safe for concurrent use.
type Workspace struct {
	IntScratch   scratch.Stack[int32] // positions, numbers of identities, and hash tables
	ValueScratch scratch.Stack[any]   // identities of items; callers may also push other values
	ranks        scratch.Stack[ranked]
	slabs
}

// slabs has the slabs from which path elements are allocated. The path elements keep the
// slabs in memory.
type slabs struct {
	values    scratch.Slab[value.Value]
	keys      scratch.Slab[value.FieldList]
	keyFields scratch.Slab[value.Field]
	Names     scratch.Slab[string] // the names of undeclared fields
	batch     value.Batch
}

var workspaces = sync.Pool{New: func() any { return new(Workspace) }}

// NewWorkspace returns a Workspace from a pool. The caller must call Done to return it to the pool.
func NewWorkspace() *Workspace { return workspaces.Get().(*Workspace) }

// Done returns w to the pool. Path elements that were allocated from w stay valid.
func (w *Workspace) Done() {
	w.Scrub()
	workspaces.Put(w)
}

// Scrub empties w for the next operation, but does not return it to the pool. Path elements that were
// allocated from w stay valid.
func (w *Workspace) Scrub() {
	w.slabs = slabs{}
	w.IntScratch.Scrub()
	w.ValueScratch.Scrub()
	w.ranks.Scrub()
}

// ExpectElements prepares w for n path elements of items in the list l. If l has keys, Element and
// ElementFromIdentity then allocate less often. If l is a set, ExpectElements does not affect them.
func (w *Workspace) ExpectElements(l *graph.List, n int) {
	w.keys.Expect(n)
	w.keyFields.Expect(n * len(l.Keys))
}

// FieldElement returns the path element of a field. If the field is declared, the element shares
// the name with the schema.
func (w *Workspace) FieldElement(m *graph.Map, name string) fieldpath.PathElement {
	if f := m.Field(name); f != nil {
		return fieldpath.PathElement{FieldName: &f.Name}
	}
	s := w.Names.One()
	*s = name
	return fieldpath.PathElement{FieldName: s}
}
