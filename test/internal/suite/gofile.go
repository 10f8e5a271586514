// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"slices"
	"strconv"
)

// goFile is a source file with pending changes. The method text applies the changes.
type goFile struct {
	src   []byte
	fset  *token.FileSet
	file  *ast.File
	spans []span
}

type span struct {
	from, to int
	text     string
}

func parseFile(name string) (*goFile, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f := &goFile{src: src, fset: token.NewFileSet()}
	f.file, err = parser.ParseFile(f.fset, name, src, parser.ParseComments)
	return f, err
}

func (f *goFile) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *goFile) fn(name string) *ast.FuncDecl {
	for _, d := range f.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
			return fn
		}
	}
	return nil
}

func (f *goFile) dropFunc(name string) error {
	fn := f.fn(name)
	if fn == nil {
		return fmt.Errorf("no function %s", name)
	}
	f.drop(fn)
	return nil
}

func (f *goFile) drop(fn *ast.FuncDecl) {
	from := fn.Pos()
	if fn.Doc != nil {
		from = fn.Doc.Pos()
	}
	f.spans = append(f.spans, span{f.offset(from), f.offset(fn.End()), ""})
}

// dropMethods removes all methods with the given name.
func (f *goFile) dropMethods(name string) {
	for _, d := range f.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == name {
			f.drop(fn)
		}
	}
}

// replaceIn replaces a text everywhere in one function. The function must contain the text.
func (f *goFile) replaceIn(fnName, old, text string) error {
	fn := f.fn(fnName)
	if fn == nil {
		return fmt.Errorf("no function %s", fnName)
	}
	from, to := f.offset(fn.Pos()), f.offset(fn.End())
	found := false
	for at := from; ; {
		i := bytes.Index(f.src[at:to], []byte(old))
		if i < 0 {
			break
		}
		f.spans = append(f.spans, span{at + i, at + i + len(old), text})
		at += i + len(old)
		found = true
	}
	if !found {
		return fmt.Errorf("%q does not occur in %s", old, fnName)
	}
	return nil
}

// text returns the source with all changes. It also removes imports that are no longer needed.
func (f *goFile) text() ([]byte, error) {
	slices.SortFunc(f.spans, func(a, b span) int { return a.from - b.from })
	var b bytes.Buffer
	at := 0
	for _, s := range f.spans {
		if s.from < at {
			return nil, fmt.Errorf("two changes of the same text at offset %d", s.from)
		}
		b.Write(f.src[at:s.from])
		b.WriteString(s.text)
		at = s.to
	}
	b.Write(f.src[at:])
	return dropImports(b.Bytes())
}

func dropImports(src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, d := range file.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		gen.Specs = slices.DeleteFunc(gen.Specs, func(s ast.Spec) bool {
			imp := s.(*ast.ImportSpec)
			p, err := strconv.Unquote(imp.Path.Value)
			name := path.Base(p)
			if imp.Name != nil {
				name = imp.Name.Name
			}
			return err == nil && name != "_" && name != "." && !used[name]
		})
	}
	var b bytes.Buffer
	if err := format.Node(&b, fset, file); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
