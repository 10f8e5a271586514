// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package engine contains the operations on plain data that follow a compiled schema. Most files
// have one operation. The main operations validate, compare and merge values, compute field sets,
// remove fields, and find the fields that an applier gives up. [ApplyNulls] and [ResolveEmptied]
// decide which maps and lists become null or disappear after a merge. Other operations fill in
// defaults, prune unknown fields, deduplicate lists, normalize unions, and diagnose mistakes.
//
// To read the code, start with [Validate], which walks one value, and [Compare], which walks two. In
// most walks of one value, the method value handles any value, fields handles the fields of a map,
// and items handles the items of a list. In walks of two values, methods such as compareMaps and
// mergeLists handle a pair of maps or lists.
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
