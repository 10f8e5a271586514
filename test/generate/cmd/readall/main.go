// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command readall runs dovetail-gen on all of k8s.io/api and of gateway-api. It generates every
// kind of output, and prints the time and memory that dovetail-gen needs.
//
//	go run ./cmd/readall
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// These are the limits for time and memory.
const (
	maxTime   = time.Minute
	maxMemory = 2 << 30
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "readall")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tool := filepath.Join(dir, "dovetail-gen")
	build := exec.Command("go", "build", "-o", tool, "github.com/dovetail-ssa/dovetail/gen/cmd/dovetail-gen")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w:\n%s", err, out)
	}
	// The types of k8s.io/api are not custom resources, so generate no CRDs for them.
	if err := read(tool, dir, "", "k8s.io/api/..."); err != nil {
		return err
	}
	return read(tool, dir, "crds", "sigs.k8s.io/gateway-api/apis/...")
}

func read(tool, dir, crdDir, what string) error {
	out := filepath.Join(dir, "out")
	if crdDir != "" {
		crdDir = filepath.Join(out, crdDir)
	}
	c := exec.Command(tool, "--defaults=false", "--openapi-dir="+filepath.Join(out, "definitions"), "--openapi-json="+filepath.Join(out, "openapi.json"), "--crds="+crdDir, what)
	c.Env = append(os.Environ(), "GOWORK=off")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	start := time.Now()
	err := c.Run()
	took := time.Since(start)
	if err != nil {
		text := strings.TrimSpace(stderr.String())
		return fmt.Errorf("%s: %w: …%s", what, err, text[strings.LastIndexByte(text, '\n')+1:])
	}
	memory := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	document, err := os.ReadFile(filepath.Join(out, "openapi.json"))
	if err != nil {
		return err
	}
	crds, err := filepath.Glob(filepath.Join(crdDir, "*.yaml"))
	if err != nil {
		return err
	}
	fmt.Printf("%s: %.1f s, %d MB; %d warnings, %d kB of OpenAPI, %d CustomResourceDefinitions\n", what, took.Seconds(), memory>>20,
		strings.Count(stderr.String(), "(warning)\n"), len(document)>>10, len(crds))
	if took > maxTime || memory > maxMemory {
		return fmt.Errorf("%s: want at most %v and %d MB", what, maxTime, maxMemory>>20)
	}
	return os.RemoveAll(out)
}
