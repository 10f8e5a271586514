// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBuiltAgain runs the tests of a package in which a file is missing. The first try creates
// the file while it runs other tests. So the package builds only in the second try.
func TestBuiltAgain(t *testing.T) {
	for _, mended := range []bool{true, false} {
		dir := t.TempDir()
		files := map[string]string{
			"go.mod":    "module m\n\ngo 1.24\n",
			"p_test.go": "package m\n\nimport \"testing\"\n\nfunc TestP(t *testing.T) { t.Log(missing) }\n",
			"exec":      "#!/bin/sh\n", // the script runs no test
		}
		if mended {
			// The tests of another package run, although package p does not build.
			files["exec"] = "#!/bin/sh\necho 'package m\n\nconst missing = 1' > \"" + dir + "/missing.go\"\nexec \"$@\"\n"
		}
		files["other/o_test.go"] = "package other\n\nimport \"testing\"\n\nfunc TestO(*testing.T) {}\n"
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		res, err := goTest(dir, filepath.Join(dir, "log"), "", nil, "-exec", filepath.Join(dir, "exec"), "./...")
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Passed["m.TestP"]; got != mended {
			t.Errorf("the first try creates the missing file: %v, the test passes: %v, broken packages: %v", mended, got, res.Broken)
		}
		if !mended && !strings.Contains(res.Broken["m"], "undefined: missing") {
			t.Errorf("the output does not name the package that does not build: %q", res.Broken)
		}
	}
}
