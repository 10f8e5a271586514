// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package differential compares our engine with structured-merge-diff v6.4.2
// on random schemas, objects, operations and sequences of operations.
//
//	go run ./cmd/ssadiff -n 1000000 -seed 1    compare, print what differs
//	go run ./cmd/ssadiff -n 1 -seed 1760       one sequence again
//	go run ./cmd/ssadiff -replay case.yaml     a printed reproduction again
//	go run ./cmd/ssadiff -engine v4            compat/v4 beside structured-merge-diff v4.7.0
//	go run ./cmd/fieldsv1 -n 5000000           managed fields that were changed at random, with -v4 those of v4
//	go test .                                  a slice of it
//	go test ./managed -sequences 1000          field managers and the model of spec
//	go test -fuzz FuzzSequences -fuzzminimizetime 1x .
//
// The last is guided by coverage; what it covers depends on Go's map order, so
// minimizing would take all of its time.
//
// What differs on purpose is exempted by a named predicate in package run,
// and the name stands in DIFFERENCES.md at the repository's root. The
// directory has a go.work of its own, because the module is not one of the
// repository's workspace.
package differential
