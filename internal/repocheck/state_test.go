// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// processState lists the package-level variables that change after a program has started,
// each with the reason why the whole process shares it. It does not list pools (sync.Pool).
var processState = map[string]string{
	// These are settings that a program makes once, when it starts.
	"process": "schema: the policies of schemas that other code compiles, see SetProcessPolicies and SetInitialPolicies",
	"edition": "internal/edition: the major version of SMD, which decoders without a schema need too",

	// These variables cache facts about Go types. The number of types is bounded by the
	// program. Entries are immutable and do not depend on data.
	"types":      "value: reflection of Go types; TypeReflectEntryOf returns entries, which callers cannot modify",
	"samenesses": "how values of a Go type are compared in memory",
	"fieldParts": "the same for the fields of a struct",

	// These tables keep one copy of each of several equal values, to save memory. Results do
	// not depend on them.
	"sharedParts": "internal/graph: parts of compiled schemas, referenced weakly; not accessible outside the module",
	"sharedTypes": "schema: maps, lists and names of schemas if the program enabled that, referenced weakly; callers reach them through Schema.Types and must not modify them",
	"known":       "fieldpath: names and keys that are frequent in field sets, a bounded number; immutable",
	"met":         "fieldpath: parts of hashes of candidates for known",

	// These are constants whose address is taken. Methods with pointer receivers only read
	// them.
	"noType":          "value: the type of a zero TypeReflectCacheEntry",
	"transitionRules": "internal/graph: the table of transition rules",
	"NeverOwned":      "the fields that no manager can own",
}

// TestProcessState checks that the list processState is complete. It must have each
// package-level variable of the root module that changes after the start. A variable counts
// as changing if a function other than init assigns to it, modifies it through a method or an
// index, or takes its address.
func TestProcessState(t *testing.T) {
	found := map[string]map[string]string{} // the positions of variables, by name and then by package
	for _, p := range typedPackages(t) {
		for _, f := range p.files {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && !(fn.Name.Name == "init" && fn.Recv == nil) {
					ast.Inspect(fn, func(n ast.Node) bool {
						for _, v := range p.written(n) {
							if v.Type().String() != "sync.Pool" && strings.HasPrefix(v.Pkg().Path(), module) {
								if found[v.Name()] == nil {
									found[v.Name()] = map[string]string{}
								}
								found[v.Name()][v.Pkg().Path()] = p.fset.Position(n.Pos()).String()
							}
						}
						return true
					})
				}
			}
		}
	}
	for name, at := range found {
		if processState[name] == "" {
			t.Errorf("%s changes after the program has started: %v: move it into a value, or list it in processState with the reason", name, at)
		}
		if len(at) > 1 {
			t.Errorf("several variables are named %s: rename all but one: %v", name, at)
		}
	}
	for name := range processState {
		if found[name] == nil {
			t.Errorf("%s does not change: remove it from processState", name)
		}
	}
}

func TestWrittenVariables(t *testing.T) {
	const text = `package p
import ("maps"; "sync/atomic")
type list []int
func (l *list) add(i int) { *l = append(*l, i) }
func (l list) len() int { return len(l) }
var (assigned, counted, addressed, read int; fields struct{ a struct{ b int } }; indexed, deleted, copied, asked map[int]int
	stored atomic.Int32; called, measured list; sliced [3]int; pointer = new(int); ranged int; once = func() int { return 1 }())
func init() { read = 1 }
func f() {
	assigned, counted = 1, counted
	counted++
	fields.a.b = 2
	_ = &addressed
	indexed[1] = read + measured.len() + asked[1]
	delete(deleted, 1)
	maps.Copy(copied, asked)
	stored.Store(1)
	called.add(1)
	_ = sliced[:]
	*pointer = 1
	func() { for ranged = range 3 {} }()
	read := 1
	read = 2
	_ = read
}`
	p := &typedPackage{fset: token.NewFileSet()}
	f, err := parser.ParseFile(p.fset, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	p.files = append(p.files, f)
	p.check(t, "p", importer.ForCompiler(p.fset, "source", nil))
	seen := map[string]bool{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "f" {
			ast.Inspect(fn, func(n ast.Node) bool {
				for _, v := range p.written(n) {
					seen[v.Name()] = true
				}
				return true
			})
		}
	}
	want := []string{"addressed", "assigned", "called", "copied", "counted", "deleted", "fields", "indexed", "pointer", "ranged", "sliced", "stored"}
	if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// typedPackage is a type-checked package of the root module.
type typedPackage struct {
	fset  *token.FileSet
	files []*ast.File
	info  types.Info
}

func typedPackages(t *testing.T) []*typedPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \" \"}}", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		words := strings.Split(line, "\t")
		exports[words[0]] = words[1]
	}
	var all []*typedPackage
	for _, line := range lines {
		words := strings.Split(line, "\t")
		name, ours := strings.CutPrefix(words[0], module+"/")
		if !ours || within(forTests, name) || within(leaves, name) {
			continue
		}
		p := &typedPackage{fset: token.NewFileSet()}
		for _, file := range strings.Fields(words[3]) {
			f, err := parser.ParseFile(p.fset, filepath.Join(words[2], file), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			p.files = append(p.files, f)
		}
		p.check(t, words[0], importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
			if exports[path] == "" {
				return nil, errors.New("no export data")
			}
			return os.Open(exports[path])
		}))
		all = append(all, p)
	}
	if len(all) < 15 {
		t.Fatalf("%d packages", len(all))
	}
	return all
}

func (p *typedPackage) check(t *testing.T, path string, imports types.Importer) {
	t.Helper()
	p.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	conf := types.Config{Importer: imports}
	if _, err := conf.Check(path, p.fset, p.files, &p.info); err != nil {
		t.Fatal(err)
	}
}

// written returns the package-level variables that the node n writes to, or takes the
// address of. It does not consider the children of n.
func (p *typedPackage) written(n ast.Node) (all []*types.Var) {
	add := func(exprs ...ast.Expr) {
		for _, e := range exprs {
			if v := p.variable(e); v != nil {
				all = append(all, v)
			}
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			add(n.Lhs...)
		}
	case *ast.IncDecStmt:
		add(n.X)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			add(n.Key, n.Value)
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			add(n.X)
		}
	case *ast.SliceExpr:
		if _, array := p.info.TypeOf(n.X).Underlying().(*types.Array); array {
			add(n.X)
		}
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, name.Name) {
			add(n.Args[0])
		}
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			break
		}
		if s := p.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			recv := s.Obj().(*types.Func).Signature().Recv().Type()
			if _, pointer := recv.(*types.Pointer); pointer && recv.String() != "*regexp.Regexp" {
				add(sel.X)
			}
		} else if f, ok := p.info.Uses[sel.Sel].(*types.Func); ok && len(n.Args) > 0 && slices.Contains([]string{"maps", "slices"}, f.Pkg().Path()) {
			switch f.Name() {
			case "Copy", "DeleteFunc", "Delete", "Insert", "Sort", "SortFunc", "SortStableFunc", "Reverse":
				add(n.Args[0])
			}
		}
	}
	return all
}

// variable returns the package-level variable that e is or is a part of. It returns nil if
// there is no such variable.
func (p *typedPackage) variable(e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			if p.info.Selections[x] == nil { // x is a name that another package declares
				e = x.Sel
				continue
			}
			e = x.X
		case *ast.Ident:
			v, ok := p.info.Uses[x].(*types.Var)
			if ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				return v
			}
			return nil
		default:
			return nil
		}
	}
}
