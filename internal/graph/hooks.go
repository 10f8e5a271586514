// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

// These variables hold functions of package schema that only packages of this module may call.
// Package schema sets them when the program starts. Other packages call them through
// internal/compiled, which knows their types. Package graph cannot name these types, because
// package schema imports package graph.
var (
	SchemaNode  any // a func(*schema.Schema, schema.TypeRef) *Node
	SchemaShare any // a func(*schema.Schema)
)
