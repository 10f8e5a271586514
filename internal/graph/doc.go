// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package graph is the compiled form of a schema: nodes joined by pointers,
// cycles allowed, immutable once built.
//
// A schema names its types; a graph has no names left to resolve. Every fact
// an operation needs while it walks data is one field away from the node in
// hand: which kinds of value are allowed, whether a container is one leaf or
// many, what identifies a list item, what a missing key stands for.
//
// Start from [Node]. Front ends (package schema) build nodes; the engine reads
// them. The package knows nothing of data, paths or documents, and imports
// nothing of this module.
package graph
