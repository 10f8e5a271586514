// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestLastRelease(t *testing.T) {
	tags := []string{"v0.9.0", "v0.10.0", "v0.11.0-rc.1", "v1", "kube/v0.12.0", "v0.10.1"}
	for version, want := range map[string]string{"": "v0.11.0-rc.1", "v0.10.1": "v0.10.0", "v0.11.0": "v0.11.0-rc.1", "v0.1.0": ""} {
		if got := lastRelease(tags, version); got != want {
			t.Errorf("before %q: got %q, want %q", version, got, want)
		}
	}
}

func TestMayBreak(t *testing.T) {
	for _, c := range []struct {
		pkg, last, version string
		may                bool
	}{
		{"/kube/predict", "v0.2.1", "", true}, {"/kube/predict", "v0.2.1", "v0.3.0", true}, {"/kube/predict", "v0.2.1", "v0.2.2", false},
		{"/kube/predict", "v1.2.1", "v1.3.0", false}, {"/typed", "v0.2.1", "v0.3.0", false}, {"/compat/v6/merge", "v0.2.1", "", false},
		{"/merge", "v0.2.1", "", false}, {"/typedesc", "v0.2.1", "", true},
	} {
		if got := mayBreak(root+c.pkg, c.last, c.version); got != c.may {
			t.Errorf("%s from %s to %q: got %v", c.pkg, c.last, c.version, got)
		}
	}
}

func TestLostAPI(t *testing.T) {
	t.Setenv("GOWORK", "off")
	tree := func(files map[string]string) string {
		dir := t.TempDir()
		files = maps.Clone(files)
		files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
		for name, text := range files {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	old := tree(map[string]string{
		"a/a.go": "package a\n\nfunc F(int) {}\n\nfunc G() {}\n\ntype T struct{ A, b int }\n", "gone/g.go": "package gone\n",
		"internal/i/i.go": "package i\n\nfunc F() {}\n", "cmd/main.go": "package main\n\nfunc F() {}\n\nfunc main() {}\n",
	})
	now := tree(map[string]string{
		"a/a.go": "package a\n\nfunc F(string) {}\n\nfunc H() {}\n\ntype T struct{ A, B int }\n", "new/n.go": "package fresh\n",
		"internal/i/i.go": "package i\n", "cmd/main.go": "package main\n\nfunc main() {}\n",
	})
	got, err := lostAPI(old, now, []string{".", "later"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"example.com/m/a":    {"F: changed from func(int) to func(string)", "G: removed"},
		"example.com/m/gone": {"the package was removed"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if _, err := lostAPI(old, tree(map[string]string{"a/a.go": "package a\n\nvar X = nothing\n"}), []string{"."}); err == nil {
		t.Error("comparing a package that does not compile succeeds")
	}
}
