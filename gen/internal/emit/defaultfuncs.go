// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/dovetail-ssa/dovetail/gen/markers"
)

func (g *defaulter) function(t *types.Named) {
	g.depth, g.nested = 0, 0
	g.f.printf("\nfunc %s(in *%s) {\n", g.name(t), g.f.typeText(t))
	for _, h := range g.hand(t) {
		g.f.printf("%s(in)\n", g.funcText(h))
	}
	g.structFields(t, "in")
	g.f.printf("}\n")
}

func (g *defaulter) funcText(f *types.Func) string {
	if name := g.f.use(f.Pkg().Path(), f.Pkg().Name()); name != "" {
		return name + "." + f.Name()
	}
	return f.Name()
}

// structFields fills the fields of x.
func (g *defaulter) structFields(t types.Type, x string) {
	if g.src.Shape(t) != markers.Struct {
		return
	}
	for _, f := range g.fields(t) {
		at := x + "." + f.Go
		if f.Name == "" {
			g.embedded(f, at)
			continue
		}
		if d := g.src.Default(f); d != nil {
			g.set(d.Value, f.Type, at, f.Quoted)
		}
		g.fill(f.Type, at)
	}
}

// embedded fills a struct whose fields stand among those of another. Where it is
// a pointer, and nil, it is made if a field takes a default.
func (g *defaulter) embedded(f *markers.Field, at string) {
	p, ok := types.Unalias(f.Type).(*types.Pointer)
	if !ok {
		g.fill(f.Type, at)
		return
	}
	if !g.works(p.Elem()) || !f.Var.Exported() {
		return
	}
	g.needs.zero = true
	v := g.local("made")
	g.f.printf("if %s == nil {\nvar %s %s\n", at, v, g.f.typeText(p.Elem()))
	g.fill(p.Elem(), v)
	g.f.printf("if !%s(%s) {\n%s = &%s\n}\n} else {\n", g.helper("defaultIsZero"), v, at, v)
	g.fill(p.Elem(), "(*"+at+")")
	g.f.printf("}\n")
}

func (g *defaulter) local(name string) string {
	if g.depth++; g.depth == 1 {
		return name
	}
	return fmt.Sprintf("%s%d", name, g.depth)
}

// set writes what gives x a default if it is zero.
func (g *defaulter) set(v any, t types.Type, x string, quoted bool) {
	if g.nothing(v, t) {
		return
	}
	g.f.printf("if %s {\n%s = %s\n}\n", g.zero(t, x), x, g.literal(v, t, quoted, false))
}

// zero returns the condition that x is zero.
func (g *defaulter) zero(t types.Type, x string) string {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		return x + " == nil"
	case *types.Basic:
		switch i := u.Info(); {
		case i&types.IsString != 0:
			return x + ` == ""`
		case i&types.IsBoolean != 0:
			return "!" + x
		}
		return x + " == 0"
	}
	if types.Comparable(t) {
		return x + " == (" + g.f.typeText(t) + "{})"
	}
	g.needs.zero = true
	return g.helper("defaultIsZero") + "(" + x + ")"
}

// fill writes what fills the value x, which can be written to, but for setting it.
func (g *defaulter) fill(t types.Type, x string) {
	t = types.Unalias(t)
	if !g.works(t) {
		return
	}
	if g.nested++; g.nested > maxDepth {
		g.fail("%s: lists and maps are nested more than %d levels deep in %s", g.pkg.Path, maxDepth, key(t))
		return
	}
	defer func() { g.nested-- }()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		g.f.printf("if %s != nil {\n", x)
		g.fill(p.Elem(), "(*"+x+")")
		g.f.printf("}\n")
		return
	}
	if named, ok := t.(*types.Named); ok && isStruct(t) && g.nameable(named) {
		g.request(named)
		g.f.printf("%s(%s)\n", g.name(named), address(x))
		return
	}
	for _, h := range g.hand(t) {
		g.f.printf("%s(%s)\n", g.funcText(h), address(x))
	}
	switch g.src.Shape(t) {
	case markers.Struct:
		g.structFields(t, x)
	case markers.List:
		elem, _ := markers.Elem(t)
		d := g.src.TypeDefault(elem)
		if (d == nil || g.nothing(d.Value, elem)) && !g.works(elem) {
			return
		}
		i := g.local("i")
		g.f.printf("for %s := range %s {\n", i, x)
		at := x + "[" + i + "]"
		if d != nil {
			g.set(d.Value, elem, at, false)
		}
		g.fill(elem, at)
		g.f.printf("}\n")
	case markers.Map:
		g.entries(t, x)
	}
}

// entries fills the values of a map, which cannot be written to where they are. A
// null that is not replaced goes.
func (g *defaulter) entries(t types.Type, x string) {
	elem, _ := markers.Elem(t)
	d := g.src.TypeDefault(elem)
	works := g.works(elem)
	set := d != nil && !g.nothing(d.Value, elem)
	if !set && !works && !nilable(elem) {
		return
	}
	k := g.local("k")
	v := "v" + strings.TrimPrefix(k, "k")
	g.f.printf("for %s, %s := range %s {\n", k, v, x)
	switch {
	case set:
		g.set(d.Value, elem, v, false)
	case nilable(elem):
		g.f.printf("if %s == nil {\ndelete(%s, %s)\ncontinue\n}\n", v, x, k)
	}
	g.fill(elem, v)
	if set || !nilable(elem) {
		g.f.printf("%s[%s] = %s\n", x, k, v)
	}
	g.f.printf("}\n")
}

// address returns a pointer to x.
func address(x string) string {
	inner, ok := strings.CutPrefix(x, "(*")
	if !ok {
		return "&" + x
	}
	depth := 1
	for i, c := range inner {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(inner)-1 {
			return "&" + x
		}
	}
	return inner[:len(inner)-1]
}

// nameable says whether a type can be written in the package.
func (g *defaulter) nameable(t *types.Named) bool {
	if !t.Obj().Exported() && t.Obj().Pkg().Path() != g.pkg.Path {
		return false
	}
	// Types that are declared in functions have no name outside of these.
	return t.Obj().Parent() == nil || t.Obj().Parent() == t.Obj().Pkg().Scope()
}
