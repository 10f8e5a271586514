// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package compiled gives packages of this module access to compiled types, which package
// schema does not export.
package compiled

import (
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Package schema sets these functions. If one of them has another type, every program fails
// when it starts.
var (
	node  = graph.SchemaNode.(func(*schema.Schema, schema.TypeRef) *graph.Node)
	share = graph.SchemaShare.(func(*schema.Schema))
)

// Node returns the compiled type of ref. If s does not have the type, Missing is set in the
// result. The same reference returns the same node in all goroutines.
func Node(s *schema.Schema, ref schema.TypeRef) *graph.Node { return node(s, ref) }

// Share replaces types of s with equal types of other schemas if schema.Policies.ShareTypes
// is set. If a program does not call Share, the first use of a schema does the same. A
// program that has already read the types then needs more memory.
func Share(s *schema.Schema) { share(s) }
