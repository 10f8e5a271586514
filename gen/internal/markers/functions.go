// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"strings"
)

const setDefaults = "SetDefaults_"

// checkFunctions looks at the hand-written functions SetDefaults_T of a package.
func (s *Source) checkFunctions(p *Package) {
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		f, ok := scope.Lookup(name).(*types.Func)
		if !ok || !strings.HasPrefix(name, setDefaults) {
			continue
		}
		t, ok := defaulted(f)
		want := fmt.Sprintf("want func %s(*%s)", name, strings.TrimPrefix(name, setDefaults))
		switch {
		case !ok:
			s.findings.add(f.Pos(), SetDefaults, fmt.Sprintf("%s is %s", name, strings.TrimPrefix(types.TypeString(f.Type(), shortPackage), "func")), "nobody calls it", want).warning()
		case setDefaults+t.Name() != name && !strings.HasPrefix(name, setDefaults+t.Name()+"_"):
			s.findings.add(f.Pos(), SetDefaults, fmt.Sprintf("%s is of the type %s", name, t.Name()), "it is called by the name of its type", want).warning()
		}
	}
}

// defaulted returns the type that a function is of: it takes a pointer to it, and
// returns nothing.
func defaulted(f *types.Func) (*types.TypeName, bool) {
	sig := f.Signature()
	if sig.Params().Len() != 1 || sig.Results().Len() != 0 || sig.TypeParams().Len() != 0 || sig.Variadic() {
		return nil, false
	}
	p, ok := types.Unalias(sig.Params().At(0).Type()).(*types.Pointer)
	if !ok {
		return nil, false
	}
	o := NameOf(p.Elem())
	return o, o != nil
}

// Handwritten returns the functions of package p, or else of the package of the
// type, that take a pointer to the type, return nothing and are called prefix and
// the name of the type, and then those that have an underscore and more behind
// it, in order.
func (s *Source) Handwritten(o *types.TypeName, prefix string, p *Package) (all []*types.Func) {
	for _, pkg := range []*Package{p, s.packageOf(o)} {
		if pkg == nil {
			continue
		}
		for _, name := range pkg.types.Scope().Names() {
			if name != prefix+o.Name() && !strings.HasPrefix(name, prefix+o.Name()+"_") {
				continue
			}
			f, ok := pkg.types.Scope().Lookup(name).(*types.Func)
			if !ok {
				continue
			}
			if t, ok := defaulted(f); ok && t == o {
				all = append(all, f)
			}
		}
		if len(all) > 0 {
			break
		}
	}
	return all
}
