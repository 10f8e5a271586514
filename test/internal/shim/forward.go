// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"fmt"
	"go/types"
	"strings"
)

// engineName is the name of the engine's package in generated files. No parameter and no other
// package has this name.
const engineName = "dovetail"

// forwards collects the declarations for one package of the drop-in.
type forwards struct {
	pkg     *types.Package
	imports map[string]string // path to name
	types   []string
	consts  []string
	vars    []string
	funcs   []string
}

// add adds a declaration to the drop-in that forwards to the engine's declaration of the same
// name. The arguments are the declaration in structured-merge-diff and the declaration in the
// engine. If the engine's declaration does not fit, add returns a description of the problem, and
// otherwise "".
func (f *forwards) add(want, have types.Object) string {
	name := want.Name()
	if have == nil {
		return name + " is missing"
	}
	if w, h := kind(want), kind(have); w != h {
		return fmt.Sprintf("%s is a %s, want a %s", name, h, w)
	}
	equals := fmt.Sprintf("%s = %s.%s", name, engineName, name)
	switch have := have.(type) {
	case *types.TypeName:
		if n, ok := have.Type().(*types.Named); ok && n.TypeParams().Len() > 0 {
			return name + " has type parameters, which the generated alias does not support"
		}
		f.types = append(f.types, equals)
	case *types.Const:
		f.consts = append(f.consts, equals)
	case *types.Var:
		f.vars = append(f.vars, equals)
	case *types.Func:
		if have.Signature().TypeParams().Len() > 0 {
			return name + " has type parameters, which the generated function does not support"
		}
		f.funcs = append(f.funcs, f.function(have))
	}
	return ""
}

func kind(o types.Object) string {
	switch o.(type) {
	case *types.TypeName:
		return "type"
	case *types.Const:
		return "constant"
	case *types.Var:
		return "variable"
	default:
		return "function"
	}
}

func (f *forwards) function(fn *types.Func) string {
	sig := fn.Signature()
	var params, args []string
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		name := p.Name()
		if name == "" || name == "_" || name == engineName {
			name = fmt.Sprintf("arg%d", i)
		}
		typ, arg := f.typ(p.Type()), name
		if sig.Variadic() && i == sig.Params().Len()-1 {
			typ, arg = "..."+strings.TrimPrefix(typ, "[]"), name+"..."
		}
		params = append(params, name+" "+typ)
		args = append(args, arg)
	}
	call := fmt.Sprintf("%s.%s(%s)", engineName, fn.Name(), strings.Join(args, ", "))
	head := fmt.Sprintf("func %s(%s)", fn.Name(), strings.Join(params, ", "))
	switch sig.Results().Len() {
	case 0:
		return fmt.Sprintf("%s { %s }\n", head, call)
	case 1:
		return fmt.Sprintf("%s %s { return %s }\n", head, f.typ(sig.Results().At(0).Type()), call)
	}
	var results []string
	for i := range sig.Results().Len() {
		results = append(results, f.typ(sig.Results().At(i).Type()))
	}
	return fmt.Sprintf("%s (%s) { return %s }\n", head, strings.Join(results, ", "), call)
}

// typ returns the source of a type in the drop-in. It spells a type of the same package without
// the package name, because the drop-in has an alias for it. For a type of a different package,
// it adds an import.
func (f *forwards) typ(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		if pkg == f.pkg {
			return ""
		}
		f.imports[pkg.Path()] = pkg.Name()
		return pkg.Name()
	})
}
