// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package definitions has the commands about types: schema shows them, lint judges CRDs and
// OpenAPI documents, cel makes rules of the markers of a CRD, upgrade-check compares two
// states of one. What of them needs kube/crd is in crd.go, which slim.go stands in for.
package definitions
