// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package beside runs dovetail-gen and controller-gen on the API packages of published
// modules. It compares the CustomResourceDefinitions that the two generators write.
//
// Start from [ReadProjects], [Tools.Generate] and [Compare]:
//
//	out, err := tools.Generate(project) // both generators, in a module of its own
//	compared := beside.Compare(out)     // every difference, node by node
//	left := rules.Sort(compared)        // those that no rule lists
//
// It does not modify the packages that it reads.
package beside
