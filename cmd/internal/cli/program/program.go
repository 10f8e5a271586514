// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package program lets tests run the command as a separate process. The test binary itself
// serves as the program: under a different name, it runs the command instead of the tests.
package program

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
)

// Name is the name of the program in tests. It cannot be dovetail, because scripts use this name
// for the command that runs the program.
const Name = "dovetail-program"

// RaceOptions prevents a program built with -race from sleeping for a second before it exits.
const RaceOptions = "atexit_sleep_ms=0"

// Streamed is the name of an environment variable. If it is set, the program reads small files in
// batches, as it always does with large files.
const Streamed = "DOVETAIL_STREAMED"

// Main is the TestMain of a package whose tests run the program.
func Main(m *testing.M) {
	// The types of a release stay in memory. By default, the garbage collector would scan them
	// after every few commands, which takes half of the running time.
	debug.SetGCPercent(400)
	os.Setenv("GORACE", RaceOptions)
	if os.Getenv(Streamed) != "" {
		input.SetMaxInMemory(0)
	}
	if os.Getenv("DOVETAIL_NATIVE") == "" {
		os.Setenv("DOVETAIL_NATIVE", "off") // installed helper programs must not influence the results
	}
	run := func() { os.Exit(cli.Run(os.Args[1:], cli.System())) }
	testscript.Main(m, map[string]func(){
		Name:                        run,
		"kubectl-dovetail":          run,
		"kubectl_complete-dovetail": run,
	})
}
