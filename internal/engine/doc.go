// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package engine contains the operations on plain data that follow a compiled schema. Most files
// have one operation. The main operations validate, compare and merge values, compute field sets,
// remove fields, and find the fields that an applier gives up. With declarative defaults, [ApplyNulls]
// and [ResolveEmptied] then decide which maps and lists become null or are removed. Other operations
// fill in defaults, prune unknown fields, deduplicate lists, normalize unions, and diagnose mistakes.
//
// Plain data is what JSON and YAML decoders return (see package data). The config is the value that
// a manager, the applier, applies. A map or list is atomic if its type makes it one leaf. Otherwise
// it is granular. An empty granular map is also handled as a leaf, but it is not atomic.
//
// To read the code, start with [Validate], which walks one value, and [Compare], which walks two.
// In most walks, the method value handles any value, fields handles the fields of a map, and items
// handles the items of a list. A walk that follows one value, and looks up the same paths in other
// values, has the same methods. Compare and Merge walk two values in parallel. There, methods such
// as compareMaps and mergeLists handle a pair of maps or lists.
//
// Most functions use the same short names:
//
//	n, m, l, t      a type, a map type, a list type, the type of a field or item
//	x, y            the left and the right value of a pair
//	a, b            the fields or items of x and y
//	v, u            the left and the right value of a field in a merge
//	v, x            in a walk of one value: the value, and its fields or items
//	c, it           in a loop: a field value or an item, an item
//	pe              a path element
//	kind            one of the kinds of values that a type can allow (see graph.Kinds)
//	class           the class of a value (see data.ClassOf)
//	z               the state of merging two maps or two lists
//	mg, cr, va, fw  the receivers merger, comparer, validator and fieldSetWalker
//
// Most other receivers have one or two letters. A variable n of type int is a number.
//
// Some types have declarative defaults, which KEP-1929 proposes (see graph.Node.Declarative). In
// such a type, an absent field means the same as its default. A null that the type does not allow
// also means the default, or an absent field if there is no default.
//
// Package data reads values, package item identifies list items, and package ownedset examines
// field sets. Package engine accepts plain data. Callers convert Go structs to plain data, or call
// package gostruct. Some operations also accept values in which atomic lists and strings are not
// converted yet (see goleaf.go in package data): Merge, MergeWithAbsent, CompareWithOrigins,
// CompareWithAbsent, FieldSet and IsEmptyOrAtomic. These operations must not read the items of
// atomic lists, or assume that a string has the Go type string.
//
// The main operations use scratch memory from a pool, so they allocate little memory apart from
// their results and findings. Unless a comment says otherwise, operations never modify their
// arguments. They are safe for concurrent use on data that nobody modifies.
package engine
