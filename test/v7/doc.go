// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package v7 compares compat/v7 with structured-merge-diff v7.0.0. It is a module of its own,
// because v7 needs Go 1.27.
//
//	go run ./cmd/ssadiff -n 1000000 -seed 1    random objects through both
//	go run ./cmd/fieldsv1 -n 2000000 -seed 1   randomly changed managed fields
//	go test .                                  a part of it
package v7
