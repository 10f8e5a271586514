// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package compact stores the types of a Kubernetes release in a few tens of kilobytes.
// Each type can be read without the others.
//
// A [Table] reads data that [Encode] wrote. The format is private to this repository and
// has no versions, because the writer and the reader are always built together.
//
// After a header with the release, one DEFLATE stream has, in this order:
//
//	strings   every name once, and every default once as JSON
//	kinds     kind, version, definition, resource, scope, subresources
//	types     an index of names and lengths, then one record for each type
//
// All numbers are unsigned varints. A reference to a string or a type is a number, so
// a type can be decoded without the types that it refers to.
package compact
