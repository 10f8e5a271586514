// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestListed(t *testing.T) {
	dir := t.TempDir()
	if tests, err := Listed(dir, "smd-v4"); err != nil || tests != nil {
		t.Errorf("without a file: %v, %v", tests, err)
	}
	text := `# Differences

| id | before | after |
|---|---|---|
| smd-v4 | not a test | |

| suite | test | why |
|---|---|---|
| smd-v4 | ` + "`merge.TestA/b_c`" + ` | because |
| smd-v6 | merge.TestB | because |
| smd-v4 | value.TestC | because |
`
	if err := os.WriteFile(filepath.Join(dir, DifferencesFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	tests, err := Listed(dir, "smd-v4")
	if want := []string{"merge.TestA/b_c", "value.TestC"}; err != nil || !slices.Equal(tests, want) {
		t.Errorf("got %q, %v, want %q", tests, err, want)
	}
}
