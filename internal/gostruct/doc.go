// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gostruct validates Go structs ([Validate]), compares them ([Compare]), and fills in
// their defaults ([Default]). Package engine does the same for plain data. For structs, package
// gostruct is faster, because it avoids converting whole structs to plain data.
//
// Validate either proves that a struct is valid, or reports that the struct may be invalid. In
// the second case, the caller converts the struct to plain data, and package engine finds the
// errors. Apart from internal/box, only this package reads memory by offset.
package gostruct
