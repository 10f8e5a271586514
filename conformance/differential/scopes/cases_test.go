// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCases writes the cases of spec, or says that they are others.
func TestCases(t *testing.T) {
	total := 0
	for _, k := range Kinds {
		g, err := k.Cases()
		if err != nil {
			t.Fatal(err)
		}
		total += len(g.Cases)
		text, err := g.Write()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("../../../spec/cases/testdata", g.Name+".json")
		if *update {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if is, err := os.ReadFile(file); err != nil || string(is) != string(text) {
			t.Errorf("%s is another than -update would write (%v)", file, err)
		}
	}
	t.Logf("%d cases", total)
}
