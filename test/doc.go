// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package test holds Dovetail against structured-merge-diff, the
// library it stands in for.
//
// Its tests compare what the packages export, symbol by symbol, and that the
// shims in compat are what cmd/gencompat writes. Its commands, run from this
// directory, are
//
//	go run ./cmd/gencompat          write compat/v4 and compat/v6
//	go run ./cmd/suites smd-v6      run outside tests over both engines
//	go run ./cmd/benchcmp           measure both engines, print ratios
//
// Upstream's source and tests come from the module cache, and nothing of them
// is kept here. The differential fuzzer in test/differential is a module
// of its own.
package test
