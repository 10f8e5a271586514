// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package graph contains compiled schemas. A compiled schema is a graph of nodes that point
// to each other, possibly in cycles. Nodes are immutable once their graph is built.
//
// A schema refers to types by name, and a graph has pointers instead. A node has every fact
// that an operation needs while it walks data: the allowed kinds of values, whether a
// container is one leaf, the keys that identify a list item, and the defaults of these keys.
//
// To read the package, start with [Node]. Package schema builds nodes, and package engine
// reads them. Package graph does not depend on data, paths or documents. It imports only one
// package of this module, package intern.
package graph
