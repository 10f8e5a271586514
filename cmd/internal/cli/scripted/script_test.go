// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package scripted runs the scripts of the command, each line a program of its own.
package scripted

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/program"
)

var update = flag.Bool("update", false, "rewrite the expected output of the scripts")

func TestMain(m *testing.M) { program.Main(m) }

// TestScripts runs ../testdata/script. Two commands are added to testscript's:
//
//	[!] dovetail ARGS... [< FILE]   run it; ! wants an exit status other than 0
//	status N                        the last one ended with this status
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "../testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			examples, err := os.Getwd()
			env.Setenv("EXAMPLES", examples+"/../../../../examples")
			env.Setenv("NO_COLOR", "")
			env.Setenv("GORACE", program.RaceOptions)
			env.Values[lastStatus{}] = new(int)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"dovetail": runDovetail,
			"status":   checkStatus,
		},
	})
}

type lastStatus struct{}

func runDovetail(ts *testscript.TestScript, neg bool, args []string) {
	path, err := exec.LookPath(program.Name)
	ts.Check(err)
	c := exec.Command(path)
	if n := len(args); n >= 2 && args[n-2] == "<" {
		f, err := os.Open(ts.MkAbs(args[n-1]))
		ts.Check(err)
		defer f.Close()
		c.Stdin, args = f, args[:n-2]
	}
	c.Args = append(c.Args, args...)
	c.Dir = ts.MkAbs(".")
	c.Env = append(os.Environ(), "NO_COLOR="+ts.Getenv("NO_COLOR"), "GOCOVERDIR="+ts.Getenv("GOCOVERDIR"))
	c.Stdout, c.Stderr = ts.Stdout(), ts.Stderr()
	err = c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	status := c.ProcessState.ExitCode()
	*ts.Value(lastStatus{}).(*int) = status
	if neg != (status != 0) {
		ts.Fatalf("exit status %d", status)
	}
}

func checkStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: status N")
	}
	got := *ts.Value(lastStatus{}).(*int)
	if want, err := strconv.Atoi(args[0]); err != nil || got != want {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}
