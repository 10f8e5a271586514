// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"reflect"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Outline returns the plain form of a struct without the fields that over, which
// is to be laid over it, lacks. complete puts them into tree and into other, what
// became of tree, of which it may be a part. Both are nil for what is no struct, or
// if nothing is left out. For the packages of this module.
//
// The same is done to structs in fields of it that are no leaf of n, its type. A map of
// the outline is only without entries that stay whatever is laid over it where the
// struct is, too. Lists that are one leaf may be as Branches has them; complete says
// whether any is.
func (r *valueReflect) Outline(over map[string]any, n *graph.Node) (tree map[string]any, complete func(other map[string]any) (some bool)) {
	if r.shape != structShape {
		return nil, nil
	}
	o := outline{depth: int(r.depth)}
	tree = o.fields(r.v, infoOf(r.v.Type()), n, "", over)
	if len(o.rest) == 0 {
		return nil, nil
	}
	return tree, func(other map[string]any) bool { return o.complete(tree, other) }
}

type outline struct {
	lowerer
	depth int
	rest  []leftOut
}

// leftOut is a field that is left out, of the struct in a field of that name, or of
// the outermost one if it is empty.
type leftOut struct {
	within string
	f      *FieldCacheEntry
	v      reflect.Value
	n      *graph.Node
}

func (o *outline) fields(v reflect.Value, t *typeInfo, n *graph.Node, within string, over map[string]any) map[string]any {
	checkDepth(o.depth + 1)
	type present struct {
		f   *FieldCacheEntry
		v   reflect.Value
		u   any // what is laid over it
		has bool
	}
	var few [32]present
	fields := few[:0]
	more := 0
	stays := false // whether there is a scalar that a scalar replaces
	for _, f := range t.sorted {
		v := f.GetFrom(v)
		if f.CanOmit(v) {
			continue
		}
		u, has := over[f.JsonName]
		fields = append(fields, present{f, v, u, has})
		if !has {
			more++
		} else if !stays {
			stays = isScalar(u) && f.TypeEntry.t.isScalar()
		}
	}
	m := make(map[string]any, len(fields))
	if stays {
		o.rest = slices.Grow(o.rest, more)
	}
	for i := range fields {
		p := &fields[i]
		at := leftOut{within, p.f, p.v, n.Map.At(p.f.JsonName)}
		if !p.has && stays {
			o.rest = append(o.rest, at)
			continue
		}
		if below, ok := p.u.(map[string]any); ok && within == "" && at.n.Map != nil && !at.n.Map.Atomic {
			if s, t := structOf(p.v, p.f.TypeEntry.t); t != nil {
				m[p.f.JsonName] = o.fields(s, t, at.n, p.f.JsonName, below)
				continue
			}
		}
		m[p.f.JsonName] = o.lower(at)
	}
	return m
}

// lower is the plain form of a field.
func (o *outline) lower(p leftOut) any {
	depth := o.depth + 1
	if p.within != "" {
		depth++
	}
	return o.lowerer.value(p.v, p.f.TypeEntry.t, p.n, depth)
}

func (o *outline) complete(tree, other map[string]any) (some bool) {
	for _, p := range o.rest {
		in, also := tree, other
		if p.within != "" {
			in, _ = tree[p.within].(map[string]any)
			also, _ = other[p.within].(map[string]any)
		}
		plain := o.lower(p)
		in[p.f.JsonName] = plain
		if also != nil {
			also[p.f.JsonName] = plain
		}
	}
	return o.left
}

// structOf returns a struct that does not convert itself, or the one that a
// pointer refers to. t is nil if v is neither.
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
