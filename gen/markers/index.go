// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
)

// index is where the declarations of a package are.
type index struct {
	types  map[string]*comments
	fields map[token.Pos]*comments
	funcs  map[string]*ast.FuncDecl // methods are Type.Name
}

// comments are what is written at a declaration.
type comments struct {
	doc     []string
	markers []Marker
	tag     *ast.BasicLit
	name    *ast.Ident
	// of is what a type is declared as.
	of ast.Expr
}

func (p *Package) indexed() *index {
	if p.index != nil {
		return p.index
	}
	x := &index{map[string]*comments{}, map[token.Pos]*comments{}, map[string]*ast.FuncDecl{}}
	p.index = x
	for _, f := range p.files {
		x.file(p.src.fset, f)
	}
	return x
}

func (x *index) file(fset *token.FileSet, f *ast.File) {
	groups := f.Comments
	line := func(pos token.Pos) int { return fset.PositionFor(pos, false).Line }
	// above returns the comment above pos, with what is parted from it by a blank
	// line only, below another declaration that ends at after.
	above := func(doc *ast.CommentGroup, pos, after token.Pos) (all []Marker) {
		start := pos
		if doc != nil {
			start = doc.Pos()
		}
		for len(groups) > 0 && groups[0].End() <= after {
			groups = groups[1:]
		}
		for i, g := range groups {
			if g.Pos() >= start {
				break
			}
			if i+1 < len(groups) && groups[i+1].Pos() < start {
				continue
			}
			if line(g.Pos()) == line(after) {
				break
			}
			for _, m := range markersIn(g) {
				m.detached = true
				all = append(all, m)
			}
		}
		return append(all, markersIn(doc)...)
	}
	after := f.Name.End()
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) == 1 {
				name = receiver(d.Recv.List[0].Type) + "." + name
			}
			x.funcs[name] = d
		case *ast.GenDecl:
			if d.Tok != token.TYPE {
				break
			}
			for _, spec := range d.Specs {
				t := spec.(*ast.TypeSpec)
				doc, pos := t.Doc, t.Pos()
				if !d.Lparen.IsValid() {
					doc, pos = d.Doc, d.Pos()
				}
				x.types[t.Name.Name] = &comments{doc: docText(doc), markers: above(doc, pos, after), name: t.Name, of: t.Type}
				x.structs(t.Type, above)
				after = t.End()
			}
		}
		after = d.End()
	}
}

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
	return ""
}

// structs finds the fields of a type, in the order they are in.
func (x *index) structs(e ast.Expr, above func(doc *ast.CommentGroup, pos, after token.Pos) []Marker) {
	switch e := e.(type) {
	case *ast.StarExpr:
		x.structs(e.X, above)
	case *ast.ArrayType:
		x.structs(e.Elt, above)
	case *ast.MapType:
		x.structs(e.Value, above)
	case *ast.ParenExpr:
		x.structs(e.X, above)
	case *ast.StructType:
		after := e.Fields.Opening
		for _, f := range e.Fields.List {
			c := &comments{doc: docText(f.Doc), markers: above(f.Doc, f.Pos(), after), tag: f.Tag}
			for _, m := range markersIn(f.Comment) {
				m.trailing = true
				c.markers = append(c.markers, m)
			}
			for _, n := range f.Names {
				x.fields[n.Pos()] = c
			}
			if len(f.Names) == 0 {
				x.fields[embeddedName(f.Type).Pos()] = c
			}
			x.structs(f.Type, above)
			after = f.End()
		}
	}
}

// embeddedName returns the name that an embedded field has.
func embeddedName(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.StarExpr:
		return embeddedName(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return embeddedName(e.X)
	case *ast.IndexListExpr:
		return embeddedName(e.X)
	case *ast.ParenExpr:
		return embeddedName(e.X)
	}
	return &ast.Ident{}
}

// Markers returns the markers of the package: those in comments above package
// clauses, and in any comment of doc.go.
func (p *Package) Markers() []Marker {
	if p.markersRead {
		return p.markers
	}
	p.markersRead = true
	for _, m := range p.written() {
		if k, ok := known[m.Spelled]; ok && k.on&onPackage != 0 {
			p.markers = append(p.markers, m)
		}
	}
	return p.markers
}

// written returns all that is written where markers of the package are.
func (p *Package) written() (all []Marker) {
	for _, f := range p.files {
		name := p.src.fset.Position(f.Pos()).Filename
		for _, g := range f.Comments {
			if g.End() >= f.Package && filepath.Base(name) != "doc.go" {
				break
			}
			all = append(all, markersIn(g)...)
		}
	}
	return all
}

// typeComments returns what is written at the declaration of a named type.
func (s *Source) typeComments(o *types.TypeName) *comments {
	if p := s.packageOf(o); p != nil {
		if c := p.indexed().types[o.Name()]; c != nil && c.name.Pos() == o.Pos() {
			return c
		}
	}
	return &comments{}
}

// fieldComments returns what is written at a field.
func (s *Source) fieldComments(v *types.Var) *comments {
	if p := s.packageOf(v); p != nil {
		if c := p.indexed().fields[v.Origin().Pos()]; c != nil {
			return c
		}
	}
	return &comments{}
}

// Func returns the declaration of a function of the package, without its body.
func (p *Package) Func(name string) (*types.Func, bool) {
	f, ok := p.types.Scope().Lookup(name).(*types.Func)
	return f, ok
}

// DeclaredAs returns the type B of a declaration type A B, nil if what stands
// there is no name of a type of some package.
func (s *Source) DeclaredAs(o *types.TypeName) *types.TypeName {
	p := s.packageOf(o)
	var found types.Object
	switch e := s.typeComments(o).of.(type) {
	case *ast.Ident:
		found = p.types.Scope().Lookup(e.Name)
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			if in := s.named(x.Name, p); in != nil {
				found = in.types.Scope().Lookup(e.Sel.Name)
			}
		}
	}
	name, _ := found.(*types.TypeName)
	return name
}
