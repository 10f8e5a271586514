// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package surface

import (
	"fmt"
	"go/types"
	"strings"
)

// printer prints types so that equal APIs in two modules give equal texts. It omits parameter
// names, replaces aliases by their types, and prints import paths relative to the module.
type printer struct {
	modules []string
}

func (p printer) pkg(pkg *types.Package) string {
	for _, m := range p.modules {
		if rest, ok := strings.CutPrefix(pkg.Path(), m+"/"); ok {
			return rest
		}
	}
	return pkg.Path()
}

func (p printer) typ(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Name()
	case *types.Named:
		return p.namedType(t)
	case *types.TypeParam:
		return t.Obj().Name()
	case *types.Pointer:
		return "*" + p.typ(t.Elem())
	case *types.Slice:
		return "[]" + p.typ(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), p.typ(t.Elem()))
	case *types.Map:
		return "map[" + p.typ(t.Key()) + "]" + p.typ(t.Elem())
	case *types.Chan:
		return [...]string{"chan ", "chan<- ", "<-chan "}[t.Dir()] + p.typ(t.Elem())
	case *types.Signature:
		return "func" + p.signature(t)
	case *types.Interface:
		var parts []string
		for i := range t.NumMethods() {
			m := t.Method(i)
			parts = append(parts, m.Name()+p.signature(m.Signature()))
		}
		return "interface{" + strings.Join(parts, "; ") + "}"
	case *types.Struct:
		var parts []string
		for i := range t.NumFields() {
			parts = append(parts, t.Field(i).Name()+" "+p.typ(t.Field(i).Type()))
		}
		return "struct{" + strings.Join(parts, "; ") + "}"
	default:
		return t.String()
	}
}

func (p printer) namedType(t *types.Named) string {
	name := t.Obj().Name()
	if pkg := t.Obj().Pkg(); pkg != nil {
		name = p.pkg(pkg) + "." + name
	}
	if args := t.TypeArgs(); args.Len() > 0 {
		var parts []string
		for i := range args.Len() {
			parts = append(parts, p.typ(args.At(i)))
		}
		name += "[" + strings.Join(parts, ", ") + "]"
	}
	return name
}

func (p printer) signature(s *types.Signature) string {
	params := p.tuple(s.Params(), s.Variadic())
	switch s.Results().Len() {
	case 0:
		return "(" + params + ")"
	case 1:
		return "(" + params + ") " + p.typ(s.Results().At(0).Type())
	default:
		return "(" + params + ") (" + p.tuple(s.Results(), false) + ")"
	}
}

func (p printer) tuple(t *types.Tuple, variadic bool) string {
	var parts []string
	for i := range t.Len() {
		typ := t.At(i).Type()
		if variadic && i == t.Len()-1 {
			parts = append(parts, "..."+p.typ(typ.(*types.Slice).Elem()))
			continue
		}
		parts = append(parts, p.typ(typ))
	}
	return strings.Join(parts, ", ")
}
