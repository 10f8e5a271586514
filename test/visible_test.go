// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
	"github.com/dovetail-ssa/dovetail/test/internal/surface"
)

// published are the modules that other modules may require.
var published = []string{".", "kube", "kube/crd", "kube/policy", "kube/gate", "kube/testserver", "gen", "cmd", "compat/v4", "compat/v6"}

// TestNoInternalTypeIsVisible checks the types in the API and the documentation of public
// packages. Users must be able to name all of them.
func TestNoInternalTypeIsVisible(t *testing.T) {
	packages := 0
	for _, module := range published {
		dir := filepath.Join(root(t), module)
		out, err := gocmd.InWorkspace(dir, "list", "-json=ImportPath,Name,Dir,GoFiles", "./...")
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p struct {
				ImportPath, Name, Dir string
				GoFiles               []string
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if p.Name == "main" || isInternal(p.ImportPath) || len(p.GoFiles) == 0 {
				continue
			}
			paths = append(paths, p.ImportPath)
			for _, name := range p.GoFiles {
				file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, 0)
				if err != nil {
					t.Fatal(err)
				}
				for _, what := range internalInDocs(file) {
					t.Errorf("the documentation of %s mentions %s of an internal package", p.ImportPath, what)
				}
			}
		}
		if len(paths) == 0 {
			continue
		}
		packages += len(paths)
		pkgs, err := surface.LoadInWorkspace(dir, paths...)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			for _, what := range internalTypes(pkgs[path]) {
				t.Errorf("%s: %s", path, what)
			}
		}
	}
	if packages < 10 {
		t.Errorf("there are %d public packages: too few were checked", packages)
	}
	t.Logf("%d public packages", packages)
}

func isInternal(path string) bool { return strings.Contains("/"+path+"/", "/internal/") }

// internalInDocs returns the names of internal packages in those declarations of a file that go
// doc shows.
func internalInDocs(file *ast.File) (all []string) {
	internal := map[string]bool{}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		internal[name] = isInternal(path)
	}
	ast.FileExports(file)
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			if f.Body = nil; !ofExportedType(f) {
				continue
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok && internal[pkg.Name] {
					all = append(all, pkg.Name+"."+sel.Sel.Name)
				}
			}
			return true
		})
	}
	return all
}

// ofExportedType reports whether f is a function, or a method of an exported type.
func ofExportedType(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	t := f.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.Ident:
			return of.IsExported()
		default:
			return true
		}
	}
}

// internalTypes describes how users can reach types of internal packages through the exported
// names of a package.
func internalTypes(pkg *types.Package) []string {
	l := looker{seen: map[types.Type]bool{}}
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			l.see(obj.Type(), name)
		}
	}
	return l.found
}

type looker struct {
	seen  map[types.Type]bool
	found []string
}

// see visits all types that users can reach from a type.
func (l *looker) see(t types.Type, at string) {
	if t == nil || l.seen[t] {
		return
	}
	l.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		l.see(t.Rhs(), at)
	case *types.Named:
		pkg := t.Obj().Pkg()
		if pkg != nil && strings.HasPrefix(pkg.Path(), repo.Module+"/") && isInternal(pkg.Path()) {
			l.found = append(l.found, fmt.Sprintf("%s is of type %s", at, t))
			return
		}
		for arg := range t.TypeArgs().Types() {
			l.see(arg, at)
		}
		if pkg == nil || !strings.HasPrefix(pkg.Path(), repo.Module+"/") {
			return // the type is from another module, whose tests check it
		}
		l.see(t.Underlying(), at)
		for m := range t.Methods() {
			if m.Exported() {
				l.see(m.Signature(), at+"."+m.Name())
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				l.see(f.Type(), at+"."+f.Name())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				l.see(m.Signature(), at+"."+m.Name())
			}
		}
		for e := range t.EmbeddedTypes() {
			l.see(e, at)
		}
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			l.see(p.Constraint(), at)
		}
		l.see(t.Params(), at)
		l.see(t.Results(), at)
	case *types.Tuple:
		for v := range t.Variables() {
			l.see(v.Type(), at)
		}
	case *types.Map:
		l.see(t.Key(), at)
		l.see(t.Elem(), at)
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		l.see(t.Elem(), at)
	case *types.Union:
		for term := range t.Terms() {
			l.see(term.Type(), at)
		}
	}
}

// TestInternalTypesAreSeen checks that internalTypes and internalInDocs find internal types.
func TestInternalTypesAreSeen(t *testing.T) {
	inside := types.NewPackage(repo.Module+"/x/internal/y", "y")
	hidden := types.NewNamed(types.NewTypeName(token.NoPos, inside, "T", nil), types.Typ[types.Int], nil)
	for name, c := range map[string]struct {
		of   func(pkg *types.Package) types.Type
		want bool
	}{
		"pointer":          {func(*types.Package) types.Type { return types.NewPointer(hidden) }, true},
		"map":              {func(*types.Package) types.Type { return types.NewMap(types.Typ[types.String], hidden) }, true},
		"exported field":   {func(p *types.Package) types.Type { return structOf(p, "F", hidden, false) }, true},
		"unexported field": {func(p *types.Package) types.Type { return structOf(p, "f", hidden, false) }, false},
		"embedded":         {func(p *types.Package) types.Type { return structOf(p, "T", hidden, true) }, true},
		"result": {func(p *types.Package) types.Type {
			return types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(types.NewVar(token.NoPos, p, "", hidden)), false)
		}, true},
	} {
		pkg := types.NewPackage(repo.Module+"/x", "x")
		pkg.Scope().Insert(types.NewVar(token.NoPos, pkg, "V", c.of(pkg)))
		if got := internalTypes(pkg); len(got) > 0 != c.want {
			t.Errorf("%s: got %q", name, got)
		}
	}
	const source = `package x
import ("example.com/x/internal/y"; "example.com/x/z")
type A y.T
type B struct { F z.T; f y.T }
const C = z.T(y.C)
func D(y.T) { y.D() }
func e(y.T) {}
func (e) E(y.T) {}
`
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(internalInDocs(file), " "); got != "y.T y.C y.T" {
		t.Errorf("got %s", got)
	}
}

func structOf(pkg *types.Package, name string, t types.Type, embedded bool) types.Type {
	return types.NewStruct([]*types.Var{types.NewField(token.NoPos, pkg, name, t, embedded)}, nil)
}
