// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package compiled gives packages of this module access to compiled types, which package schema
// hides from users.
package compiled

import (
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// These functions come from package schema. If one has another type, every program fails at
// start.
var (
	node  = graph.SchemaNode.(func(*schema.Schema, schema.TypeRef) *graph.Node)
	share = graph.SchemaShare.(func(*schema.Schema))
)

// Node returns the compiled type of ref. Node.Missing reports that s lacks the type. The same
// reference gives the same node in all goroutines.
func Node(s *schema.Schema, ref schema.TypeRef) *graph.Node { return node(s, ref) }

// Share replaces types of s with equal types of other schemas, if schema.Policies.ShareTypes is
// set. If a program does not call Share, the first use of a schema does the same. That needs
// more memory if the program has already read the types.
func Share(s *schema.Schema) { share(s) }
