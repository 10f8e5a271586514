// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package transition finds changes in an update that transition rules forbid, for example a
// change of an immutable value, or the removal of an item that must stay. Start with [Check].
//
// The package compares values as they are stored (see
// [github.com/dovetail-ssa/dovetail/internal/data.StoredEquality]). It compares only paths
// that lead to a transition rule. The package does not validate values.
package transition
