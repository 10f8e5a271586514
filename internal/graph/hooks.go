// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

// These variables have functions of package schema that only packages of this module may
// call. Package schema sets them when a program starts, and package internal/compiled gives
// them their types. Package graph cannot name these types, because package schema imports
// package graph.
var (
	SchemaNode  any // a func(*schema.Schema, schema.TypeRef) *Node
	SchemaShare any // a func(*schema.Schema)
)
