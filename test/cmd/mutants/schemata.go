// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// chooser is the source code of package mutant. The package reads the ID of the mutant to run.
const chooser = `// Package mutant selects the mutant to run.
package mutant

import (
	"os"
	"strconv"
)

var ID, _ = strconv.Atoi(os.Getenv("DOVETAIL_MUTANT"))
`

// rewritten is a source file to which all its mutants were added.
type rewritten struct {
	text     string
	copies   []span
	unparsed map[int]bool // the mutants that are not valid Go
}

type span struct{ from, to, id int }

func (r *rewritten) mutantAt(offset int) int {
	for _, s := range r.copies {
		if s.from <= offset && offset < s.to {
			return s.id
		}
	}
	return 0
}

// edit is a replacement for the text between two offsets of a file.
type edit struct {
	from, to int
	text     string
}

func apply(src string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(src[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.WriteString(src[at:])
	return b.String()
}

// rewrite adds all mutants of a package to its files and returns these files. For example,
//
//	func (l *list) find(key string, _ bool) int { … }
//
// which has the mutants 7 and 9, becomes
//
//	func (l *list) find(key string, mutantArg1 bool) int {if mutant.ID != 0 {switch mutant.ID {
//	case 7: return l.mutant7find(key, mutantArg1); case 9: …}}; … }
//
// The switch is on one line, so line numbers stay the same. The copies of the function follow
// at the end of the file.
func rewrite(root, pkg string, ms []mutant) (map[string]*rewritten, error) {
	names, err := goFiles(root, pkg)
	if err != nil {
		return nil, err
	}
	files := map[string]*rewritten{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		var mine []mutant
		for _, m := range ms {
			if m.File == name {
				mine = append(mine, m)
			}
		}
		if files[name], err = rewriteFile(name, string(text), mine); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func rewriteFile(name, src string, ms []mutant) (*rewritten, error) {
	r := &rewritten{text: src, unparsed: map[int]bool{}}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	var edits []edit
	var copies []string
	var ids []int
	left := map[int]bool{}
	for _, m := range ms {
		left[m.ID] = true
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		from, to := at(fn.Pos()), at(fn.End())
		var cases []string
		receiver, params, nameEdits := arguments(fn, at)
		for _, m := range ms {
			if m.offset < from || m.offset >= to {
				continue
			}
			delete(left, m.ID)
			prefix := fmt.Sprintf("mutant%d", m.ID)
			body := apply(src[from:to], []edit{
				{at(fn.Name.Pos()) - from, at(fn.Name.Pos()) - from, prefix},
				{m.offset - from, m.offset - from + len(m.From), m.To},
			})
			if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+body, parser.SkipObjectResolution); err != nil {
				r.unparsed[m.ID] = true
				continue
			}
			copies, ids = append(copies, body), append(ids, m.ID)
			call := receiver + prefix + fn.Name.Name + typeParams(fn) + "(" + params + ")"
			if fn.Type.Results.NumFields() > 0 {
				call = "return " + call
			} else {
				call += "; return"
			}
			cases = append(cases, fmt.Sprintf("case %d: %s", m.ID, call))
		}
		if len(cases) == 0 {
			continue
		}
		edits = append(edits, nameEdits...)
		brace := at(fn.Body.Lbrace) + 1
		edits = append(edits, edit{brace, brace, "if mutant.ID != 0 { switch mutant.ID {" + strings.Join(cases, "; ") + "} }; "})
	}
	for id := range left {
		r.unparsed[id] = true // the change is outside of functions
	}
	if len(copies) == 0 {
		return r, nil
	}
	end := at(f.Name.End())
	edits = append(edits, edit{end, end, `; import mutant "` + modulePath + `/internal/mutant"`})
	r.text = apply(src, edits)
	for i, c := range copies {
		r.text += "\n"
		r.copies = append(r.copies, span{len(r.text), len(r.text) + len(c), ids[i]})
		r.text += c + "\n"
	}
	return r, nil
}

// arguments returns the receiver and the arguments for a call that passes on all parameters of a
// function. Unnamed parameters need names, so it also returns edits that add names.
func arguments(fn *ast.FuncDecl, at func(token.Pos) int) (receiver, params string, edits []edit) {
	n := 0
	names := func(fields *ast.FieldList) (all []string) {
		for _, f := range fields.List {
			rest := ""
			if _, ok := f.Type.(*ast.Ellipsis); ok {
				rest = "..."
			}
			if len(f.Names) == 0 {
				n++
				name := fmt.Sprintf("mutantArg%d", n)
				edits = append(edits, edit{at(f.Type.Pos()), at(f.Type.Pos()), name + " "})
				all = append(all, name+rest)
			}
			for _, id := range f.Names {
				name := id.Name
				if name == "_" {
					n++
					name = fmt.Sprintf("mutantArg%d", n)
					edits = append(edits, edit{at(id.Pos()), at(id.End()), name})
				}
				all = append(all, name+rest)
			}
		}
		return all
	}
	if fn.Recv != nil {
		receiver = names(fn.Recv)[0] + "."
	}
	return receiver, strings.Join(names(fn.Type.Params), ", "), edits
}

func typeParams(fn *ast.FuncDecl) string {
	if fn.Type.TypeParams == nil {
		return ""
	}
	var names []string
	for _, f := range fn.Type.TypeParams.List {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// mutate adds all mutants to the files of a package, and writes these files to the folder
// tree.
func mutate(root, tree, pkg string, ms []mutant) error {
	files, err := rewrite(root, pkg, ms)
	if err != nil {
		return err
	}
	for name, f := range files {
		if err := write(filepath.Join(tree, name), f.text); err != nil {
			return err
		}
	}
	return nil
}
