// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"math"
	"strconv"

	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// objects creates random values for a model.
type objects struct {
	*Source
	m     *Model
	noisy bool // whether to add wrong kinds, nulls, undeclared fields, wrong keys and duplicates
	wide  bool // whether to create long lists and large maps
	depth int
	left  int // number of nodes that may still be created
}

// manyTypes separates two kinds of models. A model with more types has Kubernetes types, and
// needs deep objects. A model with fewer types has a generated schema.
const manyTypes = 12

// NewObject returns a random value that fits the type in most cases.
func NewObject(s *Source, m *Model, r Ref, noisy bool) any {
	g := &objects{Source: s, m: m, noisy: noisy, depth: 4 + s.N(3), left: 40}
	if r.Named != "" && len(m.Types) > manyTypes {
		g.depth, g.left = 12, 60
	} else if s.Chance(1, 60) {
		g.wide, g.depth, g.left = true, 4, 400
	}
	return g.value(r, 0)
}

func (g *objects) value(r Ref, depth int) any {
	g.left--
	a, ok := g.m.resolve(r)
	if !ok {
		return g.text()
	}
	if g.noisy && g.Chance(1, 14) {
		return g.anything(depth)
	}
	if g.Chance(1, 60) || r.Nullable && g.Chance(1, 4) {
		return nil
	}
	var kinds []func() any
	if a.Map != nil {
		kinds = append(kinds, func() any { return g.mapping(a.Map, depth) })
	}
	if a.List != nil {
		kinds = append(kinds, func() any { return g.list(a.List, depth) })
	}
	if a.Scalar != "" {
		kinds = append(kinds, func() any { return g.scalar(a.Scalar) })
	}
	if len(kinds) == 0 {
		return nil
	}
	if depth >= g.depth || g.left <= 0 {
		// At the maximum depth or size, create a scalar or an empty value.
		if a.Scalar != "" {
			return g.scalar(a.Scalar)
		}
		return Pick(g.Source, func() any { return map[string]any{} }, func() any { return nil }, func() any { return []any{} })()
	}
	return kinds[g.N(len(kinds))]()
}

func (g *objects) scalar(kind string) any {
	switch kind {
	case "numeric":
		return g.number()
	case "boolean":
		return g.N(2) == 0
	case "untyped":
		return Pick(g.Source, func() any { return g.text() }, g.number, func() any { return g.N(2) == 0 })()
	}
	return g.text()
}

func (g *objects) number() any {
	if g.Chance(1, 50) {
		return Pick[any](g.Source, int64(9007199254740993), 1e21, -0.5, int64(math.MaxInt64), 1e-7, math.Copysign(0, -1), int64(math.MinInt64))
	}
	n := Pick[int64](g.Source, 80, 1, 0, 2, 443)
	if g.wide {
		n = int64(g.N(200))
	}
	if g.Chance(1, 6) {
		return float64(n)
	}
	return n
}

func (g *objects) text() string {
	if g.Chance(1, 12) {
		return Pick(g.Source, "", "80", "<&>", "\u2028", "true", "q\"\\", "ü\t", "f:a", ".", "x y\x01", "😀")
	}
	if g.wide && g.Chance(3, 4) {
		return "n" + strconv.Itoa(g.N(100))
	}
	return Pick(g.Source, "a", "b", "c", "TCP", "UDP")
}

// count returns a random number of items or entries.
func (g *objects) count(few int) int {
	if g.wide && g.Chance(1, 2) {
		return g.N(60)
	}
	return few
}

// anything returns a random value, for any schema.
func (g *objects) anything(depth int) any {
	switch g.weighted(3, 3, 2, 1, 2, 2) {
	case 1:
		return g.text()
	case 2:
		return g.number()
	case 3:
		return true
	case 4:
		out := []any{}
		for i, n := 0, g.N(3); i < n && depth < g.depth; i++ {
			out = append(out, g.anything(depth+1))
		}
		return out
	case 5:
		out := map[string]any{}
		for i, n := 0, g.N(3); i < n && depth < g.depth; i++ {
			out[Pick(g.Source, "name", "a", "b", "port")] = g.anything(depth + 1)
		}
		return out
	}
	return nil
}

func (g *objects) mapping(m *Map, depth int) any {
	out := map[string]any{}
	if g.Chance(1, 14) {
		return out
	}
	if len(m.Fields) > manyFields {
		g.someFields(m, out, depth)
	} else {
		for _, f := range m.Fields {
			if g.left > 0 && (g.Chance(3, 5) || f.Rich && g.Chance(1, 2)) {
				out[f.Name] = g.value(f.Type, depth+1)
			}
		}
	}
	if m.Element != nil {
		for i, n := 0, g.count(g.N(3)); i < n && g.left > 0; i++ {
			name := Pick(g.Source, "k1", "k2", "k3", "a", "0", "<&>", "x.y", "")
			if g.wide {
				name = "n" + strconv.Itoa(g.N(100))
			}
			if _, declared := m.field(name); !declared {
				out[name] = g.value(*m.Element, depth+1)
			}
		}
	} else if g.noisy && g.Chance(1, 12) {
		out[Pick(g.Source, "stray", "7", "astray")] = g.anything(depth + 1)
	}
	return out
}

// A type with more than manyFields fields is called wide. An object of a wide type gets only a
// few of these fields.
const manyFields = 10

// someFields sets a few of the fields of a wide type.
func (g *objects) someFields(m *Map, out map[string]any, depth int) {
	for range 2 + g.N(4) {
		f := m.Fields[g.N(len(m.Fields))]
		for i := 0; i < 6 && !f.Rich && g.Chance(1, 2); i++ {
			f = m.Fields[g.N(len(m.Fields))]
		}
		if g.left > 0 {
			out[f.Name] = g.value(f.Type, depth+1)
		}
	}
}

func (g *objects) list(l *List, depth int) any {
	out := []any{}
	seen := map[string]bool{}
	for i, n := 0, g.count(g.weighted(2, 4, 4, 3, 1)); i < n && g.left > 0; i++ {
		item := g.value(l.Element, depth+1)
		if l.Rel != associative {
			out = append(out, item)
			continue
		}
		if m, ok := item.(map[string]any); ok && len(l.Keys) > 0 {
			g.keys(l, m)
		}
		id, ok := g.m.identity(l, item)
		bad := !ok || seen[id]
		if bad && !(g.noisy && g.Chance(1, 2)) {
			continue
		}
		seen[id] = true
		out = append(out, item)
	}
	return out
}

// keys sets the key fields of an item, or removes some of them.
func (g *objects) keys(l *List, item map[string]any) {
	a, _ := g.m.resolve(l.Element)
	if a.Map == nil {
		return
	}
	for _, k := range l.Keys {
		f, declared := a.Map.field(k)
		if !declared {
			continue
		}
		switch {
		case g.noisy && g.Chance(1, 12):
			item[k] = g.anything(g.depth)
		case f.HasDefault && g.Chance(1, 3), g.Chance(1, 15), g.noisy && g.Chance(1, 6):
			delete(item, k)
		case f.HasDefault && f.Default != nil && g.Chance(1, 3):
			item[k] = tree.Copy(f.Default)
		case f.Type.Inline != nil && f.Type.Inline.Scalar != "":
			item[k] = g.scalar(f.Type.Inline.Scalar)
		default:
			item[k] = g.text()
		}
	}
}

// identity returns a text that identifies an item in an associative list. Equal integers and
// floats have the same text.
func (m *Model) identity(l *List, item any) (string, bool) {
	if len(l.Keys) == 0 {
		switch item.(type) {
		case nil, []any, map[string]any:
			return "", false
		}
		return identityText(item), true
	}
	fields, ok := item.(map[string]any)
	if !ok {
		return "", false
	}
	keys := m.keyFields(l, fields)
	id := ""
	for _, k := range tree.Keys(keys) {
		id += strconv.Quote(k) + identityText(keys[k])
	}
	return id, len(keys) > 0
}

// keyFields returns the key fields of an item. A missing key field gets its default. Without a
// default, it is missing in the result.
func (m *Model) keyFields(l *List, item map[string]any) map[string]any {
	out := map[string]any{}
	a, _ := m.resolve(l.Element)
	for _, k := range l.Keys {
		if v, ok := item[k]; ok {
			out[k] = v
		} else if a.Map != nil {
			if f, ok := a.Map.field(k); ok && f.HasDefault && f.Default != nil {
				out[k] = f.Default
			}
		}
	}
	return out
}

func identityText(v any) string {
	if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return tree.Text(int64(f))
	}
	return tree.Text(v)
}
