// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gostruct validates ([Validate]) and compares ([Compare]) Go structs, and fills in
// their defaults ([Default]). Package engine does the same for plain data. Package gostruct
// does not convert whole structs to plain data.
//
// Validate either proves that a struct is valid, or reports that it may be invalid. If it may
// be invalid, the caller converts the struct to plain data, and package engine finds the
// errors. Apart from internal/box, this is the only package that reads memory by offset.
package gostruct
