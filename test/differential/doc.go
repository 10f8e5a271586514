// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package differential compares Dovetail with structured-merge-diff v6.4.2, on random schemas,
// objects, operations and sequences of operations.
//
//	go run ./cmd/ssadiff -n 1000000 -seed 1    compare a million sequences, print the differences
//	go run ./cmd/ssadiff -n 1 -seed 1760       run one sequence again
//	go run ./cmd/ssadiff -replay case.yaml     run a printed case again
//	go run ./cmd/ssadiff -engine v4            compare compat/v4 with structured-merge-diff v4.7.0
//	go run ./cmd/fieldsv1 -n 5000000           compare decoding of managed fields; -v4 selects v4
//	go test .                                  run a part of these comparisons
//	go test ./managed -sequences 1000          compare field managers and the model of spec
//	go test -fuzz FuzzSequences -fuzzminimizetime 1x .
//
// The last command runs the Go fuzzer. It turns off the minimizing of inputs: Go's map order
// changes the code coverage, so minimizing would take almost all of the time.
//
// ssadiff counts the following events, and prints the counts at the end:
//
//   - Random results: some results of structured-merge-diff depend on Go's random map order. If
//     the engines differ, ssadiff runs the sequence up to 200 times again. If the engines agree in
//     one of these runs, ssadiff counts the sequence instead of reporting a difference.
//   - Comparisons of Dovetail with itself: ssadiff runs one sequence in 32 twice with Dovetail.
//     Both runs must give the same results.
//   - Panics of structured-merge-diff, by operation: for v6, ssadiff fails if DIFFERENCES.md does
//     not list the panic. Dovetail must not panic.
//   - Accepted differences: ssadiff counts each difference that DIFFERENCES.md lists, and fails if
//     it finds any other difference. A run with at least 300,000 sequences also fails if a listed
//     difference did not occur.
//
// Each accepted difference has a function in package run that recognizes it. Its id is the first
// column in DIFFERENCES.md. The folder has its own go.work, because the workspace of the
// repository does not include this module.
package differential
