// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package tools helps tests run generators, and programs that contain generated code.
package tools

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// ProxyPackage is the package of examples/proxy.
const ProxyPackage = "github.com/dovetail-ssa/dovetail/examples/proxy/api/v1"

// Scratch creates a module with the same requirements as this module, and returns its folder.
func Scratch(t *testing.T) string {
	t.Helper()
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir, module := t.TempDir(), filepath.Join(root, "test")
	mod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	const here = "github.com/dovetail-ssa/dovetail/test"
	text := strings.Replace(string(mod), "module "+here, "module scratch", 1)
	text = strings.ReplaceAll(text, "=> ..", "=> "+root)
	text += "\nrequire " + here + " v0.0.0\n\nreplace " + here + " => " + module + "\n"
	Write(t, filepath.Join(dir, "go.mod"), text)
	sum, err := os.ReadFile(filepath.Join(module, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	Write(t, filepath.Join(dir, "go.sum"), string(sum))
	return dir
}

// Write writes a file. It creates the folder of the file if necessary.
func Write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Command returns a command for the folder dir. It uses the Go module in dir, without a
// workspace.
func Command(dir, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	return c
}

// Tool runs a tool that the module in the folder dir requires.
func Tool(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	Run(t, dir, "go", append([]string{"tool", name}, args...)...)
}

// Run runs a command and returns its output.
func Run(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	c := Command(dir, name, args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v:\n%s%s", c, err, out, &stderr)
	}
	return out
}
