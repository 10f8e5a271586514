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
// To read the code, start with [Validate], which walks one value, and [Compare], which walks two. In
// most walks of one value, the method value handles any value, fields handles the fields of a map,
// and items handles the items of a list. In walks of two values, methods such as compareMaps and
// mergeLists handle a pair of maps or lists.
//
// Most functions use the same short names: n is a type, m a map type, l a list type, and t the type of
// a field. In walks of two values, x and y are the left and the right value, and a and b are their
// fields or items. In walks of one value, v is the value, and x has its fields or items. In loops, c or
// v is a field value or an item, and it is a list item. pe is a path element. In merges, z is the state of
// merging one pair of containers, and v and u are the left and the right value of a field. mg is
// a merger, and cr is a comparer. kind is one kind of values that a type can allow (see graph.Kinds),
// and class is the class of a value (see data.ClassOf).
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
