// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gocmd runs the go command on behalf of the tools here.
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

// Env returns the environment for a go command that must see one module and
// the replacements it is given, not the workspace of this repository.
// Entries of extra ("KEY=value") win over the caller's.
func Env(extra ...string) []string {
	env := append(os.Environ(), "GOWORK=off")
	return append(env, extra...)
}

// Output runs go with args in dir and returns its standard output. An error
// quotes what go wrote to standard error.
func Output(dir string, args ...string) ([]byte, error) { return output(dir, Env(), args) }

// With is Output in an environment that has some more, as Env takes it.
func With(extra []string, dir string, args ...string) ([]byte, error) {
	return output(dir, Env(extra...), args)
}

// InWorkspace is Output with the modules that dir/go.work, or the next one above, names.
func InWorkspace(dir string, args ...string) ([]byte, error) {
	return output(dir, Env("GOWORK="), args)
}

// Dovetail builds the command dovetail into dir, as users have it or with build flags, and
// returns the program.
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

// Download returns the directory of a module ("path@version") in the module
// cache, fetching it first when it is not there.
func Download(module string) (string, error) {
	// An empty directory: no go.mod may change what the version means.
	dir, err := os.MkdirTemp("", "dovetail-download-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	return DownloadFor(dir, module)
}

// DownloadFor is Download with the version that the module in dir requires, for a path without
// one, and in an environment that has some more.
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
