// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package defaulting compares how Dovetail and the API server treat nulls and absent fields in
// custom resources. It uses random structural schemas and random objects, with apiextensions as
// the reference.
//
//	go test . -pairs 400000 -seed 1
package defaulting
