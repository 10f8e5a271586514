// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package callgrind counts the instructions of functions. Other programs on the machine do not
// affect the counts. The package needs valgrind, and works only on Linux/amd64.
//
// Two processes work together. One process calls [Count]; build it with the tag valgrind. The
// other process starts it with [Run]. Both can be the same program with different arguments.
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

// Available returns nil if this machine can count instructions, and otherwise an error with
// the reason.
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
// and writes it to dir. It returns a command that runs the binary with the arguments. A test
// calls OwnTest because its own binary, which "go test" builds without the tag, cannot count
// instructions.
func OwnTest(dir string, args ...string) (*exec.Cmd, error) {
	binary := filepath.Join(dir, "counting.test")
	if out, err := exec.Command("go", "test", "-c", "-tags=valgrind", "-o", binary, ".").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go test -c: %w\n%s", err, bytes.TrimSpace(out))
	}
	return exec.Command(binary, args...), nil
}

// Run runs a program under callgrind. For each label in a call of Count, it returns the number
// of instructions of one run. The program must not start other programs, because valgrind
// cannot handle the signal when they end.
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
	// Use one thread. Turn off preemption, because its signals cost instructions. Turn off
	// RDTSCP, because Valgrind claims that all processors support it.
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

// read adds the count of a dump. Each thread writes its own dumps. If several dumps have the
// same label, read keeps the largest count, which comes from the thread that runs the counted
// function.
func read(counts map[string]float64, dump string) error {
	_, label, ok := strings.Cut(dump, "desc: Trigger: Client Request: ")
	if !ok {
		return nil
	}
	label, rest, _ := strings.Cut(label, "\n")
	at := strings.LastIndex(label, runs)
	if at < 0 {
		return nil // the dump was written before the first label
	}
	n, err := strconv.Atoi(label[at+len(runs):])
	if err != nil || n <= 0 {
		return fmt.Errorf("label %q has no number of runs", label)
	}
	// The summary line in a dump is wrong if counting was stopped and restarted, so read the
	// totals line.
	_, total, ok := strings.Cut(rest, "\ntotals: ")
	if !ok {
		return nil // the thread did nothing
	}
	total, _, _ = strings.Cut(total, "\n")
	instructions, err := strconv.ParseFloat(strings.TrimSpace(total), 64)
	if err != nil {
		return fmt.Errorf("totals of %s: %w", label, err)
	}
	counts[label[:at]] = max(counts[label[:at]], instructions/float64(n))
	return nil
}

// runs is the text between the label and the number of runs.
const runs = " n="
