// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package engine walks plain data against a compiled schema, one operation a file:
// validate, compare, merge, field set, remove and give up, default, drop unknown fields,
// deduplicate, settle unions, diagnose. Start from [Validate] for a walk over one value
// and from [Compare] for a walk over two.
//
// How a value is read is package data, which item of a list it is package item, what
// field sets tell by themselves package ownedset. Go structs are lowered before they come
// here, or are package gostruct's.
//
// Operations allocate for results only and never change what they are given, but where
// they say so. They are safe for concurrent use on data that nobody writes.
package engine
