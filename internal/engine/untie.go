package engine

import (
	"maps"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Untie copies the containers of v, a value of type n, that are more than one
// leaf, so that writing to the result changes no other value. Leaves, atomic
// containers among them, stay shared, unless deep is set.
func Untie(n *graph.Node, v any, deep bool) any {
	switch x := v.(type) {
	case map[string]any:
		if n.Map == nil || n.Map.Atomic || len(x) == 0 {
			return leafCopy(v, deep)
		}
		out := maps.Clone(x)
		for name, c := range x {
			switch c.(type) {
			case map[string]any, []any, map[any]any:
				if t := n.Map.At(name); deep || t.Granular() {
					out[name] = Untie(t, c, deep)
				}
			}
		}
		return out
	case []any:
		if n.List == nil || n.List.Relation == graph.Atomic || len(x) == 0 {
			return leafCopy(v, deep)
		}
		out := make([]any, len(x))
		for i, c := range x {
			out[i] = Untie(n.List.Item, c, deep)
		}
		return out
	case map[any]any:
		if n.Map == nil || n.Map.Atomic || len(x) == 0 {
			return leafCopy(v, deep)
		}
		return Untie(n, asMap(v), deep)
	}
	return v
}

func leafCopy(v any, deep bool) any {
	if !deep {
		return v
	}
	return Clone(v)
}

// Clone copies all containers of v.
func Clone(v any) any {
	switch x := v.(type) {
	case map[string]any:
		if x == nil {
			return v
		}
		out := maps.Clone(x)
		for name, c := range x {
			switch c.(type) {
			case map[string]any, []any, map[any]any:
				out[name] = Clone(c)
			}
		}
		return out
	case []any:
		if x == nil {
			return v
		}
		out := make([]any, len(x))
		for i, c := range x {
			out[i] = Clone(c)
		}
		return out
	case map[any]any:
		out := make(map[any]any, len(x))
		for k, c := range x {
			out[k] = Clone(c)
		}
		return out
	}
	return v
}
