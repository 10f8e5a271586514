// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package rekey converts stored field sets from one schema to another ([Rekeyer.Rekey]). It
// reads both schemas and the live object, and reports each change as a [Move].
//
// Rekeying happens once after a change of the schema, when both the old and the new schema are
// known. A request has only the current schema, so it calls
// [github.com/dovetail-ssa/dovetail/internal/ownedset.Reconcile] instead.
package rekey
