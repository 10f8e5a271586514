// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package data provides the basic operations on plain data. For example, [KindFor] decides
// whether a value is a map, a list or a scalar, [NullValue] returns the value that a null stands
// for, and [Copy] copies a value. The package also compares and hashes values.
//
// Plain data is the output of JSON and YAML decoders: map[string]any, map[any]any, []any,
// strings, numbers, booleans and nil.
//
// There are three equalities:
//
//   - Equal, as in structured-merge-diff: 1 equals 1.0. See
//     [github.com/dovetail-ssa/dovetail/value.EqualUnstructured].
//   - Equivalent, for declarative defaults: null, an absent field and the default of the field are
//     interchangeable. See [Equivalent].
//   - Equal as stored, for immutable fields: no reader of the stored object could see a
//     difference. See [StoredEquality].
//
// Package item identifies the items of lists. Other packages build on this one to handle field
// sets and to merge values.
package data
