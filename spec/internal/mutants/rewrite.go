// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Change replaces the text between two byte offsets, From and To, in a file of the model. Both
// offsets must be in the same function.
type Change struct {
	File     string // base name of the file
	From, To int
	Text     string
	What     string // description
}

// rewritten is the result of rewrite: a source file with one additional, modified function for
// each change.
type rewritten struct {
	text     string
	copies   []span
	unparsed []int
}

// span is a range of lines in the rewritten file. It contains the modified function for the
// change with the number id.
type span struct{ from, to, id int }

// rewrite adds a modified copy of the changed function for each change. It also adds a switch to
// the start of the original function. When a program selects a change, the switch calls the copy
// with this change:
//
//	switch mutant { case 7: return t.mutant7itemsWith(list, id); … }
//
// The copies are at the end of the file. Some changes make a function run forever, so every loop
// in a copy and every original function counts its steps. rewrite ignores changes to other files.
// The number of a change is its index in the list of all changes, plus 1.
func rewrite(name, src string, all []Change) (rewritten, error) {
	var r rewritten
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return r, err
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	var b strings.Builder
	var copies []string
	var ids []int
	done := 0
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		from, to := at(fn.Pos()), at(fn.End())
		var arms []string
		for i, c := range all {
			if c.File != name || c.From < from || c.To > to {
				continue
			}
			prefix := fmt.Sprint("mutant", i+1)
			nameAt := at(fn.Name.Pos())
			body := src[from:nameAt] + prefix + src[nameAt:c.From] + c.Text + src[c.To:to]
			if body, ok = counting(body); !ok {
				r.unparsed = append(r.unparsed, i+1)
				continue
			}
			copies, ids = append(copies, body), append(ids, i+1)
			call := receiver(fn) + prefix + fn.Name.Name + "(" + arguments(fn) + ")"
			if fn.Type.Results.NumFields() > 0 {
				call = "return " + call
			} else {
				call += "; return"
			}
			arms = append(arms, fmt.Sprintf("case %d: %s", i+1, call))
		}
		brace := at(fn.Body.Lbrace) + 1
		b.WriteString(src[done:brace])
		b.WriteString(" step(); ")
		if len(arms) > 0 {
			b.WriteString("switch mutant { " + strings.Join(arms, "; ") + " }; ")
		}
		done = brace
	}
	b.WriteString(src[done:])
	for i, c := range copies {
		first := strings.Count(b.String(), "\n") + 1
		b.WriteString(c + "\n")
		r.copies = append(r.copies, span{first, first + strings.Count(c, "\n"), ids[i]})
	}
	r.text = b.String()
	return r, nil
}

// counting adds a call of the function step to each loop in the source of another function. The
// second result is false if the source does not parse.
func counting(fn string) (out string, ok bool) {
	const head = "package p\n"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", head+fn, parser.SkipObjectResolution)
	if err != nil {
		return "", false
	}
	var at []int
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			at = append(at, fset.Position(n.Body.Lbrace).Offset+1-len(head))
		case *ast.RangeStmt:
			at = append(at, fset.Position(n.Body.Lbrace).Offset+1-len(head))
		}
		return true
	})
	slices.Sort(at)
	for _, p := range slices.Backward(at) {
		fn = fn[:p] + " step(); " + fn[p:]
	}
	return fn, true
}

func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	return fn.Recv.List[0].Names[0].Name + "."
}

func arguments(fn *ast.FuncDecl) string {
	var all []string
	for _, f := range fn.Type.Params.List {
		_, rest := f.Type.(*ast.Ellipsis)
		for _, n := range f.Names {
			if rest {
				all = append(all, n.Name+"...")
			} else {
				all = append(all, n.Name)
			}
		}
	}
	return strings.Join(all, ", ")
}
