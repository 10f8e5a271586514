// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command dovetail predicts what a Kubernetes API server does with a server-side apply. See dovetail
// --help.
package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
)

// softLimit is the memory limit of the garbage collector, unless the environment variable
// GOMEMLIMIT sets another. Far below the limit, the heap may grow to twice the live data.
// Close to the limit, the collector runs more often. The largest objects that the program can
// read need 4 GB.
const softLimit = 4 << 30

// ballast is the size of an allocation that the program never touches, so it uses no physical
// memory. The garbage collector counts the ballast as live data, so the heap can grow by that
// amount before the collector runs. The live data are small. Without the ballast, the
// collector would therefore run all the time.
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
