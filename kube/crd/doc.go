// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package crd reads and validates CustomResourceDefinitions, and objects of their kinds,
// without a cluster.
//
// Start from [Read]:
//
//	defs, err := crd.Read("widgets.yaml", data)
//	for _, d := range defs {
//		for _, f := range d.Validate() {
//			fmt.Println(f) // widgets.yaml:17: .spec.versions[0]…: want a type, …
//		}
//	}
//
// [Definition.Validate] reports the errors that the API server reports: schemas that are
// not structural, defaults that are invalid or would be pruned, and rules of
// x-kubernetes-validations that do not compile or cost too much. Each finding has a file, a
// line, a path and the broken [Rule]. DIFFERENCES.md lists the errors that the API server
// does not report. [Definition.ValidateUpdate] tolerates errors that the CRD had before the
// update. [Definition.Lint] reports schemas that the API server accepts but that are
// probably mistakes.
//
// Package kube/crd/cel generates rules of x-kubernetes-validations from markers of
// immutability.
//
// [Version.Validate] validates an object, [Version.Default] fills in its defaults, and
// [Version.Type] returns its type for merging.
//
// The package calls kube-openapi to validate values and the libraries of the API server to
// run rules, so results are the same as in a server. It is therefore a module of its own:
// programs that only read schemas, with package openapi, do not depend on these libraries.
//
// The package limits the size and depth of its input. It never changes a document and never
// calls a cluster.
package crd
