// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoroutines checks that no package of the root module or of kube starts a goroutine.
// Tests that start goroutines must have "Concurren" in their names, because CI runs only
// these with the race detector.
func TestGoroutines(t *testing.T) {
	tests := 0
	for _, dir := range []string{".", "kube"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != dir:
				if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || d.Name() == "testdata" || within(leaves, path) {
					return fs.SkipDir // another module, or a package for tests only
				}
			case strings.HasSuffix(path, ".go"):
				f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
				if err != nil {
					return err
				}
				for name := range starters(f) {
					tests++
					if !strings.HasSuffix(path, "_test.go") || !strings.Contains(name, "Concurren") {
						t.Errorf("%s: %s starts goroutines: only tests with Concurren in their names may", path, name)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if tests < 15 {
		t.Errorf("found %d tests that start goroutines, want at least 15", tests)
	}
}

// starters returns the functions of a file that start goroutines.
func starters(f *ast.File) map[string]bool {
	found := map[string]bool{}
	for _, d := range f.Decls {
		name := ""
		if fn, ok := d.(*ast.FuncDecl); ok {
			name = fn.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found[name] = true
			case *ast.SelectorExpr:
				// These are methods of sync.WaitGroup, errgroup.Group and testing.T.
				switch n.Sel.Name {
				case "Go":
					if _, plain := n.X.(*ast.Ident); plain {
						found[name] = true
					}
				case "Parallel", "RunParallel":
					found[name] = true
				}
			}
			return true
		})
	}
	return found
}

func TestStarters(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", `package p
func a() { func() { go b() }() }
func b() { var all sync.WaitGroup; all.Go(func() {}) }
func c(t *testing.T) { t.Parallel() }
func d(b *testing.B) { b.RunParallel(nil) }
func e() { reflect.ValueOf(nil) }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := starters(f)
	for _, name := range []string{"a", "b", "c", "d"} {
		if !found[name] {
			t.Errorf("%s not found", name)
		}
	}
	if len(found) != 4 {
		t.Errorf("found %v", found)
	}
}
