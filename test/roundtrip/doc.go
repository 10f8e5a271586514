// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package roundtrip writes random structured data and reads it back: values,
// schemas, managed fields, and the paths and owners of fixtures. Values are compared with
// those of structured-merge-diff v6.4.2. The scenarios of internal/fixture that need no
// declarative defaults run over it, too.
//
// Package differential compares path elements, field sets and FieldsV1 of both engines;
// fuzz targets for bytes are in the packages themselves.
//
//	go test ./...
//	go test -run TestValues -rounds 100000 -seed 7 .
package roundtrip
