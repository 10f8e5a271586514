// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package dovetail_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Who may read graph.Key.Absent, the default of a key: where it is made, and the one
// place that says which item a value is. Everybody else asks that.
var readsAbsent = []string{"schema/compile.go", "internal/graph/share.go", "internal/item/keys.go"}

// Functions beside values that have to do with keys and with defaults, and yet do not
// say which item a value is.
var keysAndDefaults = map[string]string{
	"cmd/internal/cli/definitions/typechanges.go:lists": "compares two schemas",
	"internal/engine/default.go:fields":                 "fills in defaults of fields; the keys are those of maps",
	"internal/gostruct/default.go:below":                "the same, of a Go type",
	"internal/gostruct/default.go:entries":              "the same, of a Go value",
}

// These are about schemas, not about values.
var aboutSchemas = []string{"schema/", "internal/graph/", "kube/", "gen/"}

// A key that is missing has its default. Whoever has a rule of his own for that comes
// to name items otherwise than package item does, sooner or later.
func TestKeyDefaultsHaveOneHome(t *testing.T) {
	seen := map[string]bool{}
	eachFile(t, func(path string, f *ast.File, fset *token.FileSet) {
		for _, d := range f.Decls {
			at := path
			if fn, ok := d.(*ast.FuncDecl); ok {
				at += ":" + fn.Name.Name
			}
			absent, keys, defaults := false, false, false
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					absent = absent || n.Sel.Name == "Absent"
					keys = keys || n.Sel.Name == "Keys" || n.Sel.Name == "Key" || n.Sel.Name == "FieldList"
					defaults = defaults || n.Sel.Name == "Default" || n.Sel.Name == "def"
				}
				return true
			})
			if absent && !slices.Contains(readsAbsent, path) {
				t.Errorf("%s reads the default of a key: ask package item", at)
			}
			if !keys || !defaults || slices.ContainsFunc(aboutSchemas, func(dir string) bool { return strings.HasPrefix(path, dir) }) {
				continue
			}
			if seen[at] = true; keysAndDefaults[at] == "" {
				t.Errorf("%s has to do with keys and defaults: ask package item which item a value is, or say in keysAndDefaults what it is about", at)
			}
		}
	})
	for at := range keysAndDefaults {
		if !seen[at] {
			t.Errorf("keysAndDefaults has %s, which is no more", at)
		}
	}
}

// eachFile parses the files of this repository that are no tests.
func eachFile(t *testing.T, visit func(path string, f *ast.File, fset *token.FileSet)) {
	t.Helper()
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(leaves, path) || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(path), f, fset)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
