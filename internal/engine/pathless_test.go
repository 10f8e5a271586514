// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math/rand"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// pathlessSlowly is a simple and slow implementation of pathlessContainers. It walks all of v.
func pathlessSlowly(n *graph.Node, v any) bool {
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return false
		}
		for name, c := range data.AsMap(v) {
			if pathlessSlowly(n.Map.At(name), c) {
				return true
			}
		}
		return v != nil && data.ClassOf(v) != data.Mapping
	case graph.ListKind:
		if n.List.IsAtomic() {
			return false
		}
		for _, c := range data.AsList(v) {
			if pathlessSlowly(n.List.Item, c) {
				return true
			}
		}
		return len(data.AsList(v)) == 0 && v != nil
	}
	return false
}

func TestPathlessLikeSlowVersion(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	folder := &graph.Node{}
	list := &graph.Node{List: &graph.List{Item: folder, Relation: graph.Associative, Keys: []graph.Key{{Name: "name"}}}}
	block := &graph.Node{List: &graph.List{Item: folder, Relation: graph.Atomic}}
	atomic := &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "list", Type: list}}, &graph.Node{})}
	atomic.Map.Atomic = true
	folder.Map = graph.NewMap([]graph.Field{
		{Name: "atomic", Type: atomic}, {Name: "below", Type: folder}, {Name: "block", Type: block},
		{Name: "list", Type: list}, {Name: "text", Type: text},
	}, &graph.Node{})
	count := [2]int{}
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		type part struct {
			n *graph.Node
			v any
		}
		var parts []part
		var value func(n *graph.Node, depth int) any
		value = func(n *graph.Node, depth int) (v any) {
			defer func() { parts = append(parts, part{n, v}) }()
			switch {
			case r.Intn(40) == 0:
				return nil
			case r.Intn(100) == 0:
				return "a text"
			case n.List != nil:
				items := []any{}
				for range r.Intn(3 + depth) {
					items = append(items, value(folder, depth-1))
				}
				return items
			case n.Map != nil:
				o := map[string]any{}
				for _, f := range n.Map.Fields {
					if depth > 0 && r.Intn(3) == 0 {
						o[f.Name] = value(f.Type, depth-1)
					}
				}
				if r.Intn(10) == 0 {
					odd := map[any]any{}
					for name, c := range o {
						odd[name] = c
					}
					return odd
				}
				return o
			}
			return "x"
		}
		root := value(folder, 6)
		h := pathlessContainers{}
		h.collect(folder, root)
		for _, p := range parts {
			if !reached(folder, root, p.v) {
				continue // v is inside an atomic container
			}
			want := pathlessSlowly(p.n, p.v)
			if got := h.has(p.n, p.v); got != want {
				t.Fatalf("seed %d: %v of %v: pathless %v, want %v", seed, p.v, root, got, want)
			}
			if want {
				count[1]++
			} else {
				count[0]++
			}
		}
	}
	if count[0] < 1000 || count[1] < 1000 {
		t.Errorf("%v parts: too few to test anything", count)
	}
}

// reached reports whether v is a container in root and is not inside an atomic container.
func reached(n *graph.Node, root, v any) bool {
	if data.SameMemory(root, v) && data.ClassOf(v) >= data.List {
		return true
	}
	switch data.KindFor(n, root) {
	case graph.MapKind:
		if !n.Map.Atomic {
			for name, c := range data.AsMap(root) {
				if reached(n.Map.At(name), c, v) {
					return true
				}
			}
		}
	case graph.ListKind:
		if !n.List.IsAtomic() {
			for _, c := range data.AsList(root) {
				if reached(n.List.Item, c, v) {
					return true
				}
			}
		}
	}
	return false
}
