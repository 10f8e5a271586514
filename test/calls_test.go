// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package test_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

// TestWayIntoTheDropIn checks a list of functions in ARCHITECTURE.md. These functions of
// Kubernetes lead from the body of an HTTP request to an Updater. Each function must call the
// next one. The test uses the release that the document names.
func TestWayIntoTheDropIn(t *testing.T) {
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	release := regexp.MustCompile(`Kubernetes\s+1\.(\d+\.\d+)`).FindStringSubmatch(string(text))
	if release == nil {
		t.Fatal("ARCHITECTURE.md names no release of Kubernetes")
	}
	seen := 0
	for _, way := range strings.Split(string(text), "\n## ") {
		var caller *ast.FuncDecl
		for _, m := range regexp.MustCompile("(?m)^ *[0-9]+\\. `k8s.io/([a-z]+)/([a-z/]+)\\.([A-Za-z.]+)`").FindAllStringSubmatch(way, -1) {
			module, dir, name := m[1], m[2], m[3]
			root, err := gocmd.Download("k8s.io/" + module + "@v0." + release[1])
			if err != nil {
				t.Fatal(err)
			}
			f := find(t, filepath.Join(root, filepath.FromSlash(dir)), name)
			if f == nil {
				t.Fatalf("%s of k8s.io/%s v0.%s does not contain %s", dir, module, release[1], name)
			}
			if caller != nil && !names(caller, f.Name.Name) {
				t.Errorf("%s does not call %s", caller.Name.Name, name)
			}
			caller = f
			seen++
		}
	}
	if seen < 8 {
		t.Errorf("%d functions of Kubernetes are listed, want those of an apply and of an update", seen)
	}
}

// find returns a function of the package in dir. The name of a method is Type.Method.
func find(t *testing.T, dir, name string) *ast.FuncDecl {
	t.Helper()
	pkgs, err := parser.ParseDir(token.NewFileSet(), dir, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	typ, method, isMethod := strings.Cut(name, ".")
	for _, pkg := range pkgs {
		for _, file := range pkg.Files {
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				switch {
				case !ok || f.Body == nil || (f.Recv != nil) != isMethod:
				case !isMethod && f.Name.Name == name:
					return f
				case isMethod && f.Name.Name == method:
					at := f.Recv.List[0].Type
					if p, ok := at.(*ast.StarExpr); ok {
						at = p.X
					}
					if id, ok := at.(*ast.Ident); ok && id.Name == typ {
						return f
					}
				}
			}
		}
	}
	return nil
}

// names reports whether the body of a function contains an identifier.
func names(f *ast.FuncDecl, name string) (found bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return true
	})
	return found
}
