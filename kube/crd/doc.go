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
// [Definition.Validate] reports the errors that the API server reports: schemas that are not
// structural, defaults that are invalid or would be pruned, and CEL rules that do not compile or cost
// too much. It also reports some errors that the API server overlooks; DIFFERENCES.md lists these
// errors. Each finding has a file, a line, a path and the violated [Rule]. [Definition.ValidateUpdate]
// validates an update of a CRD and tolerates errors that the CRD already had. [Definition.Lint] reports
// schemas that are valid but probably mistakes.
//
// Package kube/crd/cel translates immutability markers into rules of
// x-kubernetes-validations.
//
// [Version.Validate] validates an object, [Version.Default] fills in its defaults, and
// [Version.Type] returns its type for merging.
//
// The package validates values with kube-openapi, and runs rules with the API server's own
// libraries, so the results are the same as on a server. For this reason it is a separate
// module: programs that only read schemas, with package openapi, do not depend on these
// libraries.
//
// The package limits the size and depth of its input. It never changes a document and never
// calls a cluster.
package crd
