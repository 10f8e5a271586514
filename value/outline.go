// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"reflect"
	"slices"
)

// Outline returns the plain form of a struct without the fields that over, which
// is to be laid over it, lacks. complete puts them into tree and into other, what
// became of tree, of which it may be a part. Both are nil for what is no struct, or
// if nothing is left out. For the packages of this module.
//
// The same is done to structs in fields of it that granular accepts. A map of the
// outline is only without entries that stay whatever is laid over it where the
// struct is, too.
func (r *valueReflect) Outline(over map[string]any, granular func(name string) bool) (tree map[string]any, complete func(other map[string]any)) {
	if r.shape != structShape {
		return nil, nil
	}
	o := outline{depth: r.depth}
	tree = o.fields(r.v, infoOf(r.v.Type()), "", over, granular)
	if len(o.rest) == 0 {
		return nil, nil
	}
	return tree, func(other map[string]any) { o.complete(tree, other) }
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
}

func (o *outline) fields(v reflect.Value, t *typeInfo, within string, over map[string]any, granular func(string) bool) map[string]any {
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
		if !p.has && stays {
			o.rest = append(o.rest, leftOut{within, p.f, p.v})
			continue
		}
		if below, ok := p.u.(map[string]any); ok && within == "" && granular(p.f.JsonName) {
			if s, t := structOf(p.v, p.f.TypeEntry.t); t != nil {
				m[p.f.JsonName] = o.fields(s, t, p.f.JsonName, below, granular)
				continue
			}
		}
		m[p.f.JsonName] = o.lower(within, p.f, p.v)
	}
	return m
}

// lower is the plain form of a field.
func (o *outline) lower(within string, f *FieldCacheEntry, v reflect.Value) any {
	depth := o.depth + 1
	if within != "" {
		depth++
	}
	return o.lowerer.value(v, f.TypeEntry.t, depth)
}

func (o *outline) complete(tree, other map[string]any) {
	for _, p := range o.rest {
		in, also := tree, other
		if p.within != "" {
			in, _ = tree[p.within].(map[string]any)
			also, _ = other[p.within].(map[string]any)
		}
		plain := o.lower(p.within, p.f, p.v)
		in[p.f.JsonName] = plain
		if also != nil {
			also[p.f.JsonName] = plain
		}
	}
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
