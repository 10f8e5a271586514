// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package carry carries field sets over to another schema ([Carrier.Carry]): it has both
// schemas and the live object, and tells each [Move] that somebody should know of.
//
// It runs once when a schema changes. What a request needs, which has the schema of today
// only, is [github.com/dovetail-ssa/dovetail/internal/ownedset.Reconcile].
package carry
