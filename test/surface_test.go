// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
	"github.com/dovetail-ssa/dovetail/test/internal/surface"
)

var update = flag.Bool("update", false, "rewrite testdata/additions.txt")

// additionsFile lists the exported names of the engine that structured-merge-diff does not
// have. Each line has a name and its description. To add a name, run go test -run
// TestEngineSurface -update.
const additionsFile = "testdata/additions.txt"

// TestEngineSurface compares the exported names of the engine's packages with those of
// structured-merge-diff v6.
func TestEngineSurface(t *testing.T) {
	want := load(t, ".", repo.V6.Path)
	got := load(t, root(t), repo.Module)
	broken, added := surface.Compare(want, got)
	for _, d := range broken {
		t.Error(d)
	}
	t.Logf("%d names of %s compared: %d missing or different; %d additions",
		len(want), repo.V6.Module(), len(broken), len(added))

	lines := map[string]bool{}
	for _, d := range added {
		lines[d.Name+": "+d.Got] = true
	}
	if *update {
		text := strings.Join(slices.Sorted(maps.Keys(lines)), "\n") + "\n"
		if err := os.WriteFile(additionsFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listed := additions(t)
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		if !listed[line] {
			t.Errorf("%s does not list this new name: %s", additionsFile, line)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(listed)) {
		if !lines[line] {
			t.Errorf("%s lists a name that the engine does not have: %s", additionsFile, line)
		}
	}
}

// TestShimSurface compares the exported names of each drop-in with the release that it
// replaces. A drop-in must not have other names in its packages. The types behind its aliases
// may have the additions of the engine; in v4, also the additions of v6.
func TestShimSurface(t *testing.T) {
	extra := load(t, ".", repo.V6.Path)
	for line := range additions(t) {
		name, text, _ := strings.Cut(line, ": ")
		extra[name] = text
	}
	for _, major := range []repo.Major{repo.V4, repo.V6} {
		t.Run(major.Name, func(t *testing.T) {
			wrong, summary, err := surface.CompareShim(major, ".", root(t), extra)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range wrong {
				t.Error(d)
			}
			t.Log(summary)
		})
	}
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func load(t *testing.T, dir, module string) surface.Surface {
	t.Helper()
	s, err := surface.OfModule(dir, module)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func additions(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(additionsFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if line != "" {
			lines[line] = true
		}
	}
	return lines
}
