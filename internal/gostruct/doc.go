// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gostruct validates ([Validate]) and compares ([Compare]) Go structs and fills in
// defaults ([Default]), like package engine does for plain data, but without converting whole
// structs to plain data.
//
// Validate either proves that a struct is valid, or gives up. In the latter case the caller
// converts the struct, and the engine finds the errors. Only this package and internal/box
// read memory by offsets.
package gostruct
