// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"reflect"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Outline converts a struct to plain data for a merge with overlay. To save time, it omits some
// fields that overlay does not have, because the merge would only copy them.
//
// The caller first merges overlay into tree, and then calls complete with the merged map, or with
// nil if the merge created no new map. The function complete adds the omitted fields to tree and to
// the merged map. These two maps may share parts. If the value is not a struct, or if Outline omits
// nothing, both results of Outline are nil.
//
// The parameter n is the schema type of the value. Outline also omits fields of inner structs that are
// not atomic in n. It omits fields of a struct only if overlay replaces one of the struct's scalars
// with another scalar, because the merged map then cannot be empty. Outline and complete may leave
// atomic lists and []byte values unconverted (see Branches). In this case, complete returns true.
//
// Only packages of this module call Outline.
func (r *valueReflect) Outline(overlay map[string]any, n *graph.Node) (tree map[string]any, complete func(merged map[string]any) (some bool)) {
	if r.shape != structShape {
		return nil, nil
	}
	o := outline{depth: int(r.depth)}
	tree = o.fields(r.v, infoOf(r.v.Type()), n, "", overlay)
	if len(o.omitted) == 0 {
		return nil, nil
	}
	return tree, func(merged map[string]any) bool { return o.complete(tree, merged) }
}

type outline struct {
	converter
	depth   int
	omitted []omittedField
}

// omittedField is a field that the outline omits. For a field of an inner struct, within is the
// name of the outer field that contains the inner struct. For all other fields, within is empty.
type omittedField struct {
	within string
	f      *FieldCacheEntry
	v      reflect.Value
	n      *graph.Node
}

func (o *outline) fields(v reflect.Value, t *typeInfo, n *graph.Node, within string, overlay map[string]any) map[string]any {
	checkDepth(o.depth + 1)
	type present struct {
		f   *FieldCacheEntry
		v   reflect.Value
		u   any // the value in the overlay
		has bool
	}
	var few [32]present
	fields := few[:0]
	more := 0
	keepsScalar := false // true if the merged map cannot be empty, because overlay replaces a scalar with another scalar
	for _, f := range t.sorted {
		v := f.GetFrom(v)
		if f.CanOmit(v) {
			continue
		}
		u, has := overlay[f.JsonName]
		fields = append(fields, present{f, v, u, has})
		if !has {
			more++
		} else if !keepsScalar {
			keepsScalar = isScalar(u) && f.TypeEntry.t.isScalar()
		}
	}
	m := make(map[string]any, len(fields))
	if keepsScalar {
		o.omitted = slices.Grow(o.omitted, more)
	}
	for i := range fields {
		p := &fields[i]
		at := omittedField{within, p.f, p.v, n.Map.At(p.f.JsonName)}
		if !p.has && keepsScalar {
			o.omitted = append(o.omitted, at)
			continue
		}
		if below, ok := p.u.(map[string]any); ok && within == "" && at.n.Map != nil && !at.n.Map.Atomic {
			if s, t := structOf(p.v, p.f.TypeEntry.t); t != nil {
				m[p.f.JsonName] = o.fields(s, t, at.n, p.f.JsonName, below)
				continue
			}
		}
		m[p.f.JsonName] = o.fieldValue(at)
	}
	return m
}

// fieldValue converts the value of a field to plain data.
func (o *outline) fieldValue(p omittedField) any {
	depth := o.depth + 1
	if p.within != "" {
		depth++
	}
	return o.converter.value(p.v, p.f.TypeEntry.t, p.n, depth)
}

// complete adds the omitted fields to tree and to the merged map, which may be nil. It reports
// whether an atomic list or a []byte was left unconverted.
func (o *outline) complete(tree, merged map[string]any) (some bool) {
	for _, p := range o.omitted {
		parent, mergedParent := tree, merged
		if p.within != "" {
			parent, _ = tree[p.within].(map[string]any)
			mergedParent, _ = merged[p.within].(map[string]any)
		}
		plain := o.fieldValue(p)
		parent[p.f.JsonName] = plain
		if mergedParent != nil {
			mergedParent[p.f.JsonName] = plain
		}
	}
	return o.deferred
}

// structOf returns a struct and its type: v itself if it is a struct, or the struct that v
// points to. The returned type is nil if there is no struct, or if the type t of v has conversion
// methods.
func structOf(v reflect.Value, t *typeInfo) (reflect.Value, *typeInfo) {
	if t.methods&convertible == 0 && t.shape == pointerShape && !v.IsNil() {
		v, t = v.Elem(), t.elem
	} else if t.methods&convertible != 0 {
		return v, nil
	}
	if t.shape != structShape {
		return v, nil
	}
	return v, t
}

func (t *typeInfo) isScalar() bool {
	return t.methods&convertible == 0 && intShape <= t.shape && t.shape <= boolShape && t.shape != bytesShape
}

func isScalar(v any) bool {
	switch v.(type) {
	case string, bool, int64, float64:
		return true
	}
	return false
}
