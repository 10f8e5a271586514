// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

const source = `package p

type list[T comparable] struct{ items []T }

func (l *list[T]) find(item T, _ bool, more ...T) int {
	for i := range l.items {
		if l.items[i] == item {
			return i
		}
	}
	return -1
}

func Index(int) int { return max[int](2, 1) - 3 }

func max[T int | string](a, b T) T {
	if a > b {
		return a
	}
	return b
}
`

// TestRewriteFile builds a program with all mutants of a file, and runs each mutant.
func TestRewriteFile(t *testing.T) {
	ms := []mutant{
		{ID: 1, From: "==", To: "!=", offset: strings.Index(source, "== item")},
		{ID: 2, From: "-", To: "+", offset: strings.Index(source, "- 3")},
		{ID: 3, From: ">", To: "<=", offset: strings.Index(source, "> b")},
		{ID: 4, From: ">", To: "?", offset: strings.Index(source, "> b")},
		{ID: 5, From: "|", To: "&", offset: strings.Index(source, "| string")},
	}
	r, err := rewriteFile("p.go", source, ms)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.copies) != 3 || !r.unparsed[4] || !r.unparsed[5] {
		t.Fatalf("the copies are %v, and these mutants are not valid Go: %v", r.copies, r.unparsed)
	}
	if was, is := strings.Count(source, "\n"), strings.Count(r.text[:r.copies[0].from], "\n"); is != was+1 {
		t.Errorf("the copies begin after %d lines, the source has %d", is, was)
	}
	for _, s := range r.copies {
		if got := r.mutantAt(s.from + 1); got != s.id {
			t.Errorf("mutant at %d: got %d, want %d", s.from+1, got, s.id)
		}
	}
	r, err = rewriteFile("p.go", source, ms[:3])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                    "module " + modulePath + "\n\ngo 1.24\n",
		"internal/mutant/mutant.go": chooser,
		"p/p.go":                    r.text,
		"p/p_test.go": `package p
import ("testing"; "fmt")
func TestP(t *testing.T) {
	l := &list[string]{[]string{"a", "b"}}
	fmt.Println("got", l.find("b", true, "c"), Index(1), max("x", "y"))
}
`,
	} {
		if err := write(filepath.Join(dir, name), text); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range []string{"1 -1 y", "0 -1 y", "1 5 y", "1 -2 x"} {
		cmd := exec.Command("go", "test", "-v", "-count=1", "-vet=off", "./p")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "DOVETAIL_MUTANT="+string(rune('0'+id)))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if !strings.Contains(string(out), "got "+want+"\n") {
			t.Errorf("mutant %d: want %s, got\n%s", id, want, out)
		}
	}
}

func TestLocate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.go")
	if err := write(file, "package p\n\nfunc f() bool {\n\tif a == b {\n\t}\n\t\tif a == b {\n"); err != nil {
		t.Fatal(err)
	}
	m := mutant{Line: 9, Text: "if a == b {", Column: 5, From: "=="}
	if !locate(file, &m) || m.Line != 6 || m.Col != 8 {
		t.Errorf("got line %d, column %d", m.Line, m.Col)
	}
	if gone := (mutant{Text: "if a == c {", Column: 5, From: "=="}); locate(file, &gone) {
		t.Error("locate finds a line that no longer exists")
	}
}

func TestExplained(t *testing.T) {
	file := filepath.Join(t.TempDir(), "survivors.txt")
	if err := write(file, "# why\n\na.go\tf\tx ⟦>⟧ y ➜ >=\n\tthe same:\n\tx is never y\nb.go\tg\tz ➜ w\n"); err != nil {
		t.Fatal(err)
	}
	why, err := explained(file)
	if err != nil || len(why) != 2 || why["a.go\tf\tx ⟦>⟧ y ➜ >="] != "the same: x is never y" || why["b.go\tg\tz ➜ w"] != "" {
		t.Errorf("got %q, %v", why, err)
	}
}

func TestFindPackages(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := findPackages(root); err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"merge", "internal/engine"} {
		if !slices.Contains(packages, pkg) {
			t.Errorf("package %s has no mutants", pkg)
		}
	}
	for _, pkg := range []string{"internal/fixture", "internal/repocheck", "spec/model"} {
		if slices.Contains(packages, pkg) {
			t.Errorf("package %s has mutants", pkg)
		}
	}
}
