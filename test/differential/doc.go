// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package differential compares Dovetail's engine with structured-merge-diff v6.4.2 on random
// schemas, objects, operations and sequences of operations.
//
//	go run ./cmd/ssadiff -n 1000000 -seed 1    compare, print what differs
//	go run ./cmd/ssadiff -n 1 -seed 1760       one sequence again
//	go run ./cmd/ssadiff -replay case.yaml     a printed reproduction again
//	go run ./cmd/ssadiff -engine v4            compat/v4 and structured-merge-diff v4.7.0
//	go run ./cmd/fieldsv1 -n 5000000           randomly changed managed fields, with -v4 those of v4
//	go test .                                  a part of it
//	go test ./managed -sequences 1000          field managers and the model of spec
//	go test -fuzz FuzzSequences -fuzzminimizetime 1x .
//
// The last command runs the Go fuzzer. Code coverage depends on Go's map order, so minimizing
// inputs would take all the time.
//
// For each intended difference, package run has a predicate. DIFFERENCES.md lists the names of
// these predicates. The folder has its own go.work, because the module is not part of the
// repository's workspace.
package differential
