// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package roundtrip writes random structured data and reads it back: values, schemas, managed
// fields, and the paths and owners of fixtures. It compares values with those of
// structured-merge-diff v6.4.2. It also runs the scenarios of internal/fixture that need no
// declarative defaults with structured-merge-diff.
//
// Package differential compares path elements, field sets and FieldsV1 of both engines. The
// tested packages have fuzz targets for random bytes.
//
//	go test ./...
//	go test -run TestValues -rounds 100000 -seed 7 .
package roundtrip
