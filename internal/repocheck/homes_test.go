// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

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

// readsIfMissing lists the files that may use graph.Key.IfMissing, the default of a key. These
// files set IfMissing, or belong to package item, which identifies items. All other code calls
// package item.
var readsIfMissing = []string{"schema/compile.go", "internal/graph/share.go", "internal/item/keys.go"}

// keysAndDefaults lists functions that use both keys and defaults but do not identify items,
// each with the reason.
var keysAndDefaults = map[string]string{
	"cmd/internal/cli/definitions/typechanges.go:keys": "compares two schemas",
	"internal/gostruct/default.go:planInside":          "sets defaults of fields of a Go type; the keys are those of maps",
	"internal/gostruct/default.go:entries":             "the same for a Go value",
}

// aboutSchemas lists the folders whose code handles schemas and not values.
var aboutSchemas = []string{"schema/", "internal/graph/", "kube/", "gen/"}

// TestKeyDefaultsHaveOneHome checks that only package item gives a missing key its default.
// All code then identifies items in the same way.
func TestKeyDefaultsHaveOneHome(t *testing.T) {
	seen := map[string]bool{}
	eachFile(t, func(path string, f *ast.File, fset *token.FileSet) {
		for _, d := range f.Decls {
			at := path
			if fn, ok := d.(*ast.FuncDecl); ok {
				at += ":" + fn.Name.Name
			}
			ifMissing, keys, defaults := false, false, false
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					ifMissing = ifMissing || n.Sel.Name == "IfMissing"
					keys = keys || n.Sel.Name == "Keys" || n.Sel.Name == "Key" || n.Sel.Name == "FieldList"
					defaults = defaults || n.Sel.Name == "Default" || n.Sel.Name == "def"
				}
				return true
			})
			if ifMissing && !slices.Contains(readsIfMissing, path) {
				t.Errorf("%s uses the default of a key: call package item instead", at)
			}
			if !keys || !defaults || slices.ContainsFunc(aboutSchemas, func(dir string) bool { return strings.HasPrefix(path, dir) }) {
				continue
			}
			if seen[at] = true; keysAndDefaults[at] == "" {
				t.Errorf("%s uses keys and defaults: identify items with package item, or list the function in keysAndDefaults", at)
			}
		}
	})
	for at := range keysAndDefaults {
		if !seen[at] {
			t.Errorf("keysAndDefaults lists %s, which does not exist: remove it", at)
		}
	}
}

// homes lists rules that must have only one implementation. Only the listed files may use
// these fields and functions. All other code must call the implementation.
var homes = []struct {
	uses    string // names of the fields and functions
	instead string // the function to call instead
	files   map[string]string
}{
	{"NullIsMissing ZeroIsMissing", "item.CountsAsMissing says whether a key counts as missing", map[string]string{
		"internal/item/keys.go":   "the implementation",
		"internal/rekey/moves.go": "describes how two schemas differ",
	}},
	{"ElemDefault ItemDefault", "data.NearestDefault, data.NullValue and data.Equivalent return the effect of defaults", map[string]string{
		"internal/data/equivalent.go":  "the implementation",
		"internal/engine/default.go":   "sets defaults",
		"internal/gostruct/default.go": "sets defaults in Go values",
	}},
	{"Relation", "graph.List.IsAtomic and IsAssociative tell the type of a list", nil},
	{"Nullable", "data.Nullable and graph.Node.KeepsNull report whether null is a value", map[string]string{
		"internal/data/equivalent.go": "the implementation",
	}},
	{"DeepEqual", "compare with value.EqualUnstructured, data.Equivalent or data.StoredEquality", map[string]string{
		"internal/data/storedequality.go": "Go types that are not plain data",
		"internal/gostruct/compare.go":    "Go slices are compared as structured-merge-diff does",
		"internal/gostruct/samememory.go": "kinds with references that have no comparison of their own",
		"internal/document/document.go":   "decoded FieldsV1, which are not values of an object",
		"value/reflect.go":                "Go slices are compared as structured-merge-diff does",
	}},
}

func TestRulesHaveOneHome(t *testing.T) {
	seen := map[string]bool{}
	eachFile(t, func(path string, f *ast.File, fset *token.FileSet) {
		if slices.ContainsFunc(append(aboutSchemas, "internal/fixture/", "cmd/"), func(dir string) bool { return strings.HasPrefix(path, dir) }) {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "data" {
				return true // it calls the implementation
			}
			for _, h := range homes {
				if !slices.Contains(strings.Fields(h.uses), sel.Sel.Name) {
					continue
				}
				if seen[h.uses+path] = true; h.files[path] == "" {
					t.Errorf("%v uses %s: %s", fset.Position(sel.Pos()), sel.Sel.Name, h.instead)
				}
			}
			return true
		})
	})
	for _, h := range homes {
		for path := range h.files {
			if !seen[h.uses+path] {
				t.Errorf("%s does not use %s: remove it from homes", path, h.uses)
			}
		}
	}
}

// TestListTypesAreNotCompared checks that code calls the methods of schema.ElementRelationship,
// and does not compare values with the constants of this type. Such code need not change when a
// list type is added.
func TestListTypesAreNotCompared(t *testing.T) {
	spellings := constantsOf(t, "schema/", "ElementRelationship")
	if len(spellings) < 3 {
		t.Fatalf("schema has the list types %q, want at least three", spellings)
	}
	eachFile(t, func(path string, f *ast.File, fset *token.FileSet) {
		for _, at := range comparisons(path, f, spellings) {
			t.Errorf("%v compares a list type with a constant: call IsAtomic or IsAssociative of schema.ElementRelationship", fset.Position(at))
		}
	})
}

// TestListTypesAreKnown checks that the tables of list types in package schema have all list
// types.
func TestListTypesAreKnown(t *testing.T) {
	tables := map[string]string{"schema/compile.go": "relations", "schema/share.go": "knownRelations"}
	spellings := constantsOf(t, "schema/", "ElementRelationship")
	eachFile(t, func(path string, f *ast.File, _ *token.FileSet) {
		table := tables[path]
		if table == "" {
			return
		}
		listed := map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || v.Names[0].Name != table {
				return true
			}
			ast.Inspect(v, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					listed[id.Name] = true
				}
				return true
			})
			delete(tables, path)
			return false
		})
		for _, name := range spellings {
			if !listed[name] {
				t.Errorf("%s of %s lacks the list type %s", table, path, name)
			}
		}
	})
	for path, table := range tables {
		t.Errorf("there is no %s in %s", table, path)
	}
}

func TestComparisons(t *testing.T) {
	for _, c := range []struct {
		path, text string
		want       int
	}{
		{"a/a.go", "x == schema.New", 1},
		{"a/a.go", "schema.New != x", 1},
		{"a/a.go", "x == New", 0},
		{"schema/a.go", "x == New", 1},
		{"a/a.go", "x == other.New", 0},
		{"a/a.go", "x == schema.Other", 0},
		{"a/a.go", "func() bool { switch x { case schema.Other, schema.New: return true }; return false }()", 1},
		{"a/a.go", "map[string]schema.T{a: schema.New}[x] == y", 0},
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nvar v = "+c.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(comparisons(c.path, f, []string{"New"})); got != c.want {
			t.Errorf("%s in %s: %d comparisons, want %d", c.text, c.path, got, c.want)
		}
	}
}

// comparisons returns the positions in a file where it compares with one of the given
// constants of package schema, or has a case for one of them.
func comparisons(path string, f *ast.File, constants []string) (all []token.Pos) {
	names := func(e ast.Expr) bool {
		if name, ok := e.(*ast.Ident); ok {
			return strings.HasPrefix(path, "schema/") && slices.Contains(constants, name.Name)
		}
		sel, ok := e.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		x, ok := sel.X.(*ast.Ident)
		return ok && x.Name == "schema" && slices.Contains(constants, sel.Sel.Name)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (names(n.X) || names(n.Y)) {
				all = append(all, n.Pos())
			}
		case *ast.CaseClause:
			if slices.ContainsFunc(n.List, names) {
				all = append(all, n.Pos())
			}
		}
		return true
	})
	return all
}

// constantsOf returns the constants of a type in the files of a folder.
func constantsOf(t *testing.T, folder, typ string) (all []string) {
	eachFile(t, func(path string, f *ast.File, _ *token.FileSet) {
		if !strings.HasPrefix(path, folder) {
			return
		}
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.ValueSpec)
				if id, ok := spec.Type.(*ast.Ident); ok && id.Name == typ {
					for _, name := range spec.Names {
						all = append(all, name.Name)
					}
				}
			}
		}
	})
	return all
}

// eachFile calls visit for each Go file of this repository, except tests.
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
