// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package consumer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// TestReplaceOnce checks that Replace rejects a module that already uses Dovetail. Otherwise, a
// test would compare Dovetail with itself.
func TestReplaceOnce(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, c := range []struct {
		mod     string
		refused bool
	}{
		{"module m\n\ngo 1.26.0\n", false},
		{"module m\n\ngo 1.26.0\n\nreplace " + repo.V6.Path + " => " + repo.V6.Path + " v6.4.2\n", false},
		{"module m\n\ngo 1.26.0\n\nreplace " + repo.V6.Path + " => /x/dovetail/compat/v6\n", true},
	} {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(c.mod), 0o644); err != nil {
			t.Fatal(err)
		}
		err := Replace(dir, dir, repo.V6, root, root)
		if refused := err != nil && strings.Contains(err.Error(), "is already replaced"); refused != c.refused {
			t.Errorf("%s: %v", c.mod, err)
		}
	}
}
