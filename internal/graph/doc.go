// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package graph is the compiled form of a schema: nodes that point to each other, possibly in
// cycles. Nodes are immutable once their graph is built.
//
// A schema refers to types by name; a graph has pointers instead. A node has every fact that
// an operation needs while it walks data: which kinds of value are allowed, whether a
// container is one leaf, which keys identify a list item, and what a missing key stands for.
//
// To read the package, start with [Node]. Package schema builds nodes, and the engine reads
// them. The package knows nothing about data, paths or documents. Of this module, it imports
// only package intern.
package graph
