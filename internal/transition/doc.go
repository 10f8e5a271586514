// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package transition finds the changes of an update that transition rules forbid. For example,
// an update changes an immutable value, or removes an item that must stay. Start with [Check].
//
// Two values are equal if they are equal as stored, see
// [github.com/dovetail-ssa/dovetail/internal/data.StoredEquality]. Only paths that lead to a
// transition rule are compared. The package does not validate values.
package transition
