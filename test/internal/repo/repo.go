// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package repo has the paths of this repository's modules and packages, and the versions of
// structured-merge-diff with which tests compare Dovetail.
package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Module is the path of the root module, which contains the engine.
const Module = "github.com/dovetail-ssa/dovetail"

// Packages lists the public packages that structured-merge-diff also has. Each package imports
// only packages that come before it.
var Packages = []string{"value", "schema", "fieldpath", "typed", "merge"}

// Major is a major version of structured-merge-diff for which there is a drop-in.
type Major struct {
	Name    string // such as "v6"; the drop-in is in this folder of compat
	Path    string // module path
	Version string // the release that the drop-in replaces

	// Toolchain is the version of Go that this major version requires, in the spelling of
	// GOTOOLCHAIN. "" means any version.
	Toolchain string
}

// Module returns the release as "path@version".
func (m Major) Module() string { return m.Path + "@" + m.Version }

// Env returns the environment variables of go commands for modules with this major version.
func (m Major) Env() []string {
	if m.Toolchain == "" {
		return nil
	}
	return []string{"GOTOOLCHAIN=" + m.Toolchain}
}

var (
	V4 = Major{"v4", "sigs.k8s.io/structured-merge-diff/v4", "v4.7.0", ""}
	V6 = Major{"v6", "sigs.k8s.io/structured-merge-diff/v6", "v6.4.2", ""}
	// V7 requires Go 1.27, so only test/v7 imports it.
	V7 = Major{"v7", "sigs.k8s.io/structured-merge-diff/v7", "v7.0.0", "go1.27.4"}
)

// Root returns the root of the repository to which the working folder belongs.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module "+Module+"\n") {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod of %s in the working directory or above it", Module)
		}
		dir = parent
	}
}
