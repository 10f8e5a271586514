// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestListsOfCalls checks the lists of calls in ARCHITECTURE.md. The lists name functions,
// as in
//
//  1. `merge.Updater.Apply`: what it does
//  1. `typed.TypedValue.Merge`: ...
//
// Each function must exist, and must call the functions below it in this order.
func TestListsOfCalls(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	functions := declaredFunctions(t)
	wrong, calls := wrongCalls(string(text), functions)
	for _, w := range wrong {
		t.Error("ARCHITECTURE.md:", w)
	}
	if calls < 40 {
		t.Errorf("ARCHITECTURE.md lists %d calls, want at least 40", calls)
	}
}

// TestListsOfCallsHaveStages checks that the lists of calls in ARCHITECTURE.md name each
// stage of a prediction after the function that runs it.
func TestListsOfCallsHaveStages(t *testing.T) {
	lists, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`\bStage = "([^"]+)"`)
	stages := 0
	for _, file := range []string{"fieldmanager/trace.go", "kube/predict/trace.go"} {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range text.FindAllStringSubmatch(string(code), -1) {
			stages++
			if !regexp.MustCompile("(?m)^ *[0-9]+\\. `.*\"" + regexp.QuoteMeta(m[1]) + "\"").Match(lists) {
				t.Errorf("ARCHITECTURE.md lists no function for the stage %q of %s", m[1], file)
			}
		}
	}
	if stages < 20 {
		t.Errorf("found %d stages, want at least 20", stages)
	}
}

func TestWrongCalls(t *testing.T) {
	functions := functionsOf(t, "p", `package p
func A() { B(); c.D() }
func B() {}
func (c *C) D() {}
`)
	for _, c := range []struct{ list, want string }{
		{"1. `p.A`\n   1. `p.B`: b\n   2. `p.C.D`\n2. `p.B`", ""},
		{"1. `p.A`\n   1. `p.C.D`\n   2. `p.B`", "line 3: p.A calls p.B before p.C.D"},
		{"1. `p.B`\n   1. `p.A`", "line 2: p.B does not call p.A"},
		{"1. `p.X`", "line 1: there is no function p.X"},
	} {
		wrong, _ := wrongCalls(c.list, functions)
		if got := strings.Join(wrong, "; "); got != c.want {
			t.Errorf("%q: got %q, want %q", c.list, got, c.want)
		}
	}
}

var listed = regexp.MustCompile("^( *)[0-9]+\\. `([A-Za-z0-9_./]+)`")

func wrongCalls(text string, functions map[string]*ast.FuncDecl) (wrong []string, calls int) {
	type step struct {
		depth int
		name  string
		last  token.Pos // position of the call of the latest step below it
		below string    // the latest step below it
	}
	var open []step
	for i, line := range strings.Split(text, "\n") {
		m := listed.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(line, "#") {
				open = nil
			}
			continue
		}
		s := step{depth: len(m[1]), name: m[2]}
		problem := func(format string, args ...any) {
			wrong = append(wrong, fmt.Sprintf("line %d: ", i+1)+fmt.Sprintf(format, args...))
		}
		calls++
		for len(open) > 0 && open[len(open)-1].depth >= s.depth {
			open = open[:len(open)-1]
		}
		if strings.HasPrefix(s.name, "k8s.io/") {
			// TestWayIntoTheDropIn in the folder test checks these functions.
		} else if functions[s.name] == nil {
			problem("there is no function %s", s.name)
		} else if len(open) > 0 && functions[open[len(open)-1].name] != nil {
			caller := &open[len(open)-1]
			name := s.name[strings.LastIndex(s.name, ".")+1:]
			if at := useAfter(functions[caller.name], name, caller.last); at != token.NoPos {
				caller.last, caller.below = at, s.name
			} else if useAfter(functions[caller.name], name, token.NoPos) != token.NoPos {
				problem("%s calls %s before %s", caller.name, s.name, caller.below)
			} else {
				problem("%s does not call %s", caller.name, s.name)
			}
		}
		open = append(open, s)
	}
	return wrong, calls
}

// useAfter returns the first use of a name in a function after a position.
func useAfter(f *ast.FuncDecl, name string, behind token.Pos) (at token.Pos) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name && id.Pos() > behind && at == token.NoPos {
			at = id.Pos()
		}
		return true
	})
	return at
}

// declaredFunctions returns the functions and methods of all modules, except modules for tests
// and examples, as package.Function and package.Type.Method.
func declaredFunctions(t *testing.T) map[string]*ast.FuncDecl {
	all := map[string]*ast.FuncDecl{}
	for _, f := range goFiles(t) {
		if f.test || within(leaves, f.pkg) {
			continue
		}
		text, err := os.ReadFile(filepath.FromSlash(f.name))
		if err != nil {
			t.Fatal(err)
		}
		for name, decl := range functionsOf(t, filepath.Base(filepath.Dir(f.name)), string(text)) {
			all[name] = decl
		}
	}
	return all
}

func functionsOf(t *testing.T, pkg, text string) map[string]*ast.FuncDecl {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*ast.FuncDecl{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		name := pkg + "."
		if f.Recv != nil {
			name += receiver(f.Recv.List[0].Type) + "."
		}
		all[name+f.Name.Name] = f
	}
	return all
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
