// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package cputime

import "time"

// Used returns false, because the CPU time is unknown on this system.
func Used() (time.Duration, bool) { return 0, false }
