// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package test compares Dovetail with structured-merge-diff, the library that it replaces.
//
// Its tests compare the exported names of the packages, and check that the shims in compat are
// up to date with cmd/gencompat. README.md lists the commands. They run in this folder, for
// example
//
//	go run ./cmd/suites smd-v6      run tests of other projects with both engines
//	go run ./cmd/benchcmp           measure both engines, print ratios
//
// Upstream's source and tests come from the module cache. No copies are kept here.
package test
