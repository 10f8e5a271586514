// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package item says which item of a list is which: the keys of an item and their defaults
// ([KeyOf]), its identity ([Identity], [Memory.Element]), which items of two lists are the
// same ([Memory.Pair]), which are there twice ([Memory.Duplicates]), and where the one is
// that a path element names ([Memory.Index], [ListIndexes]).
//
// It is the only place where defaults of keys apply: {port: 80} and {port: 80, protocol:
// TCP} are one item when TCP is the default. Everybody else asks here.
//
// Everything takes linear time; lists in step are paired without a search. It does not
// look into items beyond their keys, and knows no operation.
package item
