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

// softLimit is the garbage collector's memory limit, which the environment variable GOMEMLIMIT
// overrides. The collector runs more often when the heap comes close to this limit, so the program
// stays within it. The largest objects that the program can read need 4 GB.
const softLimit = 4 << 30

// ballast is the size in bytes of an allocation that is never used. The garbage collector counts
// it as live data and therefore lets the heap grow further before it runs. Without the ballast, it
// would run all the time, because the program's own live data are small. The allocation uses no
// physical memory, because nothing ever writes to it.
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
