// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package definitions has the commands about types: schema prints them, lint checks CRDs and OpenAPI
// documents, cel generates rules from the markers of a CRD, and upgrade-check compares two versions of
// types. With the build tag slim, slim.go replaces the code that needs package kube/crd.
package definitions
