package engine

import "github.com/dovetail-ssa/dovetail/internal/graph"

// Untie copies the containers of v that are more than one leaf, so that
// writing to the result changes no other value. Leaves, atomic containers
// among them, stay shared.
func Untie(n *graph.Node, v any) any {
	switch x := v.(type) {
	case map[string]any:
		if n.Map == nil || n.Map.Atomic || len(x) == 0 {
			return v
		}
		out := make(map[string]any, len(x))
		for name, c := range x {
			switch c.(type) {
			case map[string]any, []any, map[any]any:
				c = Untie(n.Map.At(name), c)
			}
			out[name] = c
		}
		return out
	case []any:
		if n.List == nil || n.List.Relation == graph.Atomic || len(x) == 0 {
			return v
		}
		out := make([]any, len(x))
		for i, c := range x {
			out[i] = Untie(n.List.Item, c)
		}
		return out
	case map[any]any:
		if n.Map == nil || n.Map.Atomic || len(x) == 0 {
			return v
		}
		return Untie(n, asMap(v))
	}
	return v
}

// Clone copies all containers of v.
func Clone(v any) any {
	switch x := v.(type) {
	case map[string]any:
		if x == nil {
			return v
		}
		out := make(map[string]any, len(x))
		for name, c := range x {
			out[name] = Clone(c)
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
