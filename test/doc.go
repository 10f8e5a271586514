// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package test holds Dovetail against structured-merge-diff, the
// library it stands in for.
//
// Its tests compare what the packages export, symbol by symbol, and that the
// shims in compat are what cmd/gencompat writes. README.md lists its commands, which run in
// this directory, as
//
//	go run ./cmd/suites smd-v6      run outside tests over both engines
//	go run ./cmd/benchcmp           measure both engines, print ratios
//
// Upstream's source and tests come from the module cache, and nothing of them
// is kept here.
package test
