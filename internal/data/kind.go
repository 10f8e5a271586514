// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// class is what a value is, without regard to a schema.
type class uint8

const (
	undefined class = iota // a Go type that no decoder of JSON or YAML makes
	Null
	Text
	Number
	Boolean
	List
	Mapping
)

// ClassOf returns the class of a value of an object. It knows only the Go types that decoders
// and converted Go structs have; Of of internal/kind also knows those of defaults in schemas.
func ClassOf(v any) class {
	switch v.(type) {
	case string:
		return Text
	case map[string]any:
		return Mapping
	case int64, float64:
		return Number
	case bool:
		return Boolean
	case []any:
		return List
	case nil:
		return Null
	case int, int32, int16, int8, uint, uint32, uint16, uint8, float32:
		return Number
	case map[any]any:
		return Mapping
	case goText:
		return Text
	}
	return undefined
}

// IsScalar says whether v is of one of the usual scalar types, or null.
func IsScalar(v any) bool {
	switch v.(type) {
	case nil, string, int64, float64, bool:
		return true
	}
	return false
}

// kindOf is the kind that values of a class are, 0 for those that are none.
var kindOf = [Mapping + 1]graph.Kinds{
	Text: graph.ScalarKind, Number: graph.ScalarKind, Boolean: graph.ScalarKind, List: graph.ListKind, Mapping: graph.MapKind,
}

// KindsFor narrows the kinds that n allows to the one that v is. A value that
// is none of them, null among them, leaves the kinds as they are; it is then
// read as the first of map, scalar and list.
func KindsFor(n *graph.Node, c class) graph.Kinds {
	all := n.Kinds()
	if own := all & kindOf[c]; own != 0 {
		return own
	}
	return all
}

// FirstKind returns the kind that k is read as, 0 if there is none.
func FirstKind(k graph.Kinds) graph.Kinds { return k & -k }

// KindFor is the kind that v is read as where n stands.
func KindFor(n *graph.Node, v any) graph.Kinds {
	return FirstKind(KindsFor(n, ClassOf(v)))
}

// AsMap returns v as a map, nil if it is not one. The map of a YAML decoder is
// copied one level deep; its keys that are no strings do not count.
func AsMap(v any) map[string]any {
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

// IsAnyMap says whether v is a map whose keys may be anything.
func IsAnyMap(v any) bool {
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
		return !slices.ContainsFunc(x, func(c any) bool { return !HasStringKeys(c) })
	case map[any]any:
		return false
	}
	return true
}

func AsList(v any) []any {
	l, _ := v.([]any)
	return l
}

// IsEmptyMap says whether v is a map without entries.
func IsEmptyMap(v any) bool {
	switch m := v.(type) {
	case map[string]any:
		return len(m) == 0
	case map[any]any:
		return len(AsMap(m)) == 0
	}
	return false
}

// HasOddKeys says whether v is a map of a YAML decoder in which no key is a string.
func HasOddKeys(v any) bool {
	m, ok := v.(map[any]any)
	return ok && len(m) > 0 && IsEmptyMap(m)
}

func IsEmptyList(v any) bool {
	l, ok := v.([]any)
	return ok && len(l) == 0
}

// Shown is v as the messages of structured-merge-diff show it.
func Shown(v any) value.Value { return value.NewValueInterface(v) }

// NoType is the finding for a reference that leads to no type.
func NoType(n *graph.Node) diag.Findings {
	name := n.Type
	if name == "" {
		name = "inlined type"
	}
	return diag.Newf(diag.BadSchema, "schema error: no type found matching: %v", name)
}

// NoKind is the finding for a type that allows no value at all.
func NoKind(n *graph.Node) diag.Findings {
	name := "inlined"
	if n.Type != "" {
		name = "named type: " + n.Type
	}
	return diag.Newf(diag.BadSchema, "schema error: invalid atom: %v", name)
}

// WrongType is the finding for v, where what is wanted is something else.
func WrongType(v any, want, format string, args ...any) diag.Findings {
	fs := diag.Newf(diag.WrongType, format, args...)
	fs[0].Found, fs[0].Want = v, want
	return fs
}

// CheckScalar says what is wrong with v as the scalar of n; prefix comes before
// the message.
func CheckScalar(n *graph.Node, v any, prefix string) diag.Findings {
	c := ClassOf(v)
	if c == Null {
		return nil
	}
	switch n.Scalar {
	case graph.Numeric:
		if c != Number {
			return WrongType(v, "number", "%vexpected numeric (int or float), got %T", prefix, v)
		}
	case graph.String:
		if c != Text {
			return WrongType(v, "string", "%vexpected string, got %#v", prefix, Shown(v))
		}
	case graph.Boolean:
		if c != Boolean {
			return WrongType(v, "boolean", "%vexpected boolean, got %v", prefix, Shown(v))
		}
	case graph.Untyped:
		if c != Number && c != Text && c != Boolean {
			return WrongType(v, "scalar", "%vexpected any scalar, got %v", prefix, Shown(v))
		}
	default:
		return diag.Newf(diag.BadSchema, "%vunexpected scalar type in schema: %v", prefix, n.ScalarText)
	}
	return nil
}

// MaxDepth is how deep data may be nested. Deeper data is refused, so that no
// document can exhaust the stack.
const MaxDepth = 10_000

// TooDeep is the finding for data that is nested deeper than MaxDepth.
func TooDeep() diag.Findings {
	return diag.Newf(diag.TooDeep, "nested more than %d levels deep", MaxDepth)
}

// Descent is how deep a walk is that refuses data nested deeper than MaxDepth.
type Descent struct {
	Depth int
	Deep  bool // the data was too deep: the walk is over
}

// Enter goes one level down, if that is not too deep. The walk counts down where it leaves.
func (d *Descent) Enter() bool {
	if d.Deep = d.Deep || d.Depth == MaxDepth; d.Deep {
		return false
	}
	d.Depth++
	return true
}

// IsOf says whether v is a scalar of that kind, of one of the usual types.
func IsOf(s graph.Scalar, v any) bool {
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
