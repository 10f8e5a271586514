// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gocmd runs the go command for test programs and tests.
package gocmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Env returns the environment for a go command that uses one module instead of the workspace of
// this repository. The arguments are additional variables ("KEY=value"), which take precedence
// over the caller's environment.
func Env(extra ...string) []string {
	env := append(os.Environ(), "GOWORK=off")
	return append(env, extra...)
}

// Output runs go with args in the folder dir and returns its standard output. If go fails, the
// error contains its standard error.
func Output(dir string, args ...string) ([]byte, error) { return output(dir, Env(), args) }

// With is like Output, but it also sets the given environment variables (see Env).
func With(extra []string, dir string, args ...string) ([]byte, error) {
	return output(dir, Env(extra...), args)
}

// InWorkspace is like Output, but the go command uses the workspace in dir or in a parent
// folder.
func InWorkspace(dir string, args ...string) ([]byte, error) {
	return output(dir, Env("GOWORK="), args)
}

// Dovetail builds the command dovetail and writes it to the folder dir. It returns the path of
// the program.
func Dovetail(dir string, flags ...string) (string, error) {
	root, err := repo.Root()
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "dovetail")
	args := append(append([]string{"build", "-o", program}, flags...), "./cmd/dovetail")
	_, err = output(root, Env("GOWORK=", "GOFLAGS="), args)
	return program, err
}

func output(dir string, env, args []string) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s in %s: %w\n%s", strings.Join(args, " "), dir, err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.Bytes(), nil
}

// Download returns the folder of a module ("path@version") in the module cache. It downloads
// the module if it is missing.
func Download(module string) (string, error) {
	// Use an empty folder, because a go.mod could select a different version.
	dir, err := os.MkdirTemp("", "dovetail-download-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	return DownloadFor(dir, module)
}

// DownloadFor is like Download. If the path has no version, it uses the version that the module
// in the folder dir requires. It runs the go command with the given additional environment
// variables.
func DownloadFor(dir, module string, extra ...string) (string, error) {
	out, err := With(extra, dir, "mod", "download", "-json", module)
	if err != nil {
		return "", err
	}
	var m struct{ Dir, Error string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	if m.Error != "" {
		return "", fmt.Errorf("go mod download %s: %s", module, m.Error)
	}
	return m.Dir, nil
}
