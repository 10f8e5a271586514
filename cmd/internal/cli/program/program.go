// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package program lets tests run the command line as a program of its own, which is the
// test itself under another name.
package program

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
)

// Name is what the program is called in tests. The command of the scripts that runs it
// has the shorter name.
const Name = "dovetail-program"

// RaceOptions keep a command that was built with -race from sleeping for a second
// before it ends; there are hundreds.
const RaceOptions = "atexit_sleep_ms=0"

// Streamed is set in the environment of a program that is to hold no file, however small.
const Streamed = "DOVETAIL_STREAMED"

// Main is the TestMain of a package whose tests run the program.
func Main(m *testing.M) {
	// The types of a release stay in memory; half of the time would go into looking at
	// them again for every few commands.
	debug.SetGCPercent(400)
	os.Setenv("GORACE", RaceOptions)
	if os.Getenv(Streamed) != "" {
		input.HoldAtMost(0)
	}
	if os.Getenv("DOVETAIL_NATIVE") == "" {
		os.Setenv("DOVETAIL_NATIVE", "off") // answers do not depend on what is installed
	}
	run := func() { os.Exit(cli.Run(os.Args[1:], cli.System())) }
	testscript.Main(m, map[string]func(){
		Name:                        run,
		"kubectl-dovetail":          run,
		"kubectl_complete-dovetail": run,
	})
}
