// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command diffload holds `dovetail diff` to what it may cost with many objects: it
// compares a set of mixed built-in kinds with live objects that have defaults,
// status and the managed fields of three managers, and fails above the bounds.
//
//	go run ./cmd/diffload                  # 1,000 objects
//	go run ./cmd/diffload -views           # every view
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dovetail-ssa/dovetail/conformance/internal/repo"
)

// The bounds that are kept for 1,000 objects.
const (
	maxCPU    = 5 * time.Second
	maxMemory = 500 << 20
)

func main() {
	count := flag.Int("objects", 1000, "how many objects")
	views := flag.Bool("views", false, "measure every view, not only that of fields")
	keep := flag.String("keep", "", "directory to leave the program and the files in")
	flag.Parse()
	if err := run(*count, *views, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "diffload:", err)
		os.Exit(1)
	}
}

func run(count int, views bool, keep string) error {
	dir := keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "diffload"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	tool, err := build(dir)
	if err != nil {
		return err
	}
	config, live, err := files(tool, dir, count)
	if err != nil {
		return err
	}
	args := []string{"diff", "-f", config, "--live", live, "--field-manager", "gitops"}
	runs := [][]string{args}
	if views {
		runs = append(runs, append(args[:len(args):len(args)], "--show-defaults"),
			append(args[:len(args):len(args)], "--view=unified"), append(args[:len(args):len(args)], "--view=side-by-side"))
	}
	for _, args := range runs {
		if err := measure(tool, count, args); err != nil {
			return err
		}
	}
	return nil
}

// build makes the command as users have it, with all that it links.
func build(dir string) (string, error) {
	root, err := repo.Root()
	if err != nil {
		return "", err
	}
	tool := filepath.Join(dir, "dovetail")
	c := exec.Command("go", "build", "-o", tool, "./cmd/dovetail")
	c.Dir = root
	c.Env = append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"), "GOFLAGS=")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w:\n%s", err, out)
	}
	return tool, nil
}

// files writes a config that changes one object in ten, and the live objects: what
// was applied before, what the server and controllers added, and status.
func files(tool, dir string, count int) (config, live string, err error) {
	write := func(name string, live bool, changed func(n int) bool) (string, error) {
		data, err := documents(count, live, changed)
		if err != nil {
			return "", err
		}
		path := filepath.Join(dir, name)
		return path, os.WriteFile(path, data, 0o600)
	}
	never := func(int) bool { return false }
	first, err := write("first.yaml", false, never)
	if err != nil {
		return "", "", err
	}
	full, err := write("full.yaml", true, never)
	if err != nil {
		return "", "", err
	}
	if config, err = write("config.yaml", false, func(n int) bool { return n/len(kinds)%10 == 0 }); err != nil {
		return "", "", err
	}
	for i, args := range [][]string{
		{"apply", "-f", first, "--field-manager", "gitops", "--time", "2026-03-01T10:00:00Z"},
		{"update", "-f", full, "--field-manager", "kube-controller-manager", "--time", "2026-03-01T10:00:01Z"},
		{"update", "-f", full, "--field-manager", "kubelet", "--subresource", "status", "--time", "2026-03-01T10:00:02Z"},
	} {
		if live != "" {
			args = append(args, "--live", live)
		}
		c := exec.Command(tool, args...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.Output()
		if err != nil {
			return "", "", fmt.Errorf("%v: %w\n%.2000s", args, err, stderr.String())
		}
		live = filepath.Join(dir, fmt.Sprintf("live%d.yaml", i))
		if err := os.WriteFile(live, out, 0o600); err != nil {
			return "", "", err
		}
	}
	return config, live, nil
}

// measure runs a diff, which must find a difference.
func measure(tool string, count int, args []string) error {
	c := exec.Command(tool, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		return fmt.Errorf("%v: want exit status 1, got %w\n%.2000s", args, err, stderr.String())
	}
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	memory := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	fmt.Printf("%d objects, %v: %.2f s of CPU, %d MB, %d lines\n", count, args[6:], cpu.Seconds(), memory>>20, bytes.Count(stdout.Bytes(), []byte("\n")))
	if cpu > maxCPU || memory > maxMemory {
		return fmt.Errorf("want at most %v of CPU and %d MB", maxCPU, maxMemory>>20)
	}
	return nil
}
