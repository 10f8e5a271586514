// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package rekey converts stored field sets from one schema to another ([Rekeyer.Rekey]). It
// reads both schemas and the live object, and reports each change as a [Move].
//
// It runs once when a schema changes. A request, which has only the current schema, calls
// [github.com/dovetail-ssa/dovetail/internal/ownedset.Reconcile].
package rekey
