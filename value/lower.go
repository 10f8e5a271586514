// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/base64"
	"fmt"
	"reflect"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// Lowering makes plain data of Go values by reflection: fresh maps and lists,
// int64, float64, string, bool and nil. It is where a struct spends its time,
// so it walks typeInfo and Go data side by side and builds no Values.

// maxDepth bounds the nesting of documents and of Go data.
const maxDepth = 10_000

// lowerer lowers. Strings of one lowerer share memory. Where it is given a type, lists
// that are one leaf of that are left as they are: see goLeaf, and goText.
type lowerer struct {
	texts scratch.Slab[string]
	// left says that something was left as it is.
	left bool
	// made, if it is not nil, is told what lists are made of.
	made func(list []any, from reflect.Value)
}

// value returns the plain form of v, which is of type t. It panics if there
// is none. n is nil where all is lowered.
func (l *lowerer) value(v reflect.Value, t *typeInfo, n *graph.Node, depth int) any {
	if t.methods&convertible != 0 {
		u, fresh, err := t.convert(v)
		if err != nil {
			panic(err)
		}
		if u == nil || fresh && l.made == nil {
			return u
		}
		if e := reflect.ValueOf(u); e.Kind() == reflect.Pointer && !e.IsNil() {
			return l.plain(e.Elem(), infoOf(e.Type().Elem()), nil, depth)
		}
		return l.dynamic(u, depth)
	}
	switch {
	case t.shape == pointerShape && !v.IsNil():
		return l.plain(v.Elem(), t.elem, n, depth)
	case t.shape == interfaceShape && !v.IsNil():
		if v.CanInterface() {
			return l.dynamic(v.Interface(), depth)
		}
		e := v.Elem()
		return l.plain(e, infoOf(e.Type()), nil, depth)
	}
	return l.plain(v, t, n, depth)
}

// dynamic is plain for what an interface holds.
func (l *lowerer) dynamic(u any, depth int) any {
	switch u := u.(type) {
	case nil:
		return nil
	case string, bool, int64, float64:
		return u
	}
	v := reflect.ValueOf(u)
	return l.plain(v, infoOf(v.Type()), nil, depth)
}

// plain is value for a value that was converted already, or whose methods
// do not count: what a pointer or an interface holds.
func (l *lowerer) plain(v reflect.Value, t *typeInfo, n *graph.Node, depth int) any {
	if !t.leaves {
		n = nil
	}
	switch t.shape {
	case mapShape:
		if v.IsNil() {
			return nil
		}
		checkDepth(depth + 1)
		return l.goMap(v, t, n, depth)
	case structShape:
		return l.goStruct(v, t, n, depth)
	case listShape:
		if v.IsNil() {
			return nil
		}
		var item *graph.Node
		if n != nil && n.List != nil {
			if n.List.IsAtomic() && t.isHeavy(v.Len()) {
				l.left = true
				return []any{&goLeaf{v: v, t: t, depth: depth}}
			}
			if item = n.List.Item; t.elem.shape == mapShape {
				item = nil // it may have keys
			}
		}
		checkDepth(depth + 1)
		n := v.Len()
		out := make([]any, n, max(n, 1)) // even an empty list has an address
		for i := range out {
			out[i] = l.value(v.Index(i), t.elem, item, depth+1)
		}
		if l.made != nil {
			l.made(out, v)
		}
		return out
	case stringShape:
		return l.text(v.String())
	case bytesShape:
		return l.bytes(v.Bytes(), false)
	case boolShape:
		return v.Bool()
	case intShape:
		return v.Int()
	case uintShape:
		return int64(v.Uint())
	case floatShape:
		return v.Float()
	case pointerShape, interfaceShape, otherShape:
		if isNil(v) {
			return nil
		}
	}
	panic(unsupported(v.Type()))
}

func (l *lowerer) goMap(v reflect.Value, t *typeInfo, n *graph.Node, depth int) map[string]any {
	m := make(map[string]any, v.Len())
	if v.CanInterface() {
		switch all := v.Interface().(type) {
		case map[string]string:
			l.texts.Expect(len(all))
			for name, text := range all {
				m[name] = l.text(text)
			}
			return m
		case map[string][]byte:
			for name, b := range all {
				f := fieldOf(n, name)
				m[name] = l.bytes(b, f != nil && f.Kinds() == graph.ScalarKind)
			}
			return m
		}
	}
	for iter := v.MapRange(); iter.Next(); {
		name := iter.Key().String()
		m[name] = l.value(iter.Value(), t.elem, fieldOf(n, name), depth+1)
	}
	return m
}

// bytes is b in base64, which may be made later.
func (l *lowerer) bytes(b []byte, later bool) any {
	switch {
	case b == nil:
		return nil
	case later && len(b) >= heavyBytes:
		l.left = true
		return &goText{b: b}
	}
	return base64.StdEncoding.EncodeToString(b)
}

// text is s as an interface value; those of one lowerer share memory.
func (l *lowerer) text(s string) any {
	text := l.texts.One()
	*text = s
	return box.String(text)
}

func (l *lowerer) goStruct(v reflect.Value, t *typeInfo, n *graph.Node, depth int) any {
	checkDepth(depth + 1)
	type present struct {
		f *FieldCacheEntry
		v reflect.Value
	}
	var few [16]present
	fields := few[:0]
	for _, f := range t.sorted {
		if fv := f.GetFrom(v); !f.CanOmit(fv) {
			fields = append(fields, present{f, fv})
		}
	}
	m := make(map[string]any, len(fields))
	for _, p := range fields {
		t := p.f.TypeEntry.t
		if t.leaves {
			m[p.f.JsonName] = l.value(p.v, t, fieldOf(n, p.f.JsonName), depth+1)
		} else {
			m[p.f.JsonName] = l.value(p.v, t, nil, depth+1)
		}
	}
	return m
}

// fieldOf returns the type of a field of a map that is no leaf, nil of any other value.
func fieldOf(n *graph.Node, name string) *graph.Node {
	if n == nil || n.Map == nil || n.Map.Atomic {
		return nil
	}
	return n.Map.At(name)
}

// checkDepth panics if there are more levels of maps and lists than a document may have.
func checkDepth(levels int) {
	if levels > maxDepth {
		panic(fmt.Errorf("exceeded max depth of %d", maxDepth))
	}
}
