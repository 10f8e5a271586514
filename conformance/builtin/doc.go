// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package builtin compares the defaults that the built-in types' schemas declare
// with Kubernetes' own defaulting functions: an object that those have defaulted
// has nothing left to default, but for zero values, which Go leaves out.
//
//	go test . -objects 200 -seed 1
package builtin
