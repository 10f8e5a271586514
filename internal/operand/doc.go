// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package operand defines [Value], which holds a value, its compiled type, and cached facts
// about both. The methods of Value call the operations in package engine.
//
// typed.TypedValue is defined as a Value, so converting one to the other costs nothing:
//
//	o := (*operand.Value)(tv)      // in this module
//	tv := (*typed.TypedValue)(o)
//
// Programs outside this module cannot import this package, so they can call only the methods of
// typed.TypedValue. The methods of Value do not copy the data on which they operate. They also
// do not detect whether a caller modifies this data.
package operand
