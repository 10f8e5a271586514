// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gostruct does with Go structs what package engine does with plain data, where
// that can be done without making plain data of all of them: it validates ([Validate]),
// compares ([Compare]) and fills in defaults ([Default]).
//
// It says that something is valid, or that it does not know; then the struct is lowered,
// and the engine says what is wrong. Only this package and internal/box read memory by
// offsets.
package gostruct
