// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !valgrind && !steps

package main

func count(string, func()) { panic("not built to count") }
