// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !valgrind

package main

func count(string, func()) { panic("not built to run under valgrind") }
