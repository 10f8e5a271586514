// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package compact stores the types of a Kubernetes release in a few tens of
// kilobytes, so that any one of them can be read without the others.
//
// A [Table] reads what [Encode] wrote. The form is private to this repository
// and has no versions: what writes and what reads it are built together.
//
// After a header with the release, one DEFLATE stream holds, in order:
//
//	strings   every name once, and every default once as JSON
//	kinds     kind, version, definition, resource, scope, subresources
//	types     an index of names and lengths, then one record for each type
//
// All numbers are unsigned varints. A reference to a string or type is its
// number; records refer to types by number, so that a type is decoded without
// those it refers to.
package compact
