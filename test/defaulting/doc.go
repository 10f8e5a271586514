// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package defaulting compares how Dovetail and the API server treat nulls and absent fields of
// custom resources. It uses random schemas and random objects, and the API server's package
// apiextensions.
//
//	go test . -pairs 400000 -seed 1
package defaulting
