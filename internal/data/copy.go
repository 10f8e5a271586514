// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"maps"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Copy copies v, a value of type n, so that the caller may change its granular maps and lists. If
// deep is false, the copy shares scalars, atomic containers (maps and lists) and empty lists with
// v. If deep is true, it shares only scalars. A granular map[any]any that has entries becomes a
// map[string]any, as in merged values.
func Copy(n *graph.Node, v any, deep bool) any {
	return copier{deep: deep}.value(n, v)
}

// CopyAsIs is like Copy, but does not convert a map[any]any. Use it for a value that was merged in
// another API version of the object. A container that is granular in type n can be atomic in that
// version, and merging does not convert atomic containers.
func CopyAsIs(n *graph.Node, v any, deep bool) any {
	return copier{deep: deep, asIs: true}.value(n, v)
}

type copier struct{ deep, asIs bool }

func (u copier) value(n *graph.Node, v any) any {
	switch x := v.(type) {
	case map[string]any:
		if n.Map == nil || n.Map.Atomic || x == nil {
			break
		}
		out := maps.Clone(x)
		for name, c := range x {
			switch c.(type) {
			case map[string]any, []any, map[any]any:
				if t := n.Map.At(name); u.deep || t.Granular() {
					out[name] = u.value(t, c)
				}
			}
		}
		return out
	case []any:
		if n.List == nil || n.List.IsAtomic() || len(x) == 0 {
			break
		}
		out := make([]any, len(x))
		for i, c := range x {
			out[i] = u.value(n.List.Item, c)
		}
		return out
	case map[any]any:
		if n.Map == nil || n.Map.Atomic || x == nil {
			break
		}
		if len(x) > 0 && !u.asIs {
			return u.value(n, AsMap(v))
		}
		out := maps.Clone(x)
		for k, c := range x {
			if name, ok := k.(string); ok {
				out[k] = u.value(n.Map.At(name), c)
			}
		}
		return out
	}
	if u.deep {
		return Clone(v)
	}
	return v
}

// Clone returns a deep copy of v, with copies of all maps and lists.
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

// PlainCopy returns a deep copy of a default that looks like decoded JSON. Maps get string keys.
// An int, int32 or float32, which some decoders of schemas return, becomes an int64 or float64.
func PlainCopy(def any) any {
	switch x := def.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for name, c := range x {
			out[name] = PlainCopy(c)
		}
		return out
	case map[any]any:
		return PlainCopy(AsMap(x))
	case []any:
		out := make([]any, len(x))
		for i, c := range x {
			out[i] = PlainCopy(c)
		}
		return out
	case int:
		return int64(x)
	case int32:
		return int64(x)
	case float32:
		return float64(x)
	}
	return def
}

// CountValues returns the number of values in v, including v itself and all containers.
func CountValues(v any) int {
	n := 1
	switch x := v.(type) {
	case map[string]any:
		for _, c := range x {
			n += CountValues(c)
		}
	case map[any]any:
		for _, c := range x {
			n += CountValues(c)
		}
	case []any:
		for _, c := range x {
			n += CountValues(c)
		}
	}
	return n
}
