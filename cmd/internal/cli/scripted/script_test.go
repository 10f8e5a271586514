// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package scripted runs the test scripts of the command. Each line of a script runs in its own process.
package scripted

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/program"
)

var update = flag.Bool("update", false, "rewrite the expected output of the scripts")

func TestMain(m *testing.M) { program.Main(m) }

// TestScripts runs the scripts in ../testdata/script. In addition to the commands of testscript,
// scripts have these:
//
//	[!] dovetail ARGS... [< FILE]   run dovetail; with !, the exit status must not be 0
//	status N                        the exit status of the last command must be N
//	cluster FILE                    start a cluster with the objects of FILE; writes the file kubeconfig
//	stored PATH FILE                write the object at a URL path of the cluster to FILE
//
// In half of the scripts, the commands read their files as streams. This must not change their
// output. Reports must match their schema. Exit statuses must match the table in docs/ci.md.
// Together, the scripts must contain a report of every command, and every cell of this table.
func TestScripts(t *testing.T) {
	var (
		reported sync.Map
		ended    sync.Map
		ran      atomic.Int64
	)
	table, err := program.Statuses("../../../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		scripts, err := filepath.Glob("../testdata/script/*.txtar")
		if err != nil || int(ran.Load()) < len(scripts) {
			return // -run selects only some scripts
		}
		commands, err := program.ReportCommands()
		if err != nil {
			t.Error(err)
		}
		for _, command := range commands {
			if _, ok := reported.Load(command); !ok {
				t.Errorf("no script has a report of %s", command)
			}
		}
		for cell := range table {
			if _, ok := ended.Load(cell); !ok {
				t.Errorf("no script has %s end with %d", cell.Command, cell.Status)
			}
		}
	})
	testscript.Run(t, testscript.Params{
		Dir:           "../testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			examples, err := os.Getwd()
			env.Setenv("EXAMPLES", examples+"/../../../../examples")
			env.Setenv("NO_COLOR", "")
			env.Setenv("GORACE", program.RaceOptions)
			env.Values[lastStatus{}] = new(int)
			env.Values[started{}] = &clusters{}
			env.Values[reports{}] = &reported
			env.Values[ends{}] = &endings{table, &ended}
			if ran.Add(1)%2 == 0 {
				env.Values[streamed{}] = program.Streamed + "=yes"
			} else {
				env.Values[streamed{}] = program.Streamed + "="
			}
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"dovetail": runDovetail,
			"status":   checkStatus,
			"cluster":  startCluster,
			"stored":   stored,
		},
	})
}

type lastStatus struct{}

type reports struct{}

type streamed struct{}

type ends struct{}

// endings holds the documented exit statuses of all commands, and the exit statuses
// that have occurred in the scripts.
type endings struct {
	table map[program.Ending]bool
	seen  *sync.Map
}

// check compares the exit status of a command with the table in docs/ci.md.
func (e *endings) check(ts *testscript.TestScript, args []string, status int) {
	if len(args) == 0 || !e.hasCommand(args[0]) {
		return
	}
	end := program.Ending{Command: args[0], Status: status}
	if !e.table[end] && status != command.StatusInvalid {
		ts.Fatalf("%s ends with %d, which docs/ci.md does not know", end.Command, status)
	}
	e.seen.Store(end, true)
}

// hasCommand reports whether the table contains a command.
func (e *endings) hasCommand(name string) bool {
	for end := range e.table {
		if end.Command == name {
			return true
		}
	}
	return false
}

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
	c.Env = append(os.Environ(), "KUBECACHEDIR="+ts.MkAbs(".cache"), "NO_COLOR="+ts.Getenv("NO_COLOR"), "GOCOVERDIR="+ts.Getenv("GOCOVERDIR"), ts.Value(streamed{}).(string))
	var stdout bytes.Buffer
	c.Stdout, c.Stderr = io.MultiWriter(ts.Stdout(), &stdout), ts.Stderr()
	err = c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	status := c.ProcessState.ExitCode()
	*ts.Value(lastStatus{}).(*int) = status
	ts.Value(ends{}).(*endings).check(ts, args, status)
	if neg != (status != 0) {
		ts.Fatalf("exit status %d", status)
	}
	reported, err := program.CheckReport(args, stdout.Bytes())
	ts.Check(err)
	ts.Value(reports{}).(*sync.Map).Store(reported, true)
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
