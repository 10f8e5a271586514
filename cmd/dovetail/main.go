// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command dovetail predicts how a Kubernetes API server handles a server-side apply. See
// dovetail --help.
package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
)

// softLimit is the memory limit of the garbage collector, unless the environment variable
// GOMEMLIMIT is set. While the heap is far below the limit, it may grow to twice the size of
// the live data. Close to the limit, the collector runs more often. The largest objects that
// the program can read need 4 GB.
const softLimit = 4 << 30

// ballast is the size of an allocation that the program never touches, so the allocation uses
// no physical memory. The garbage collector counts it as live data, so the heap can grow by
// the same amount before the collector runs. Without the ballast, the collector would run all
// the time, because the real live data are small.
const ballast = 32 << 20

func main() {
	unused := make([]byte, ballast)
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(softLimit)
	}
	status := cli.Run(os.Args[1:], cli.System())
	runtime.KeepAlive(unused)
	os.Exit(status)
}
