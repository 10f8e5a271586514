// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

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
