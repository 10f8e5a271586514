// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package tree is a CustomResourceDefinition as it stands in its file: its versions, and
// a node for each schema, which knows its place. [Read] makes it. It judges nothing: what
// is not of the type that it should be is told, and taken to be absent.
//
// It is for packages crd, which judges schemas, and cel, which makes rules of markers.
package tree
