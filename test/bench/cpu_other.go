// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package bench

import "time"

// cpuTime is not known here; benchmarks report the time on the wall only.
func cpuTime() (time.Duration, bool) { return 0, false }
