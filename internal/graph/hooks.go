// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

// These variables hold functions that package schema provides only to packages of this module.
// They are set when the program starts. Other packages call them through internal/compiled.
// Their types cannot be written here, because package schema imports package graph.
var (
	SchemaNode  any // a func(*schema.Schema, schema.TypeRef) *Node
	SchemaShare any // a func(*schema.Schema)
)
