// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package program lets tests run the command as a program in its own process. The test binary
// serves as the program, under another name.
package program

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
)

// Name is the name of the program in tests. Scripts call the program with the command dovetail, so
// the name must be different.
const Name = "dovetail-program"

// RaceOptions keeps a program built with -race from sleeping for a second before it exits.
const RaceOptions = "atexit_sleep_ms=0"

// Streamed is an environment variable. If it is set, the program keeps no file in memory, not even
// a small one.
const Streamed = "DOVETAIL_STREAMED"

// Main is the TestMain of a package whose tests run the program.
func Main(m *testing.M) {
	// The types of a release stay in memory. With the normal setting, the garbage collector would
	// scan them after every few commands, which takes half of the time.
	debug.SetGCPercent(400)
	os.Setenv("GORACE", RaceOptions)
	if os.Getenv(Streamed) != "" {
		input.SetMaxInMemory(0)
	}
	if os.Getenv("DOVETAIL_NATIVE") == "" {
		os.Setenv("DOVETAIL_NATIVE", "off") // installed programs must not influence the results
	}
	run := func() { os.Exit(cli.Run(os.Args[1:], cli.System())) }
	testscript.Main(m, map[string]func(){
		Name:                        run,
		"kubectl-dovetail":          run,
		"kubectl_complete-dovetail": run,
	})
}
