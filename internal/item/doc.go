// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package item decides which list item is which. It knows the keys of an item and their
// defaults ([KeyValue]), the identity of an item ([Identity], [Memory.Element]), which items of
// two lists have the same identity ([Memory.Pair]), which items are duplicates
// ([Memory.Duplicates]), and which item a path element names ([Memory.Index], [ListIndexes]).
//
// It is the only package that applies the defaults of keys: {port: 80} and {port: 80,
// protocol: TCP} are the same item if TCP is the default. All other packages call this one.
//
// All functions take linear time. Lists whose items are in the same order are paired without a
// search. The package reads only the keys of items, and knows nothing about merging or
// comparing.
package item
