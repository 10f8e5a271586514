// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package defaulting compares what becomes of nulls and absent fields here with
// what the API server makes of them in a custom resource: random structural
// schemas, random objects, and apiextensions as the oracle.
//
//	go test . -pairs 400000 -seed 1
package defaulting
