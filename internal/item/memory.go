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

// Memory is what an operation needs to tell items apart: scratch space that is handed
// on to the next operation, and slabs that path elements are cut from.
type Memory struct {
	Ints  scratch.Stack[int32]
	Keys  scratch.Stack[any]
	ranks scratch.Stack[ranked]
	slabs
}

// slabs are what path elements are cut from. They stay with these.
type slabs struct {
	values scratch.Slab[value.Value]
	Lists  scratch.Slab[value.FieldList]
	Fields scratch.Slab[value.Field]
	Names  scratch.Slab[string]
	batch  value.Batch
}

var memories = sync.Pool{New: func() any { return new(Memory) }}

func NewMemory() *Memory { return memories.Get().(*Memory) }

// Done ends the operation.
func (m *Memory) Done() {
	m.Scrub()
	memories.Put(m)
}

// Scrub empties m for the next operation.
func (m *Memory) Scrub() {
	m.slabs = slabs{}
	m.Ints.Scrub()
	m.Keys.Scrub()
	m.ranks.Scrub()
}

// Field returns the path element of a field.
func (w *Memory) Field(m *graph.Map, name string) fieldpath.PathElement {
	if f := m.Field(name); f != nil {
		return fieldpath.PathElement{FieldName: &f.Name}
	}
	s := w.Names.One()
	*s = name
	return fieldpath.PathElement{FieldName: s}
}
