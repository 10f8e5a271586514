// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package sources finds the types of objects. Types are built in, come from a cluster, or come
// from files given with --crd, --openapi, --schema, --defaults and --markers ([Flags],
// [Read]). [Types] looks up the type of a kind. It also converts objects between API versions,
// if that is possible offline.
//
// With the build tag slim, the package does not import package kube/crd. See slim.go.
package sources
