// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package compiled gives packages of this module access to compiled types, which package
// schema does not export.
package compiled

import (
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Package schema sets these functions. If one of them had the wrong type, every program would
// fail when it starts.
var (
	node  = graph.SchemaNode.(func(*schema.Schema, schema.TypeRef) *graph.Node)
	share = graph.SchemaShare.(func(*schema.Schema))
)

// Node returns the compiled type that ref refers to. If s does not have the type, Missing is set
// in the result. For the same reference, all goroutines get the same node.
func Node(s *schema.Schema, ref schema.TypeRef) *graph.Node { return node(s, ref) }

// Share replaces the types of s with equal types of other schemas if schema.Policies.ShareTypes
// is set. Otherwise the first use of the schema would do the same, but a program that has read
// the types before that would keep the original types in memory.
func Share(s *schema.Schema) { share(s) }
