// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package item identifies list items. [KeyValue] returns the value of a key of an item, or the default
// of the key. [Element] and [Workspace.Element] return the path element of an item. [Workspace.Pair]
// pairs the items of two lists that have the same identity. [Workspace.HasDuplicates] reports whether
// any of the given identities are the same. [Workspace.NewIndex] and [ListIndexes] find the item that
// a path element identifies.
//
// Only package item decides the identity of an item. If the item lacks a key, the default of the
// key is part of its identity. For example, {port: 80} and {port: 80, protocol: TCP} are the same
// item if TCP is the default of protocol. Other packages call package item instead of reading keys.
// In a list with keys, only the keys of an item matter. In a set, the identity of an item is its
// whole value. The package does not merge items, and compares only their identities.
//
// All functions take linear time, except those that sort: [SortWithRanks], [Workspace.EachInOrder]
// and [CompleteKeys]. A lookup in an [Index] or in ListIndexes takes linear time until there is a
// hash table. If the caller knows that the left list has no duplicates, Pair needs no hash table for
// lists in the same order (see [PairFacts]).
package item
