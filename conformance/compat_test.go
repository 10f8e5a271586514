// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-ssa/dovetail/conformance/internal/repo"
	"github.com/dovetail-ssa/dovetail/conformance/internal/shim"
)

// TestShimsAreUpToDate regenerates the shims and compares them with the files
// in compat.
func TestShimsAreUpToDate(t *testing.T) {
	for _, major := range []repo.Major{repo.V4, repo.V6} {
		t.Run(major.Name, func(t *testing.T) {
			want, err := shim.Generate(major, ".", root(t))
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(root(t), "compat", major.Name)
			for name, text := range want {
				have, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Error(err)
				} else if !bytes.Equal(have, text) {
					t.Errorf("compat/%s/%s is out of date: go run ./cmd/gencompat", major.Name, filepath.ToSlash(name))
				}
			}
			generated, err := filepath.Glob(filepath.Join(dir, "*", shim.File))
			if err != nil || len(generated) != len(want) {
				t.Errorf("%d generated files, want %d (%v)", len(generated), len(want), err)
			}
		})
	}
}
