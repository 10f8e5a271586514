// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package callgrind counts the instructions that functions take, which do not depend on what
// else the machine does. It needs valgrind, on Linux on amd64.
//
// A program that is built with the tag valgrind counts by [Count]; another one, or itself
// under other arguments, starts it by [Run].
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

// Available says why instructions cannot be counted here, nil if they can.
func Available() error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Errorf("callgrind is talked to on linux/amd64 only, this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		return errors.New("valgrind is not in the PATH; its tool callgrind counts the instructions (package valgrind of most Linux distributions)")
	}
	return nil
}

// OwnTest builds the test binary of the package in the working directory into dir, so that it
// can count, and returns it with arguments. That which go test runs cannot.
func OwnTest(dir string, args ...string) (*exec.Cmd, error) {
	binary := filepath.Join(dir, "counting.test")
	if out, err := exec.Command("go", "test", "-c", "-tags=valgrind", "-o", binary, ".").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go test -c: %w\n%s", err, bytes.TrimSpace(out))
	}
	return exec.Command(binary, args...), nil
}

// Run runs a program under callgrind, and returns the instructions of one run of what it
// counted, by label. It must not start others: valgrind cannot stand the signal of a child
// that ends.
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
	// One thread of Go's, and no preemption, whose signals cost instructions. Valgrind says that
	// there is RDTSCP, and fails on processors without it.
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

// read adds what a dump says. Each thread has dumps of its own, of which the largest is that of
// the one that counts.
func read(counts map[string]float64, dump string) error {
	_, label, ok := strings.Cut(dump, "desc: Trigger: Client Request: ")
	if !ok {
		return nil
	}
	label, rest, _ := strings.Cut(label, "\n")
	at := strings.LastIndex(label, runs)
	if at < 0 {
		return nil // what is before that which is counted
	}
	n, err := strconv.Atoi(label[at+len(runs):])
	if err != nil || n <= 0 {
		return fmt.Errorf("label %q says no number of runs", label)
	}
	// Not the summary, which goes wrong where counting stops and starts.
	_, total, ok := strings.Cut(rest, "\ntotals: ")
	if !ok {
		return nil // a thread that did nothing
	}
	total, _, _ = strings.Cut(total, "\n")
	instructions, err := strconv.ParseFloat(strings.TrimSpace(total), 64)
	if err != nil {
		return fmt.Errorf("totals of %s: %w", label, err)
	}
	counts[label[:at]] = max(counts[label[:at]], instructions/float64(n))
	return nil
}

// runs stands between a label and the number of runs.
const runs = " n="
