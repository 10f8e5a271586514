// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package test compares Dovetail with structured-merge-diff, the library that Dovetail
// replaces. The tests in this folder compare the exported names of both. They also check that
// the drop-ins in compat are the current output of cmd/gencompat. README.md lists the
// commands. Run them in this folder, for example:
//
//	go run ./cmd/suites smd-v6      run tests of other projects with both engines
//	go run ./cmd/benchcmp           measure both engines, print ratios
//
// The source and the tests of structured-merge-diff come from the module cache. This repository
// has no copy.
package test
