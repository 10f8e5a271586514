// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command dovetail does on files what the Kubernetes API server does around a
// server-side apply. See dovetail --help.
package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
)

// softLimit is from where on the collector works harder rather than let the heap grow to
// twice what is in use, as it does below: the largest objects that are read take 4 GB.
// GOMEMLIMIT says otherwise.
const softLimit = 4 << 30

// ballast is memory that nobody touches, so that it takes none. The collector counts it as in
// use, and waits until as much was allocated: with the types of a release and the objects in
// hand alone, it would run all the time.
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
