// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package tree reads a CustomResourceDefinition into a tree: its versions, with a node for each
// schema. Every node has its place in the document. [Read] returns the tree.
//
// The package does not check whether a CRD is valid. It reports only values of a wrong
// type, and treats them as absent.
//
// Package crd validates these trees. Package cel translates their markers of immutability
// into validation rules.
package tree
