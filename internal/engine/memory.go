// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
	"github.com/dovetail-ssa/dovetail/value"
)

// itemMemory is what an operation needs to tell items apart: scratch space that is handed
// on to the next operation, and slabs that path elements are cut from.
type itemMemory struct {
	ints  scratch.Stack[int32]
	keys  scratch.Stack[any]
	ranks scratch.Stack[ranked]
	slabs
}

// slabs are what path elements are cut from. They stay with these.
type slabs struct {
	values scratch.Slab[value.Value]
	lists  scratch.Slab[value.FieldList]
	fields scratch.Slab[value.Field]
	names  scratch.Slab[string]
	batch  value.Batch
}

var memories = sync.Pool{New: func() any { return new(itemMemory) }}

func newItemMemory() *itemMemory { return memories.Get().(*itemMemory) }

// done ends the operation.
func (m *itemMemory) done() {
	m.scrub()
	memories.Put(m)
}

// scrub empties m for the next operation.
func (m *itemMemory) scrub() {
	m.slabs = slabs{}
	m.ints.Scrub()
	m.keys.Scrub()
	m.ranks.Scrub()
}

// field returns the path element of a field.
func (w *itemMemory) field(m *graph.Map, name string) fieldpath.PathElement {
	if f := m.Field(name); f != nil {
		return fieldpath.PathElement{FieldName: &f.Name}
	}
	s := w.names.One()
	*s = name
	return fieldpath.PathElement{FieldName: s}
}
