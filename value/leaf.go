// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/base64"
	"reflect"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// A list that is one leaf of its schema is compared and replaced as a whole, so that most
// operations need not know what is in it. Where it is a slice of structs, making plain data
// of it can cost more than all else. So it is with bytes, whose text is longer than they are.

// Branches returns the plain form of a value of type n in which lists of containers that
// are one leaf may still be Go slices: each is a list of one item, a goLeaf. Texts of bytes
// in maps may be a goText. some says whether there is any of either. For the packages of
// this module.
func (r *valueReflect) Branches(n *graph.Node) (plain any, some bool) {
	var l lowerer
	plain = l.plain(r.v, infoOf(r.v.Type()), n, int(r.depth))
	return plain, l.left
}

// goLeaf is a slice of which no plain data was made.
type goLeaf struct {
	v     reflect.Value
	t     *typeInfo
	depth int
	used  []any
}

// Make returns the plain form of the slice, a new one each time.
func (g *goLeaf) Make() []any {
	if g.used != nil {
		return g.used
	}
	var l lowerer
	return l.plain(g.v, g.t, nil, g.depth).([]any)
}

// Is says whether what Make returns is the same as list to a function that compares plain
// data. It makes plain data only of what is neither a container, text nor a number.
func (g *goLeaf) Is(list []any, same func(a, b any) bool) bool {
	p := plainIs{same: same}
	return p.plain(g.v, g.t, list)
}

// Use has Make return list, which it is the same as: there is no need to make another. Only
// who has the leaf alone may call it.
func (g *goLeaf) Use(list []any) { g.used = list }

// goText is bytes of which no text was made.
type goText struct {
	b    []byte
	used string
}

// heavyBytes is how many bytes are worth putting off.
const heavyBytes = 128

// Text returns the bytes in base64, as plain data has them.
func (g *goText) Text() string {
	if g.used != "" {
		return g.used
	}
	return base64.StdEncoding.EncodeToString(g.b)
}

// Is says whether Text returns text. It makes none.
func (g *goText) Is(text string) bool {
	const step = 3 << 8 // bytes, whose text ends with no padding but for the last
	var buf [step / 3 * 4]byte
	if g.used != "" {
		return g.used == text
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

// Use has Text return text, which it is the same as. Only who has it alone may call it.
func (g *goText) Use(text string) { g.used = text }

// isHeavy says whether making plain data of a slice of the type with so many items is worth
// putting off: there are many of them, or lists in them.
func (t *typeInfo) isHeavy(items int) bool {
	return items > 0 && t.elem.isContainer() && (items >= 8 || t.elem.leaves)
}

// isContainer says whether values are, or may be, containers.
func (t *typeInfo) isContainer() bool {
	return t.shape <= listShape || t.shape == pointerShape || t.shape == interfaceShape
}

// plainIs compares the plain form of Go values with plain data without making it.
type plainIs struct {
	lowerer
	same func(a, b any) bool
}

func (p *plainIs) value(v reflect.Value, t *typeInfo, u any) bool {
	if t.methods&convertible == 0 {
		if t.shape == pointerShape && !v.IsNil() {
			return p.plain(v.Elem(), t.elem, u)
		}
		if t.shape != interfaceShape {
			return p.plain(v, t, u)
		}
	}
	return p.same(p.lowerer.value(v, t, nil, 0), u)
}

func (p *plainIs) plain(v reflect.Value, t *typeInfo, u any) bool {
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
	return p.same(p.lowerer.plain(v, t, nil, 0), u)
}

func (p *plainIs) entries(v reflect.Value, t *typeInfo, m map[string]any) bool {
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

func (p *plainIs) fields(v reflect.Value, t *typeInfo, m map[string]any) bool {
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

func (p *plainIs) items(v reflect.Value, t *typeInfo, list []any) bool {
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
