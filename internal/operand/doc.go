// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package operand defines [Value]: a value, its compiled type, and facts that earlier
// operations found out about both. The operations of package engine are called on Values.
//
// typed.TypedValue is defined as a Value, so converting one to the other costs nothing:
//
//	o := (*operand.Value)(tv)      // in this module
//	tv := (*typed.TypedValue)(o)
//
// Users of this module cannot import this package, so they have only the methods of
// typed.TypedValue. The methods here do not copy their operands and do not check that callers
// leave them unmodified.
package operand
