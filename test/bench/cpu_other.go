// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package bench

import "time"

// cpuTime is unknown on this system; benchmarks report only the elapsed time.
func cpuTime() (time.Duration, bool) { return 0, false }
