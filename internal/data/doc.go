// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package data has the basic operations on plain data. [KindFor] decides whether a value is a
// map, a list or a scalar. [NullValue] returns the value that a null means. [SameMemory]
// reports whether two values share memory. It also copies ([Copy]) and hashes values.
//
// Plain data is the output of JSON and YAML decoders: map[string]any, []any, strings,
// numbers, booleans and nil. map[any]any is accepted, too.
//
// There are three equalities:
//
//   - Equal: the equality of structured-merge-diff, in which 1 equals 1.0. See
//     [github.com/dovetail-ssa/dovetail/value.EqualUnstructured].
//   - [Equivalent]: null, an absent field and its default are interchangeable, as with
//     declarative defaults.
//   - Equal as stored ([StoredEquality]): no reader of the stored object could see a
//     difference. It decides whether an immutable field changed.
//
// Package item identifies the items of lists. Packages that import data work on field sets
// and merge values.
package data
