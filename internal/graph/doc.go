// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package graph contains compiled schemas. A compiled schema is a graph of nodes that point to
// each other, possibly in cycles. Nodes are immutable once their graph is built.
//
// A schema refers to types by name, while a graph has pointers. A node contains all facts that
// an operation needs to walk data: the allowed kinds of values, whether a list or map is a single
// leaf, the keys that identify a list item, and the defaults of these keys.
//
// To read the package, start with [Node]. Package schema builds nodes, and package engine reads
// them. Package graph does not depend on data, paths or documents. The only package of this
// module that it imports is package intern.
package graph
