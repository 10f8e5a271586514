// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package beside runs dovetail-gen and controller-gen on the API packages of published modules,
// and compares the CRDs that they write.
//
// Begin with [ReadProjects], [Tools.Generate] and [Compare]:
//
//	out, err := tools.Generate(project) // run both generators, in a new module
//	compared := beside.Compare(out)     // all differences
//	left := rules.Sort(compared)        // the differences that no rule lists
//
// The package does not modify the API packages.
package beside
