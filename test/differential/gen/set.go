// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// sets creates random FieldsV1 for objects.
type sets struct {
	*Source
	m     *Model
	noisy bool
}

// NewSet returns FieldsV1 with random paths of the object. Sometimes it adds paths that the
// object does not have.
func NewSet(s *Source, m *Model, r Ref, v any) string {
	g := &sets{Source: s, m: m, noisy: s.Chance(1, 4)}
	n := g.node(r, v, 0)
	return tree.Text(n)
}

func (g *sets) node(r Ref, v any, depth int) map[string]any {
	out := map[string]any{}
	a, _ := g.m.resolve(r)
	switch t := v.(type) {
	case map[string]any:
		for _, k := range tree.Keys(t) {
			g.entry(out, "f:"+k, childRef(a.Map, k), t[k], depth)
		}
	case []any:
		for i, item := range t {
			g.entry(out, g.element(a.List, i, item), elementRef(a.List), item, depth)
		}
	}
	if g.noisy && g.Chance(1, 4) {
		e := Pick(g.Source, `f:ghost`, `f:a`, `k:{"name":"ghost"}`, `k:{"name":"a"}`, `v:"a"`, `v:80`, `i:0`, `i:12`, `k:{"port":80.0}`, `x:y`, `f:`)
		child := map[string]any{}
		if g.Chance(1, 3) {
			child = g.node(Ref{}, Pick[any](g.Source, map[string]any{"a": "b"}, []any{"a"}), depth+1)
		}
		out[e] = child
	}
	return out
}

func (g *sets) entry(out map[string]any, e string, r Ref, v any, depth int) {
	switch g.weighted(3, 3, 2, 3) {
	case 1: // the set contains the element
		out[e] = map[string]any{}
	case 2: // the set contains the element and paths below it
		n := g.node(r, v, depth+1)
		if len(n) > 0 {
			n["."] = map[string]any{}
		}
		out[e] = n
	case 3: // the set contains only paths below the element
		if n := g.node(r, v, depth+1); len(n) > 0 {
			out[e] = n
		}
	}
}

func (g *sets) element(l *List, i int, item any) string {
	if l == nil || l.Rel != associative || g.noisy && g.Chance(1, 8) {
		return "i:" + tree.Text(int64(i))
	}
	if m, ok := item.(map[string]any); ok && len(l.Keys) > 0 {
		return "k:" + tree.Text(g.m.keyFields(l, m))
	}
	return "v:" + tree.Text(item)
}

func childRef(m *Map, name string) Ref {
	if m == nil {
		return Ref{}
	}
	if f, ok := m.field(name); ok {
		return f.Type
	}
	if m.Element != nil {
		return *m.Element
	}
	return Ref{}
}

func elementRef(l *List) Ref {
	if l == nil {
		return Ref{}
	}
	return l.Element
}
