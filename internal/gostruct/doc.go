// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gostruct validates ([Validate]) and compares ([Compare]) Go structs, and fills in
// their defaults ([Default]). Package engine does the same for plain data. Package gostruct
// is faster for structs, because it does not convert them to plain data as a whole.
//
// Validate either proves that a struct is valid, or reports that it may be invalid. If it may
// be invalid, the caller converts the struct to plain data, and package engine finds the
// errors. Apart from internal/box, this is the only package that reads memory by offset.
package gostruct
