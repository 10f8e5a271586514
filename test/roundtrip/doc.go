// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package roundtrip writes random structured data and reads it back: values,
// paths, field sets, FieldsV1, schemas and managed fields. What is written is
// compared with what structured-merge-diff v6.4.2 writes. The scenarios of
// internal/fixture that do without declarative defaults run over it, too.
//
// It is a module of its own, so that the engine's module requires nothing for
// its tests. Byte-level fuzz targets are in the packages themselves.
//
//	go test ./...
//	go test -run TestSets -rounds 100000 -seed 7 .
package roundtrip
