// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package consumer

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

func TestChange(t *testing.T) {
	for name, tc := range map[string]struct{ file, text, want string }{
		"an import":              {"a.go", "import \"" + repo.V6.Path + "/merge\"\n", "import \"" + repo.V7.Path + "/merge\"\n"},
		"an import of another":   {"a.go", "import \"" + repo.V4.Path + "/merge\"\n", "import \"" + repo.V4.Path + "/merge\"\n"},
		"no Go":                  {"a.txt", repo.V6.Path + "/merge\n", repo.V6.Path + "/merge\n"},
		"an edit, twice":         {"b.go", "one(nil) + one(nil)", "two(nil) + two(nil)"},
		"a file that has it not": {"b.go", "three", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, tc.file)
			if err := os.WriteFile(file, []byte(tc.text), 0o644); err != nil {
				t.Fatal(err)
			}
			m := moved{}
			if tc.file == "b.go" {
				m.Edits = []edit{{"b.go", "one(", "two("}}
			}
			if err := m.change(dir, repo.V6, repo.V7); (err != nil) != (tc.want == "") {
				t.Fatal(err)
			} else if err != nil {
				return
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != tc.want {
				t.Errorf("%q, %v, want %q", got, err, tc.want)
			}
		})
	}
}
