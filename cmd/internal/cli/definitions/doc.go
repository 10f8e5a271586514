// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package definitions implements the commands about types. The command schema prints types. The
// command lint checks CRDs and OpenAPI documents. The command cel generates rules from the markers
// of a CRD. The command upgrade-check compares two versions of types. With the build tag slim,
// slim.go replaces the code that needs package kube/crd.
package definitions
