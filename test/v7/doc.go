// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package v7 compares compat/v7 with structured-merge-diff v7.0.0. It is a separate module,
// because v7 requires Go 1.27.
//
//	go run ./cmd/ssadiff -n 1000000 -seed 1    # compare operations on random objects
//	go run ./cmd/fieldsv1 -n 2000000 -seed 1   # compare decoding of managed fields with random changes
//	go test .                                  # run a part of these comparisons
package v7
