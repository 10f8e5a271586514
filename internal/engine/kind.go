// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// class is what a value is, without regard to a schema.
type class uint8

const (
	undefined class = iota // a Go type that no decoder of JSON or YAML makes
	null
	text
	number
	boolean
	list
	mapping
)

func classOf(v any) class {
	switch v.(type) {
	case string:
		return text
	case map[string]any:
		return mapping
	case int64, float64:
		return number
	case bool:
		return boolean
	case []any:
		return list
	case nil:
		return null
	case int, int32, int16, int8, uint, uint32, uint16, uint8, float32:
		return number
	case map[any]any:
		return mapping
	}
	return undefined
}

// isScalar says whether v is of one of the usual scalar types, or null.
func isScalar(v any) bool {
	switch v.(type) {
	case nil, string, int64, float64, bool:
		return true
	}
	return false
}

// kindsFor narrows the kinds that n allows to the one that v is. A value that
// is none of them, null among them, leaves the kinds as they are; it is then
// read as the first of map, scalar and list.
func kindsFor(n *graph.Node, c class) graph.Kinds {
	all := n.Kinds()
	switch c {
	case text, number, boolean:
		if all&graph.ScalarKind != 0 {
			return graph.ScalarKind
		}
	case list:
		if all&graph.ListKind != 0 {
			return graph.ListKind
		}
	case mapping:
		if all&graph.MapKind != 0 {
			return graph.MapKind
		}
	}
	return all
}

// firstKind returns the kind that k is read as, 0 if there is none.
func firstKind(k graph.Kinds) graph.Kinds {
	switch {
	case k&graph.MapKind != 0:
		return graph.MapKind
	case k&graph.ScalarKind != 0:
		return graph.ScalarKind
	}
	return k
}

// kindFor is the kind that v is read as where n stands.
func kindFor(n *graph.Node, v any) graph.Kinds {
	return firstKind(kindsFor(n, classOf(v)))
}

// asMap returns v as a map, nil if it is not one. The map of a YAML decoder is
// copied one level deep; its keys that are no strings do not count.
func asMap(v any) map[string]any {
	switch m := v.(type) {
	case map[string]any:
		return m
	case map[any]any:
		out := make(map[string]any, len(m))
		for k, c := range m {
			if s, ok := k.(string); ok {
				out[s] = c
			}
		}
		return out
	}
	return nil
}

// isAnyMap says whether v is a map whose keys may be anything.
func isAnyMap(v any) bool {
	_, ok := v.(map[any]any)
	return ok
}

// HasStringKeys says whether there is no map[any]any in v.
func HasStringKeys(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for _, c := range x {
			if !HasStringKeys(c) {
				return false
			}
		}
	case []any:
		for _, c := range x {
			if !HasStringKeys(c) {
				return false
			}
		}
	case map[any]any:
		return false
	}
	return true
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}

// isEmptyMap says whether v is a map without entries.
func isEmptyMap(v any) bool {
	switch m := v.(type) {
	case map[string]any:
		return len(m) == 0
	case map[any]any:
		return len(asMap(m)) == 0
	}
	return false
}

// hasOddKeys says whether v is a map of a YAML decoder in which no key is a string.
func hasOddKeys(v any) bool {
	m, ok := v.(map[any]any)
	return ok && len(m) > 0 && isEmptyMap(m)
}

func isEmptyList(v any) bool {
	l, ok := v.([]any)
	return ok && len(l) == 0
}

// shown is v as the messages of structured-merge-diff show it.
func shown(v any) value.Value { return value.NewValueInterface(v) }

// noType is the finding for a reference that leads to no type.
func noType(n *graph.Node) diag.Findings {
	name := n.Type
	if name == "" {
		name = "inlined type"
	}
	return diag.Newf(diag.BadSchema, "schema error: no type found matching: %v", name)
}

// noKind is the finding for a type that allows no value at all.
func noKind(n *graph.Node) diag.Findings {
	name := "inlined"
	if n.Type != "" {
		name = "named type: " + n.Type
	}
	return diag.Newf(diag.BadSchema, "schema error: invalid atom: %v", name)
}

// checkScalar says what is wrong with v as the scalar of n; prefix comes before
// the message.
func checkScalar(n *graph.Node, v any, prefix string) diag.Findings {
	c := classOf(v)
	if c == null {
		return nil
	}
	wrong := func(want, format string, got any) diag.Findings {
		fs := diag.Newf(diag.WrongType, format, prefix, got)
		fs[0].Found, fs[0].Want = v, want
		return fs
	}
	switch n.Scalar {
	case graph.Numeric:
		if c != number {
			return wrong("number", "%vexpected numeric (int or float), got %T", v)
		}
	case graph.String:
		if c != text {
			return wrong("string", "%vexpected string, got %#v", shown(v))
		}
	case graph.Boolean:
		if c != boolean {
			return wrong("boolean", "%vexpected boolean, got %v", shown(v))
		}
	case graph.Untyped:
		if c != number && c != text && c != boolean {
			return wrong("scalar", "%vexpected any scalar, got %v", shown(v))
		}
	default:
		return diag.Newf(diag.BadSchema, "%vunexpected scalar type in schema: %v", prefix, n.ScalarText)
	}
	return nil
}

// MaxDepth is how deep data may be nested. Deeper data is refused, so that no
// document can exhaust the stack.
const MaxDepth = 10_000

// tooDeep is the finding for data that is nested deeper than MaxDepth.
func tooDeep() diag.Findings {
	return diag.Newf(diag.TooDeep, "nested more than %d levels deep", MaxDepth)
}

// isOf says whether v is a scalar of that kind, of one of the usual types.
func isOf(s graph.Scalar, v any) bool {
	ok := false
	switch s {
	case graph.String:
		_, ok = v.(string)
	case graph.Numeric:
		_, ok = v.(int64)
	case graph.Boolean:
		_, ok = v.(bool)
	}
	return ok
}
