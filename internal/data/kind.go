// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// class is the kind of a value, independent of a schema.
type class uint8

const (
	undefined class = iota // a Go type that no JSON or YAML decoder returns
	Null
	Text
	Number
	Boolean
	List
	Mapping
)

// ClassOf returns the class of a value. It recognizes only the Go types of decoded data and of
// converted Go structs. kind.Of in internal/kind also recognizes the Go types of defaults in
// schemas.
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

// IsScalar reports whether v is null, a string, an int64, a float64 or a bool.
func IsScalar(v any) bool {
	switch v.(type) {
	case nil, string, int64, float64, bool:
		return true
	}
	return false
}

// kindOf maps a class to a kind. The kind is 0 for Null and undefined.
var kindOf = [Mapping + 1]graph.Kinds{
	Text: graph.ScalarKind, Number: graph.ScalarKind, Boolean: graph.ScalarKind, List: graph.ListKind, Mapping: graph.MapKind,
}

// KindsFor returns the kind of a value of class c, if n allows this kind. For a null, and for a
// value of a wrong kind, it returns all kinds that n allows. The caller then treats the value
// as the first of these kinds (see FirstKind).
func KindsFor(n *graph.Node, c class) graph.Kinds {
	all := n.Kinds()
	if own := all & kindOf[c]; own != 0 {
		return own
	}
	return all
}

// FirstKind returns the first kind in k, in the order map, scalar, list. A value that can have
// several kinds is treated as this kind. FirstKind returns 0 if k is empty.
func FirstKind(k graph.Kinds) graph.Kinds { return k & -k }

// KindFor returns the kind that operations use for v, a value of type n: the kind of v if n
// allows it, and otherwise the first kind that n allows (see KindsFor).
func KindFor(n *graph.Node, v any) graph.Kinds {
	return FirstKind(KindsFor(n, ClassOf(v)))
}

// AsMap returns v as a map, or nil if v is not a map. If v is a map[any]any, AsMap returns a
// converted copy without the keys that are not strings. It does not convert maps inside v.
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

// IsAnyMap reports whether v is a map[any]any.
func IsAnyMap(v any) bool {
	_, ok := v.(map[any]any)
	return ok
}

// HasStringKeys reports whether v contains no map[any]any at any depth.
func HasStringKeys(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for _, c := range x {
			if !IsScalar(c) && !HasStringKeys(c) {
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

// AsList returns v as a list, or nil if it is not a list.
func AsList(v any) []any {
	l, _ := v.([]any)
	return l
}

// IsEmptyMap reports whether v is a map that has no string keys.
func IsEmptyMap(v any) bool {
	switch m := v.(type) {
	case map[string]any:
		return len(m) == 0
	case map[any]any:
		return len(AsMap(m)) == 0
	}
	return false
}

// HasOnlyOddKeys reports whether v is a non-empty map[any]any in which no key is a string.
func HasOnlyOddKeys(v any) bool {
	m, ok := v.(map[any]any)
	return ok && len(m) > 0 && IsEmptyMap(m)
}

// IsEmptyList reports whether v is a list without items.
func IsEmptyList(v any) bool {
	l, ok := v.([]any)
	return ok && len(l) == 0
}

// Shown prepares v for a message, so that it is printed in the same way as by
// structured-merge-diff.
func Shown(v any) value.Value { return value.NewValueInterface(v) }

// NoType returns a finding for a reference to a type that does not exist.
func NoType(n *graph.Node) diag.Findings {
	name := n.Type
	if name == "" {
		name = "inlined type"
	}
	return diag.Newf(diag.BadSchema, "schema error: no type found matching: %v", name)
}

// NoKind returns a finding for a type that allows neither maps, lists nor scalars.
func NoKind(n *graph.Node) diag.Findings {
	name := "inlined"
	if n.Type != "" {
		name = "named type: " + n.Type
	}
	return diag.Newf(diag.BadSchema, "schema error: invalid atom: %v", name)
}

// WrongType returns a finding that v has the wrong type. The argument want is the type that the
// schema requires. format and args make up the message.
func WrongType(v any, want, format string, args ...any) diag.Findings {
	fs := diag.Newf(diag.WrongType, format, args...)
	fs[0].Found, fs[0].Want = v, want
	return fs
}

// CheckScalar returns nil if v is null or a scalar that n allows, and otherwise a finding. The
// message starts with prefix.
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

// MaxDepth is the maximum nesting of data. Deeper data is rejected, so that no document can
// exhaust the stack.
const MaxDepth = 10_000

// DepthFindings returns the finding for data that is nested deeper than MaxDepth.
func DepthFindings() diag.Findings {
	return diag.Newf(diag.TooDeep, "nested more than %d levels deep", MaxDepth)
}

// IsTooDeep reports whether v, which is plain data, is nested deeper than MaxDepth. It does not
// allocate.
func IsTooDeep(v any) bool { return isDeeper(v, MaxDepth) }

// isDeeper reports whether v is nested deeper than the given number of levels.
func isDeeper(v any, levels int) bool {
	switch x := v.(type) {
	case map[string]any:
		if levels == 0 {
			return true
		}
		for _, c := range x {
			if !IsScalar(c) && isDeeper(c, levels-1) {
				return true
			}
		}
	case []any:
		if levels == 0 {
			return true
		}
		for _, c := range x {
			if !IsScalar(c) && isDeeper(c, levels-1) {
				return true
			}
		}
	case map[any]any:
		if levels == 0 {
			return true
		}
		for _, c := range x {
			if !IsScalar(c) && isDeeper(c, levels-1) {
				return true
			}
		}
	}
	return false
}

// DepthLimit counts the levels of a walk, and ends the walk if the data is nested deeper than
// MaxDepth.
type DepthLimit struct {
	depth    int
	Exceeded bool // true if the data is nested too deep; the walk must then end
}

// EnterLevel enters the next level. It returns false if the data is nested too deep. Otherwise the
// caller must call LeaveLevel.
func (l *DepthLimit) EnterLevel() bool {
	if l.Exceeded = l.Exceeded || l.depth == MaxDepth; l.Exceeded {
		return false
	}
	l.depth++
	return true
}

// LeaveLevel leaves the level that EnterLevel entered.
func (l *DepthLimit) LeaveLevel() { l.depth-- }

// IsScalarOf reports whether v is a string, an int64 or a bool that fits the scalar type s. It
// is a fast check, which returns false for all other Go types, such as float64.
func IsScalarOf(s graph.Scalar, v any) bool {
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
