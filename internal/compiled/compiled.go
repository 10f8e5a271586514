// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package compiled is the door to what package schema keeps from users: types in
// compiled form.
package compiled

import (
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// What package schema has left behind the door; if it is of another type, no program
// starts.
var (
	node  = graph.SchemaNode.(func(*schema.Schema, schema.TypeRef) *graph.Node)
	share = graph.SchemaShare.(func(*schema.Schema))
)

// Node returns the type that ref refers to; Node.Missing says that s lacks it. The
// same reference gives the same node, for any goroutine.
func Node(s *schema.Schema, ref schema.TypeRef) *graph.Node { return node(s, ref) }

// Share makes equal types of s and of other schemas one, if schema.Policies.ShareTypes
// says so. Schemas that are used without do it at first use, which costs more memory if
// somebody has looked at the types by then.
func Share(s *schema.Schema) { share(s) }
