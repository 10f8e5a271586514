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

// The code in this file converts Go values to plain data by reflection. Plain data consists of
// new maps and lists, int64, float64, string, bool and nil. Most operations on a struct spend
// most of their time in this conversion. To be fast, the code walks the Go value and its
// typeInfo in parallel, and creates no Values.

// maxDepth is the maximum nesting of documents and of Go data.
const maxDepth = 10_000

// converter converts Go values to plain data. It allocates memory for many strings at once. If the
// schema type of a value is known, it may leave atomic lists and []byte values unconverted (see
// goLeaf and goText).
type converter struct {
	texts scratch.Slab[string]
	// deferred is true if the result contains a goLeaf or a goText, which is not yet converted.
	deferred bool
	// onList, if not nil, is called for each new list and the Go slice it was converted from.
	onList func(list []any, from reflect.Value)
}

// value converts a Go value to plain data. It panics if that is not possible. t is the Go type of
// the value, and n is its schema type. If n is nil, value converts everything.
func (l *converter) value(v reflect.Value, t *typeInfo, n *graph.Node, depth int) any {
	if t.methods&convertible != 0 {
		u, fresh, err := t.convert(v)
		if err != nil {
			panic(err)
		}
		if u == nil || fresh && l.onList == nil {
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

// dynamic converts the content of an interface to plain data.
func (l *converter) dynamic(u any, depth int) any {
	switch u := u.(type) {
	case nil:
		return nil
	case string, bool, int64, float64:
		return u
	}
	v := reflect.ValueOf(u)
	return l.plain(v, infoOf(v.Type()), nil, depth)
}

// plain converts v to plain data, but does not call the conversion methods of v itself. Use it
// for results of such methods, and for values behind a pointer or an interface.
func (l *converter) plain(v reflect.Value, t *typeInfo, n *graph.Node, depth int) any {
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
				l.deferred = true
				return []any{&goLeaf{v: v, t: t, depth: depth}}
			}
			if item = n.List.Item; t.elem.shape == mapShape {
				item = nil // convert the items completely, because list keys must be plain data
			}
		}
		checkDepth(depth + 1)
		n := v.Len()
		out := make([]any, n, max(n, 1)) // the capacity gives even an empty list its own address
		for i := range out {
			out[i] = l.value(v.Index(i), t.elem, item, depth+1)
		}
		if l.onList != nil {
			l.onList(out, v)
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

func (l *converter) goMap(v reflect.Value, t *typeInfo, n *graph.Node, depth int) map[string]any {
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

// bytes returns b encoded in base64. If b is long and mayDefer is true, it returns a goText.
func (l *converter) bytes(b []byte, mayDefer bool) any {
	switch {
	case b == nil:
		return nil
	case mayDefer && len(b) >= heavyBytes:
		l.deferred = true
		return &goText{b: b}
	}
	return base64.StdEncoding.EncodeToString(b)
}

// text returns s as an interface value. It allocates memory for many strings at once.
func (l *converter) text(s string) any {
	text := l.texts.One()
	*text = s
	return box.String(text)
}

func (l *converter) goStruct(v reflect.Value, t *typeInfo, n *graph.Node, depth int) any {
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

// fieldOf returns the schema type of the field with the given name in n. It returns nil if n is
// not a granular map.
func fieldOf(n *graph.Node, name string) *graph.Node {
	if n == nil || n.Map == nil || n.Map.Atomic {
		return nil
	}
	return n.Map.At(name)
}

// checkDepth panics if levels exceeds maxDepth.
func checkDepth(levels int) {
	if levels > maxDepth {
		panic(fmt.Errorf("exceeded max depth of %d", maxDepth))
	}
}
