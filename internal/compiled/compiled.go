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

// Share replaces types of s with equal types of other schemas, if schema.Policies.ShareTypes is
// set. If a program does not call Share, the first use of a schema does the same. That needs
// more memory if the program has already read the types.
func Share(s *schema.Schema) { share(s) }
