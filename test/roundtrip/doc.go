// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package roundtrip writes random data and reads it again: values, schemas, managed fields,
// and the paths and owners in fixtures. It compares the results for values with
// structured-merge-diff v6.4.2. It also runs the scenarios of internal/fixture with
// structured-merge-diff, except scenarios with declarative defaults.
//
// Package differential compares path elements, field sets and FieldsV1 of both engines. The
// engine's packages have fuzz tests for random bytes.
//
//	go test ./...
//	go test -run TestValues -rounds 100000 -seed 7 .
package roundtrip
