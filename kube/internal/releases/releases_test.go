// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package releases

import (
	"slices"
	"strings"
	"testing"
)

// Every folder must have a release.txt. Each other part must exist, or release.txt must
// say why it is missing.
func TestFolders(t *testing.T) {
	entries, err := folders.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := folders.ReadFile(e.Name() + "/release.txt")
		if err != nil {
			t.Fatal(err)
		}
		r := readRelease(e.Name(), string(text))
		if !strings.HasPrefix(r.Version, "v"+r.Minor+".") {
			t.Errorf("%s: release.txt has the version %q", r.Minor, r.Version)
		}
		files, err := folders.ReadDir(r.Minor)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"release.txt"}
		for _, p := range Parts() {
			ok, why := r.Has(p)
			switch {
			case ok:
				want = append(want, p.File)
			case why == "":
				t.Errorf("%s: release.txt gives no reason why there is no %s", r.Minor, p.File)
			case p == OpenAPI:
				t.Errorf("%s: every release needs %s", r.Minor, p.File)
			}
		}
		var got []string
		for _, f := range files {
			got = append(got, f.Name())
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got the files %v, want %v", r.Minor, got, want)
		}
		for file := range r.unknown {
			if !slices.ContainsFunc(Parts(), func(p Part) bool { return p.File == file }) {
				t.Errorf("%s: release.txt says why there is no %s, but no release has such a file", r.Minor, file)
			}
		}
	}
	if len(All()) != len(entries) || !slices.IsSortedFunc(All(), func(a, b Release) int { return Compare(a.Minor, b.Minor) }) {
		t.Errorf("got %v", All())
	}
}

func TestFind(t *testing.T) {
	f := NewFamily(OpenAPI, func(r Release) string { return r.Minor })
	newest := f.Minors()[len(f.Minors())-1]
	for _, version := range []string{newest, "v" + newest, newest + ".7", "v" + newest + ".0-beta.0"} {
		if got, err := f.Find(version); got != newest || err != nil {
			t.Errorf("%q: got %q, %v", version, got, err)
		}
	}
	for _, version := range []string{"", "1", "1.3", "v2.37", "x.36"} {
		if got, err := f.Find(version); err == nil {
			t.Errorf("%q: got %q", version, got)
		}
	}
	_, err := f.Find("1.20")
	if want := "dovetail does not know the types of Kubernetes 1.20; use one of " + strings.Join(f.Minors(), ", "); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCompare(t *testing.T) {
	if Compare("1.9", "1.10") >= 0 || Compare("1.37", "1.37") != 0 || Compare("2.0", "1.99") <= 0 {
		t.Error("releases are not compared by number")
	}
}
