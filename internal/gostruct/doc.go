// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gostruct validates ([Validate]) and compares ([Compare]) Go structs, and fills in
// their defaults ([Default]). Package engine does the same for plain data. Package gostruct
// does not convert whole structs to plain data.
//
// Validate either proves that a struct is valid, or reports that it may be invalid. In the
// second case, the caller converts the struct, and the engine finds the errors. Only this
// package and internal/box read memory by offset.
package gostruct
