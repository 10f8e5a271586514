// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package program lets tests run the command as a program in its own process. The program is the test
// binary under another name.
package program

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
)

// Name is the name of the program in tests. It differs from dovetail, which is the command that scripts
// use to run the program.
const Name = "dovetail-program"

// RaceOptions keep programs built with -race from sleeping for a second before they exit.
const RaceOptions = "atexit_sleep_ms=0"

// Streamed is an environment variable. If it is set, the program keeps no file in memory, however small.
const Streamed = "DOVETAIL_STREAMED"

// Main is the TestMain of a package whose tests run the program.
func Main(m *testing.M) {
	// The types of a release stay in memory. Without this setting, garbage collection would scan
	// them every few commands, which takes half of the time.
	debug.SetGCPercent(400)
	os.Setenv("GORACE", RaceOptions)
	if os.Getenv(Streamed) != "" {
		input.SetMaxInMemory(0)
	}
	if os.Getenv("DOVETAIL_NATIVE") == "" {
		os.Setenv("DOVETAIL_NATIVE", "off") // results must not depend on installed programs
	}
	run := func() { os.Exit(cli.Run(os.Args[1:], cli.System())) }
	testscript.Main(m, map[string]func(){
		Name:                        run,
		"kubectl-dovetail":          run,
		"kubectl_complete-dovetail": run,
	})
}
