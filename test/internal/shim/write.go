// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Write writes files to the folder dir. The keys are paths relative to dir.
func Write(dir string, files map[string][]byte) error {
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

// Stale returns the paths of the files in the repository's drop-in that differ from the output
// of Generate.
func Stale(major repo.Major, modDir, root string) (stale []string, err error) {
	want, err := Generate(major, modDir, root)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, "compat", major.Name)
	for name, text := range want {
		have, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(have, text) {
			stale = append(stale, fmt.Sprintf("compat/%s/%s is out of date: run test/cmd/gencompat", major.Name, filepath.ToSlash(name)))
		}
	}
	generated, err := filepath.Glob(filepath.Join(dir, "*", File))
	if err == nil && len(generated) != len(want) {
		stale = append(stale, fmt.Sprintf("%d generated files, want %d", len(generated), len(want)))
	}
	return stale, err
}
