// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !steps

package main

import "github.com/dovetail-ssa/dovetail/test/internal/callgrind"

// count lets callgrind count the instructions of one run.
func count(label string, run func()) { callgrind.Count(label, 1, run) }
