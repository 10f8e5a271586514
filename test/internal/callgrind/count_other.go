// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !valgrind

package callgrind

// Count panics, because this program was built without the tag valgrind.
func Count(string, int, func()) { panic("to count instructions, build with -tags valgrind") }
