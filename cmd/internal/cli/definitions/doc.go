// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package definitions implements the commands that work on types: "schema" prints types,
// "lint" checks CRDs and OpenAPI documents, "cel" generates rules from the markers of a CRD,
// and "upgrade-check" compares two versions of types. With the build tag slim, slim.go
// replaces the code that needs package kube/crd.
package definitions
