// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"fmt"
	"maps"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
	"github.com/dovetail-ssa/dovetail/typed"
)

// freshness says which maps and lists of a returned object the caller may modify.
type freshness int

const (
	isInput  freshness = iota
	merges             // all maps and lists that are not merged as a whole
	removes            // the maps and lists at the top level and on the paths of the set
	extracts           // the same as removes, but not below the members of the set
)

// sharingResult is the result of one operation.
type sharingResult struct {
	name  string
	fresh freshness
	along *fieldpath.Set // the set that was removed or extracted, if fresh is removes or extracts

	object   *typed.TypedValue
	set      *fieldpath.Set
	own      bool // whether set shares no memory with the operands; if false, it may share subsets
	managers fieldpath.ManagedFields
	err      error
}

func (r *sharingResult) text() string {
	switch {
	case r.err != nil:
		return r.err.Error()
	case r.managers != nil:
		return managersText(r.managers)
	case r.object != nil:
		return objectText(r.object)
	}
	return setText(r.set)
}

// write is a way to modify a result.
type write string

const (
	wide   write = "wide"   // modifies the top level of a set, or any level of an object
	deep   write = "deep"   // modifies all levels of a set that shares no memory
	copied write = "copied" // modifies all levels of a copy
)

// write modifies the result in the given way. It reports whether this way applies to the
// result.
func (r *sharingResult) write(w *sharingWorld, kind write, c *counts) bool {
	switch {
	case r.err != nil:
		return false
	case r.managers != nil:
		return r.writeManagers(kind, c)
	case r.object != nil:
		if kind != wide || r.fresh == isInput || r.object.AsValue() == nil {
			return false
		}
		s := scribbler{schema: w.schema, all: w.structs, fresh: r.fresh}
		s.value(w.ref, r.object.AsValue().Unstructured(), r.along)
		c.objects += s.writes
		return s.writes > 0
	case r.set == nil:
		return false
	}
	c.sets++
	switch kind {
	case deep:
		if r.own {
			insertEverywhere(r.set)
		}
		return r.own
	case copied:
		insertEverywhere(r.set.Copy())
	default:
		insertAround(r.set)
	}
	return true
}

// writeManagers modifies the map of managers. It does not modify the sets in it, which callers
// must not do.
func (r *sharingResult) writeManagers(kind write, c *counts) bool {
	switch kind {
	case wide:
		for name := range r.managers {
			r.managers[name] = fieldpath.NewVersionedSet(fieldpath.NewSet(), "v0", false)
			c.managers++
		}
		r.managers["new"] = fieldpath.NewVersionedSet(fieldpath.NewSet(), "v0", false)
	case copied:
		for _, v := range r.managers {
			insertEverywhere(v.Set().Copy())
		}
	default:
		return false
	}
	return true
}

// boundaryElements returns elements that sort before, between and after most other elements.
func boundaryElements() []fieldpath.PathElement {
	first, middle, last, index := "", "c~", "~~", 1<<30
	return []fieldpath.PathElement{{FieldName: &first}, {FieldName: &middle}, {FieldName: &last}, {Index: &index}}
}

// insertAround adds paths to a set. The first element of each added path is new at the top
// level of the set, or is not a member there yet.
func insertAround(s *fieldpath.Set) {
	for _, pe := range boundaryElements() {
		s.Insert(fieldpath.Path{pe})
		if _, ok := s.Children.Get(pe); !ok {
			s.Insert(fieldpath.Path{pe, pe})
		}
	}
	for _, child := range s.Children.Sorted() {
		s.Insert(fieldpath.Path{child.PathElement})
	}
}

func insertEverywhere(s *fieldpath.Set) {
	for _, child := range s.Children.Sorted() {
		insertEverywhere(child.Set)
	}
	insertAround(s)
	s.Children.Iterate(func(pe fieldpath.PathElement) { s.Children.Descend(pe).Insert(fieldpath.Path{pe, pe}) })
}

// scribbler modifies all maps and lists of an object that belong to the caller.
type scribbler struct {
	schema *schema.Schema
	all    bool // whether all maps and lists belong to the caller
	fresh  freshness
	writes int
}

func (s *scribbler) value(ref schema.TypeRef, v any, along *fieldpath.Set) {
	atom, _ := s.schema.Resolve(ref)
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 || !s.all && (atom.Map == nil || atom.Map.ElementRelationship == schema.Atomic) {
			return
		}
		for _, k := range tree.Keys(x) {
			if below, ok := s.below(fieldpath.PathElement{FieldName: &k}, along); ok {
				s.value(fieldType(atom.Map, k), x[k], below)
			}
		}
		for k := range x {
			x[k] = "scribbled"
		}
		x["scribbled"] = true
		s.writes++
	case map[any]any:
		if s.all {
			panic("a Go struct became a map of any keys")
		}
		if len(x) == 0 || atom.Map == nil || atom.Map.ElementRelationship == schema.Atomic || s.fresh != merges {
			return
		}
		for k := range maps.Clone(x) {
			s.value(fieldType(atom.Map, fmt.Sprint(k)), x[k], nil)
			x[k] = "scribbled"
		}
		s.writes++
	case []any:
		if len(x) == 0 || !s.all && (atom.List == nil || atom.List.ElementRelationship != schema.Associative) {
			return
		}
		for i := range x {
			if s.all || s.fresh == merges {
				element := schema.TypeRef{}
				if atom.List != nil {
					element = atom.List.ElementType
				}
				s.value(element, x[i], nil)
			}
			x[i] = "scribbled"
		}
		s.writes++
	}
}

// below reports whether the value at pe belongs to the caller. It also returns the part of
// along below pe.
func (s *scribbler) below(pe fieldpath.PathElement, along *fieldpath.Set) (*fieldpath.Set, bool) {
	if s.all || s.fresh == merges {
		return nil, true
	}
	if along == nil || s.fresh == extracts && along.Members.Has(pe) {
		return nil, false
	}
	below, ok := along.Children.Get(pe)
	return below, ok && !below.Empty()
}

func fieldType(m *schema.Map, name string) schema.TypeRef {
	if m == nil {
		return schema.TypeRef{}
	}
	if f, ok := m.FindField(name); ok {
		return f.Type
	}
	return m.ElementType
}
