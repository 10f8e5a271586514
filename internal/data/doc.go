// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package data says what plain data is, whatever it means: as what kind a value is read
// ([KindFor]), what null and absent stand for ([NullMeans]), whether two values are one in
// memory ([SameMemory]), and how values are copied ([Copy]) and hashed.
//
// Data is what decoders of JSON and YAML make: map[string]any, []any, strings, numbers,
// booleans and nil; map[any]any is accepted where it stands.
//
// There are three equalities. Two values are equal as structured-merge-diff has it
// ([github.com/dovetail-ssa/dovetail/value.EqualUnstructured]): 1 and 1.0 are. They are
// [Equivalent] if null, absent and a default stand for each other, as they do with
// declarative defaults. They are [StoredAlike] if nobody could tell them apart once they
// are stored: that decides whether an immutable field changed.
//
// It knows nothing of items of lists (see package item), of field sets, or of operations.
package data
