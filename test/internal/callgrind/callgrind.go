// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package callgrind counts instructions of functions, independent of other load on the machine.
// It needs valgrind on Linux on amd64.
//
// A program built with the tag valgrind counts with [Count]. Another program, or the same one
// with other arguments, starts it with [Run].
package callgrind

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Available returns the reason why instructions cannot be counted here, or nil if they can.
func Available() error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Errorf("callgrind is only supported on linux/amd64, this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		return errors.New("valgrind is not in the PATH; its tool callgrind counts the instructions (package valgrind of most Linux distributions)")
	}
	return nil
}

// OwnTest builds the test binary of the package in the working folder, with the tag valgrind,
// into dir. It returns a command with the arguments. The binary of a running go test cannot
// count, because it lacks the tag.
func OwnTest(dir string, args ...string) (*exec.Cmd, error) {
	binary := filepath.Join(dir, "counting.test")
	if out, err := exec.Command("go", "test", "-c", "-tags=valgrind", "-o", binary, ".").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go test -c: %w\n%s", err, bytes.TrimSpace(out))
	}
	return exec.Command(binary, args...), nil
}

// Run runs a program under callgrind, and returns the instructions of one run for each label.
// The program must not start other programs, because valgrind cannot handle the signal when a
// child ends.
func Run(program *exec.Cmd) (map[string]float64, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "dovetail-callgrind-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("valgrind", slices.Concat([]string{"--quiet", "--tool=callgrind", "--instr-atstart=no", "--separate-threads=yes",
		"--callgrind-out-file=" + filepath.Join(dir, "dump"), program.Path}, program.Args[1:])...)
	cmd.Dir = program.Dir
	// Use one thread, and no preemption, because its signals cost instructions. Valgrind
	// reports RDTSCP as available, and fails on processors without it.
	cmd.Env = append(program.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s under valgrind: %w\n%s", program.Path, err, bytes.TrimSpace(out))
	}
	dumps, err := filepath.Glob(filepath.Join(dir, "dump.*"))
	if err != nil {
		return nil, err
	}
	counts := map[string]float64{}
	for _, name := range dumps {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := read(counts, string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
	}
	return counts, nil
}

// read adds the counts of a dump. Each thread has its own dumps. The dump with the largest
// count belongs to the thread that counts.
func read(counts map[string]float64, dump string) error {
	_, label, ok := strings.Cut(dump, "desc: Trigger: Client Request: ")
	if !ok {
		return nil
	}
	label, rest, _ := strings.Cut(label, "\n")
	at := strings.LastIndex(label, runs)
	if at < 0 {
		return nil // the dump was counted before the first label
	}
	n, err := strconv.Atoi(label[at+len(runs):])
	if err != nil || n <= 0 {
		return fmt.Errorf("label %q has no number of runs", label)
	}
	// Do not use the summary, which is wrong when counting stops and starts.
	_, total, ok := strings.Cut(rest, "\ntotals: ")
	if !ok {
		return nil // an idle thread
	}
	total, _, _ = strings.Cut(total, "\n")
	instructions, err := strconv.ParseFloat(strings.TrimSpace(total), 64)
	if err != nil {
		return fmt.Errorf("totals of %s: %w", label, err)
	}
	counts[label[:at]] = max(counts[label[:at]], instructions/float64(n))
	return nil
}

// runs separates the label from the number of runs.
const runs = " n="
