// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package crd reads CustomResourceDefinitions and judges them, and objects of
// their kinds, without a cluster.
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
// [Definition.Validate] refuses what the API server refuses: schemas that are
// not structural, defaults that are not valid or would be pruned, rules of
// x-kubernetes-validations that do not compile or cost too much. Each finding
// has file, line, path and the [Rule] that was broken. Where the API server
// overlooks something, DIFFERENCES.md says so. [Definition.ValidateUpdate] lets
// an update keep what was wrong before; [Definition.Lint] adds what is allowed
// and yet does not do what it seems to.
//
// Package cel, below, makes rules of x-kubernetes-validations of markers of
// immutability.
//
// [Version.Validate] validates an object, [Version.Default] fills in its
// defaults, and [Version.Type] is its type for merging.
//
// Values are validated with kube-openapi, and rules run with the libraries of
// the API server, so that both mean what they mean there. That is why the
// package is a module of its own: programs that only read schemas, with package
// openapi, do not depend on these.
//
// Size and depth of what is read are bounded. The package changes no document
// and asks no cluster.
package crd
