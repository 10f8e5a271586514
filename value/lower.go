// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/base64"
	"fmt"
	"reflect"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// Lowering makes plain data of Go values by reflection: fresh maps and lists,
// int64, float64, string, bool and nil. It is where a struct spends its time,
// so it walks typeInfo and Go data side by side and builds no Values.

// maxDepth bounds the nesting of documents and of Go data.
const maxDepth = 10_000

// lowerer lowers. Strings of one lowerer share memory.
type lowerer struct {
	texts scratch.Slab[string]
	// made, if it is not nil, is told what lists are made of.
	made func(list []any, from reflect.Value)
}

// value returns the plain form of v, which is of type t. It panics if there
// is none.
func (l *lowerer) value(v reflect.Value, t *typeInfo, depth int) any {
	if t.methods&convertible != 0 {
		u, fresh, err := t.convert(v)
		if err != nil {
			panic(err)
		}
		if u == nil || fresh && l.made == nil {
			return u
		}
		if e := reflect.ValueOf(u); e.Kind() == reflect.Pointer && !e.IsNil() {
			return l.plain(e.Elem(), infoOf(e.Type().Elem()), depth)
		}
		return l.dynamic(u, depth)
	}
	switch {
	case t.shape == pointerShape && !v.IsNil():
		return l.plain(v.Elem(), t.elem, depth)
	case t.shape == interfaceShape && !v.IsNil():
		if v.CanInterface() {
			return l.dynamic(v.Interface(), depth)
		}
		e := v.Elem()
		return l.plain(e, infoOf(e.Type()), depth)
	}
	return l.plain(v, t, depth)
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
	return l.plain(v, infoOf(v.Type()), depth)
}

// plain is value for a value that was converted already, or whose methods
// do not count: what a pointer or an interface holds.
func (l *lowerer) plain(v reflect.Value, t *typeInfo, depth int) any {
	switch t.shape {
	case mapShape:
		if v.IsNil() {
			return nil
		}
		checkDepth(depth + 1)
		m := make(map[string]any, v.Len())
		for iter := v.MapRange(); iter.Next(); {
			m[iter.Key().String()] = l.value(iter.Value(), t.elem, depth+1)
		}
		return m
	case structShape:
		return l.goStruct(v, t, depth)
	case listShape:
		if v.IsNil() {
			return nil
		}
		checkDepth(depth + 1)
		n := v.Len()
		out := make([]any, n, max(n, 1)) // even an empty list has an address
		for i := range out {
			out[i] = l.value(v.Index(i), t.elem, depth+1)
		}
		if l.made != nil {
			l.made(out, v)
		}
		return out
	case stringShape:
		text := l.texts.One()
		*text = v.String()
		return box.String(text)
	case bytesShape:
		if v.IsNil() {
			return nil
		}
		return base64.StdEncoding.EncodeToString(v.Bytes())
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

func (l *lowerer) goStruct(v reflect.Value, t *typeInfo, depth int) any {
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
		m[p.f.JsonName] = l.value(p.v, p.f.TypeEntry.t, depth+1)
	}
	return m
}

// checkDepth panics if there are more levels of maps and lists than a document may have.
func checkDepth(levels int) {
	if levels > maxDepth {
		panic(fmt.Errorf("exceeded max depth of %d", maxDepth))
	}
}
