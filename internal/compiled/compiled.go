// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package compiled gives other packages of this module access to the compiled types of a
// schema. Package schema keeps them private, because they are not part of the public API.
package compiled

import (
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Package schema stores these functions in variables of package graph. If their types change, these
// assertions panic when a program starts.
var (
	node  = graph.SchemaNode.(func(*schema.Schema, schema.TypeRef) *graph.Node)
	share = graph.SchemaShare.(func(*schema.Schema))
)

// Node returns the compiled type that ref refers to. If s does not contain the type, the result
// has Missing set. All goroutines get the same node for the same reference.
func Node(s *schema.Schema, ref schema.TypeRef) *graph.Node { return node(s, ref) }

// Share lets s share equal types with other schemas, if schema.Policies.ShareTypes is set. The
// first use of s does the same. But if a program reads s.Types before this use, it should call
// Share first. Otherwise it would keep the unshared types in memory.
func Share(s *schema.Schema) { share(s) }
