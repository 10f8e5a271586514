// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// swaps maps each operator to its replacement.
var swaps = map[token.Token]token.Token{
	token.LAND: token.LOR, token.LOR: token.LAND, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.ADD: token.SUB, token.SUB: token.ADD,
}

// Mutate generates changes to the model. Each change negates one condition, swaps one operator,
// increments one number, inverts true or false, or drops one statement. The result contains all
// possible changes of these kinds, including some that do not compile.
func Mutate(sources map[string]string) ([]Change, error) {
	var all []Change
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		src := sources[name]
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			change := func(n ast.Node, from, to token.Pos, text string) {
				first := fset.Position(n.Pos()).Offset
				line := src[strings.LastIndexByte(src[:first], '\n')+1:]
				line, _, _ = strings.Cut(line, "\n")
				c := Change{name, fset.Position(from).Offset, fset.Position(to).Offset, text, ""}
				was, _, more := strings.Cut(src[c.From:c.To], "\n")
				if more {
					was += "…"
				}
				c.What = fmt.Sprintf("%s %s: %s ⟦%s ➜ %s⟧", name, fn.Name.Name, strings.TrimSpace(line), was, text)
				all = append(all, c)
			}
			negate := func(e ast.Expr) {
				if e != nil {
					change(e, e.Pos(), e.End(), "!("+src[fset.Position(e.Pos()).Offset:fset.Position(e.End()).Offset]+")")
				}
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.IfStmt:
					negate(n.Cond)
					if n.Else == nil {
						change(n, n.Pos(), n.End(), "")
					}
				case *ast.SwitchStmt:
					for _, s := range n.Body.List {
						if n.Tag == nil {
							for _, e := range s.(*ast.CaseClause).List {
								negate(e)
							}
						}
					}
				case *ast.BinaryExpr:
					if to, ok := swaps[n.Op]; ok {
						change(n, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to.String())
					}
				case *ast.BasicLit:
					if i, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
						change(n, n.Pos(), n.End(), strconv.Itoa(i+1))
					}
				case *ast.Ident:
					if other := map[string]string{"true": "false", "false": "true"}[n.Name]; other != "" {
						change(n, n.Pos(), n.End(), other)
					}
				case *ast.ExprStmt, *ast.IncDecStmt, *ast.RangeStmt, *ast.BranchStmt:
					change(n, n.Pos(), n.End(), "")
				case *ast.AssignStmt:
					if n.Tok != token.DEFINE {
						change(n, n.Pos(), n.End(), "")
					}
				case *ast.ReturnStmt:
					if fn.Type.Results == nil {
						change(n, n.Pos(), n.End(), "")
					}
				}
				return true
			})
		}
	}
	return all, nil
}
