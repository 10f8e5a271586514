// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package operand is what typed.TypedValue is to this module: a value, its compiled
// type, and what earlier operations found out about both.
//
// A [Value] is what an operation of package engine is called with. typed.TypedValue is
// defined as a Value, so that the two convert into each other at no cost:
//
//	o := (*operand.Value)(tv)      // in this module
//	tv := (*typed.TypedValue)(o)
//
// Users cannot import this package, so that they have the methods of typed.TypedValue
// only. What is here shares memory with its operands and trusts its callers with it.
package operand
