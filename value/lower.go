package value

import (
	"encoding/base64"
	"fmt"
	"reflect"
)

// Lowering makes plain data of Go values by reflection: fresh maps and lists,
// int64, float64, string, bool and nil. It is where a struct spends its time,
// so it walks typeInfo and Go data side by side and builds no Values.

// maxDepth bounds the nesting of documents and of Go data.
const maxDepth = 10_000

// lower returns the plain form of v, which is of type t. It panics if there
// is none.
func lower(v reflect.Value, t *typeInfo, depth int) any {
	if t.methods&convertible != 0 {
		u, fresh, err := t.convert(v)
		if err != nil {
			panic(err)
		}
		if fresh || u == nil {
			return u
		}
		if e := reflect.ValueOf(u); e.Kind() == reflect.Pointer && !e.IsNil() {
			return lowerPlain(e.Elem(), infoOf(e.Type().Elem()), depth)
		}
		return lowerDynamic(u, depth)
	}
	switch t.shape {
	case pointerShape:
		if v.IsNil() {
			return nil
		}
		return lowerPlain(v.Elem(), t.elem, depth)
	case interfaceShape:
		if v.IsNil() {
			return nil
		}
		if v.CanInterface() {
			return lowerDynamic(v.Interface(), depth)
		}
		e := v.Elem()
		return lowerPlain(e, infoOf(e.Type()), depth)
	}
	return lowerPlain(v, t, depth)
}

// lowerDynamic is lowerPlain for what an interface holds.
func lowerDynamic(u any, depth int) any {
	switch u := u.(type) {
	case nil:
		return nil
	case string, bool, int64, float64:
		return u
	case map[string]any:
		if u == nil {
			return nil
		}
		checkDepth(depth)
		m := make(map[string]any, len(u))
		for k, v := range u {
			m[k] = lowerDynamic(v, depth+1)
		}
		return m
	case []any:
		if u == nil {
			return nil
		}
		checkDepth(depth)
		l := make([]any, len(u))
		for i, v := range u {
			l[i] = lowerDynamic(v, depth+1)
		}
		return l
	}
	v := reflect.ValueOf(u)
	return lowerPlain(v, infoOf(v.Type()), depth)
}

// lowerPlain is lower for a value that was converted already, or whose methods
// do not count: what a pointer or an interface holds.
func lowerPlain(v reflect.Value, t *typeInfo, depth int) any {
	switch t.shape {
	case mapShape:
		if v.IsNil() {
			return nil
		}
		return lowerMap(v, t.elem, depth)
	case structShape:
		return lowerStruct(v, t, depth)
	case listShape:
		if v.IsNil() {
			return nil
		}
		checkDepth(depth)
		l := make([]any, v.Len())
		for i := range l {
			l[i] = lower(v.Index(i), t.elem, depth+1)
		}
		return l
	case stringShape:
		return v.String()
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

func lowerMap(v reflect.Value, elem *typeInfo, depth int) any {
	checkDepth(depth)
	m := make(map[string]any, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		m[iter.Key().String()] = lower(iter.Value(), elem, depth+1)
	}
	return m
}

func lowerStruct(v reflect.Value, t *typeInfo, depth int) any {
	checkDepth(depth)
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
		m[p.f.JsonName] = lower(p.v, p.f.TypeEntry.t, depth+1)
	}
	return m
}

func checkDepth(depth int) {
	if depth > maxDepth {
		panic(fmt.Errorf("exceeded max depth of %d", maxDepth))
	}
}
