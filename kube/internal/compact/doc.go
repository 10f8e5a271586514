// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package compact stores the types of a Kubernetes release in a few tens of kilobytes. It
// can decode each type alone.
//
// A [Table] reads data that [Encode] wrote. The format has no version number and is
// private to this repository, where writer and reader are always built together.
//
// The data is a header with the release, followed by one DEFLATE stream with these parts:
//
//	strings   every name once, and every default once as JSON
//	kinds     kind, version, definition, resource, scope, subresources
//	types     an index of names and lengths, then one record for each type
//
// All numbers are unsigned varints. References to strings and types are indexes, so a type
// can be decoded without the types that it refers to.
package compact
