// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package standin creates a copy of structured-merge-diff that has the module path of this
// repository. With this copy, tests can run the drop-ins and test programs with
// structured-merge-diff in place of Dovetail. The results of such a run are known in advance.
package standin

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// policies declares names that the drop-ins use. structured-merge-diff does not have them.
const policies = `package schema

type KeyPolicy string

const (
	OptionalKeys = KeyPolicy("")
	StrictKeys   = KeyPolicy("strict")
)

type Policies struct {
	DeclarativeDefaults bool
	MissingKeys         KeyPolicy
	ShareTypes          bool
}

func SetInitialPolicies(Policies) {}
`

var moduleLine = regexp.MustCompile(`(?m)^module .*$`)
var goLine = regexp.MustCompile(`(?m)^go .*$`)

// Write writes the copy to dir, which must not exist yet.
func Write(major repo.Major, dir string) error {
	from, err := gocmd.Download(major.Module())
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(from, "go.mod"))
	if err != nil {
		return err
	}
	mod = moduleLine.ReplaceAll(mod, []byte("module "+repo.Module))
	mod = goLine.ReplaceAll(mod, []byte("go 1.24.0"))
	sum, err := os.ReadFile(filepath.Join(from, "go.sum"))
	if err != nil {
		return err
	}
	files := map[string][]byte{"go.mod": mod, "go.sum": sum, "schema/policies.go": []byte(policies)}
	for _, p := range repo.Packages {
		names, err := filepath.Glob(filepath.Join(from, p, "*.go"))
		if err != nil || len(names) == 0 {
			return fmt.Errorf("no Go files in %s of %s (%v)", p, major.Module(), err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			files[filepath.Join(p, filepath.Base(name))] = []byte(strings.ReplaceAll(string(text), major.Path+"/", repo.Module+"/"))
		}
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
