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

// Memory is the memory of an operation on items: scratch space that the next operation
// reuses, and slabs for path elements. It is not safe for concurrent use.
type Memory struct {
	Ints  scratch.Stack[int32]
	Anys  scratch.Stack[any] // identities of items; callers may also push other values
	ranks scratch.Stack[ranked]
	slabs
}

// slabs has the slabs from which path elements are allocated. The path elements keep the
// slabs in memory.
type slabs struct {
	values scratch.Slab[value.Value]
	Lists  scratch.Slab[value.FieldList]
	Fields scratch.Slab[value.Field]
	Names  scratch.Slab[string]
	batch  value.Batch
}

var memories = sync.Pool{New: func() any { return new(Memory) }}

// NewMemory returns a Memory from a pool. The caller must call Done to return it to the pool.
func NewMemory() *Memory { return memories.Get().(*Memory) }

// Done returns w to the pool. Path elements that were allocated from w stay valid.
func (w *Memory) Done() {
	w.Scrub()
	memories.Put(w)
}

// Scrub empties w for the next operation, but does not return it to the pool.
func (w *Memory) Scrub() {
	w.slabs = slabs{}
	w.Ints.Scrub()
	w.Anys.Scrub()
	w.ranks.Scrub()
}

// Field returns the path element of a field. If the field is declared, the element shares the
// name with the schema.
func (w *Memory) Field(m *graph.Map, name string) fieldpath.PathElement {
	if f := m.Field(name); f != nil {
		return fieldpath.PathElement{FieldName: &f.Name}
	}
	s := w.Names.One()
	*s = name
	return fieldpath.PathElement{FieldName: s}
}
