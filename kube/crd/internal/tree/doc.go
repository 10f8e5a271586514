// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package tree reads a CustomResourceDefinition into a tree of schemas. Each node has
// its place in the document. [Read] returns the tree.
//
// The package does not check whether a CRD is valid. It reports values of a wrong type and
// treats them as absent.
//
// Package crd validates these trees. Package cel translates the immutability markers in
// them into validation rules.
package tree
