// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/base64"
	"reflect"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// The code in this file defers two expensive conversions: of a slice of structs to plain data,
// and of a large []byte to base64. Each can cost more than the rest of the operation, and most
// operations do not need the result. For example, an atomic list is compared and replaced as a
// whole.

// Branches converts a value to plain data, but may leave large parts unconverted, and reports whether
// it did. An atomic list of containers (see isContainer) may become a list whose only item is a *goLeaf. A
// []byte in a map may become a *goText. n is the schema type of the value. Only packages of this module call
// Branches.
func (r *valueReflect) Branches(n *graph.Node) (plain any, some bool) {
	var l converter
	plain = l.plain(r.v, infoOf(r.v.Type()), n, int(r.depth))
	return plain, l.deferred
}

// goLeaf is a slice that is not yet converted to plain data.
type goLeaf struct {
	v     reflect.Value
	t     *typeInfo
	depth int
	plain []any // the list passed to SetPlain, or nil if it was not called
}

// Plain returns the slice as plain data. If SetPlain was called, it returns the list that was
// passed to SetPlain. If not, each call returns a new list.
func (g *goLeaf) Plain() []any {
	if g.plain != nil {
		return g.plain
	}
	var l converter
	return l.plain(g.v, g.t, nil, g.depth).([]any)
}

// Equals reports whether the slice, as plain data, equals the given list. It compares most values
// without converting them, and calls same to compare the values that it must convert.
func (g *goLeaf) Equals(list []any, same func(a, b any) bool) bool {
	p := plainComparer{same: same}
	return p.plain(g.v, g.t, list)
}

// SetPlain makes Plain return list instead of converting the slice. list must equal the slice as
// plain data. The caller must have exclusive access to g.
func (g *goLeaf) SetPlain(list []any) { g.plain = list }

// goText is a []byte that is not yet encoded in base64.
type goText struct {
	b    []byte
	text string // the text passed to SetText, or "" if it was not called
}

// heavyBytes is the minimum length of a []byte whose encoding is deferred.
const heavyBytes = 128

// Text returns the bytes as base64 text. Plain data has this text instead of the bytes.
func (g *goText) Text() string {
	if g.text != "" {
		return g.text
	}
	return base64.StdEncoding.EncodeToString(g.b)
}

// Equals reports whether text equals the result of the method Text. Unlike Text, it does not allocate.
func (g *goText) Equals(text string) bool {
	const step = 3 << 8 // a multiple of 3 bytes, so only the last chunk is padded
	var buf [step / 3 * 4]byte
	if g.text != "" {
		return g.text == text
	}
	if len(text) != base64.StdEncoding.EncodedLen(len(g.b)) {
		return false
	}
	for b := g.b; len(b) > 0; {
		n := min(len(b), step)
		long := base64.StdEncoding.EncodedLen(n)
		base64.StdEncoding.Encode(buf[:], b[:n])
		if string(buf[:long]) != text[:long] {
			return false
		}
		b, text = b[n:], text[long:]
	}
	return true
}

// SetText makes Text return text, which must be the base64 encoding of the bytes. The caller
// must have exclusive access to g.
func (g *goText) SetText(text string) { g.text = text }

// isHeavy reports whether to defer the conversion of a slice of type t that has the given number of
// items. If the items are containers (see isContainer), it returns true for many items, and for items
// that may contain values that can be deferred. For other items, it returns false.
func (t *typeInfo) isHeavy(items int) bool {
	return items > 0 && t.elem.isContainer() && (items >= 8 || t.elem.leaves)
}

// isContainer reports whether t is a map, struct or slice, or a pointer or interface, which may
// contain one of these.
func (t *typeInfo) isContainer() bool {
	return t.shape <= listShape || t.shape == pointerShape || t.shape == interfaceShape
}

// plainComparer compares Go values with plain data. It converts a Go value only if it has to.
type plainComparer struct {
	converter
	same func(a, b any) bool // compares values that had to be converted
}

func (p *plainComparer) value(v reflect.Value, t *typeInfo, u any) bool {
	if t.methods&convertible == 0 {
		if t.shape == pointerShape && !v.IsNil() {
			return p.plain(v.Elem(), t.elem, u)
		}
		if t.shape != interfaceShape {
			return p.plain(v, t, u)
		}
	}
	return p.same(p.converter.value(v, t, nil, 0), u)
}

func (p *plainComparer) plain(v reflect.Value, t *typeInfo, u any) bool {
	switch u := u.(type) {
	case map[string]any:
		switch {
		case u == nil || isNil(v):
		case t.shape == mapShape:
			return p.entries(v, t, u)
		case t.shape == structShape:
			return p.fields(v, t, u)
		}
	case []any:
		if u != nil && t.shape == listShape && !v.IsNil() {
			return p.items(v, t, u)
		}
	case string:
		if t.shape == stringShape {
			return u == v.String()
		}
	case bool:
		if t.shape == boolShape {
			return u == v.Bool()
		}
	case int64:
		if t.shape == intShape {
			return u == v.Int()
		}
	}
	return p.same(p.converter.plain(v, t, nil, 0), u)
}

func (p *plainComparer) entries(v reflect.Value, t *typeInfo, m map[string]any) bool {
	if v.Len() != len(m) {
		return false
	}
	for i := v.MapRange(); i.Next(); {
		if u, ok := m[i.Key().String()]; !ok || !p.value(i.Value(), t.elem, u) {
			return false
		}
	}
	return true
}

func (p *plainComparer) fields(v reflect.Value, t *typeInfo, m map[string]any) bool {
	there := 0
	for _, f := range t.sorted {
		fv := f.GetFrom(v)
		if f.CanOmit(fv) {
			continue
		}
		if u, ok := m[f.JsonName]; !ok || !p.value(fv, f.TypeEntry.t, u) {
			return false
		}
		there++
	}
	return there == len(m)
}

func (p *plainComparer) items(v reflect.Value, t *typeInfo, list []any) bool {
	if v.Len() != len(list) {
		return false
	}
	for i, u := range list {
		if !p.value(v.Index(i), t.elem, u) {
			return false
		}
	}
	return true
}
