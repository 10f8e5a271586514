// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package surface

import (
	"fmt"
	"go/types"
	"strings"
)

// Surface is the exported API of a module: one line of text for each name. A name is
// "package.Symbol" or "package.Type.Member".
type Surface map[string]string

// Of describes the packages of a module. Import paths are relative to the module. The last
// argument lists other modules whose import paths become relative in the same way, so that a
// module and its drop-in can have the same description.
func Of(pkgs map[string]*types.Package, module string, alike ...string) Surface {
	s := Surface{}
	p := printer{append([]string{module}, alike...)}
	for _, pkg := range pkgs {
		scope := pkg.Scope()
		for _, name := range scope.Names() {
			if obj := scope.Lookup(name); obj.Exported() {
				s.object(p, p.pkg(pkg)+"."+name, obj)
			}
		}
	}
	return s
}

func (s Surface) object(p printer, name string, obj types.Object) {
	switch obj := obj.(type) {
	case *types.Const:
		s[name] = "const " + p.typ(obj.Type()) + " = " + obj.Val().ExactString()
	case *types.Var:
		s[name] = "var " + p.typ(obj.Type())
		s.methodsOfUnexported(p, name, obj.Type())
	case *types.Func:
		s[name] = "func" + p.signature(obj.Signature())
	case *types.TypeName:
		s.typeName(p, name, obj)
	}
}

// methodsOfUnexported adds the methods of a variable whose type is not exported. Users can call
// these methods.
func (s Surface) methodsOfUnexported(p printer, name string, t types.Type) {
	elem := types.Unalias(t)
	if ptr, ok := elem.(*types.Pointer); ok {
		elem = types.Unalias(ptr.Elem())
	}
	if n, ok := elem.(*types.Named); ok && !n.Obj().Exported() && n.Obj().Pkg() != nil {
		s.methods(p, name, t)
	}
}

func (s Surface) typeName(p printer, name string, obj *types.TypeName) {
	t := types.Unalias(obj.Type())
	kind := ""
	switch u := t.Underlying().(type) {
	case *types.Struct:
		kind = "struct"
		s.fields(p, name, u)
	case *types.Interface:
		kind = "interface"
		s.interfaceMethods(p, name, u)
	default:
		kind = p.typ(u)
	}
	if types.Comparable(t) && !types.IsInterface(t) {
		kind += ", comparable"
	}
	s[name] = "type " + kind
	if !types.IsInterface(t) {
		s.methods(p, name, types.NewPointer(t))
	}
}

// fields adds the exported fields of a struct. It also adds their order, because the YAML of
// the struct depends on it.
func (s Surface) fields(p printer, name string, t *types.Struct) {
	var order []string
	for i := range t.NumFields() {
		f := t.Field(i)
		if !f.Exported() {
			continue
		}
		order = append(order, f.Name())
		text := "field " + p.typ(f.Type())
		if f.Embedded() {
			text = "embedded " + text
		}
		if tag := t.Tag(i); tag != "" {
			text += " `" + tag + "`"
		}
		s[name+"."+f.Name()] = text
	}
	if len(order) > 0 {
		s[name+orderSuffix] = strings.Join(order, " ")
	}
}

func (s Surface) interfaceMethods(p printer, name string, t *types.Interface) {
	hidden := 0
	for i := range t.NumMethods() {
		m := t.Method(i)
		if !m.Exported() {
			hidden++
			continue
		}
		s[name+"."+m.Name()] = "method" + p.signature(m.Signature())
	}
	if hidden > 0 {
		s[name+hiddenSuffix] = "has unexported methods"
	}
}

// methods adds the methods of a type, including promoted methods. For each method, it records
// whether values have the method, or only pointers.
func (s Surface) methods(p printer, name string, t types.Type) {
	byValue := types.NewMethodSet(t)
	if ptr, ok := t.(*types.Pointer); ok {
		byValue = types.NewMethodSet(ptr.Elem())
	}
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		m := set.At(i).Obj().(*types.Func)
		if !m.Exported() {
			continue
		}
		receiver := "pointer"
		if byValue.Lookup(m.Pkg(), m.Name()) != nil {
			receiver = "value"
		}
		s[name+"."+m.Name()] = fmt.Sprintf("method of %s%s", receiver, p.signature(m.Signature()))
	}
}
