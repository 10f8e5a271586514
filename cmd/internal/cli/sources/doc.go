// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package sources finds the types of objects. A type is built in, or comes from a cluster or
// from a file of --crd, --openapi, --schema, --defaults and --markers ([Flags], [Read]).
// [Types] looks up the type of a kind, and converts objects between versions if that is
// possible offline.
//
// With the build tag slim, it does not import package kube/crd; see slim.go.
package sources
