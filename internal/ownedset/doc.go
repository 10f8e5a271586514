// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package ownedset examines the field sets of managers without walking the object. [CoveredBy]
// reports whether a set contains all fields that an applier owned before. [HasUnkeyedItems]
// reports whether a manager owns fields of an item whose keys nobody owns. [Reconcile] converts
// a stored set to the current schema.
//
// Package engine builds field sets from values, and decides which fields to remove.
package ownedset
