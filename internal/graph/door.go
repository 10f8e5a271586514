// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

// What package schema does for the packages of this module, but not for users. It sets
// these when a program starts; package internal/compiled has them with their types,
// which this package, below schema, cannot name.
var (
	SchemaNode  any // func(*schema.Schema, schema.TypeRef) *Node
	SchemaShare any // func(*schema.Schema)
)
