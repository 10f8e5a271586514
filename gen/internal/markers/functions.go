// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"strings"
)

const setDefaults = "SetDefaults_"

// checkFunctions checks the handwritten functions SetDefaults_T of a package.
func (s *Source) checkFunctions(p *Package) {
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		f, ok := scope.Lookup(name).(*types.Func)
		if !ok || !strings.HasPrefix(name, setDefaults) {
			continue
		}
		t, ok := defaulted(f)
		fix := fmt.Sprintf("declare func %s(*%s)", name, strings.TrimPrefix(name, setDefaults))
		switch {
		case !ok:
			s.findings.add(f.Pos(), SetDefaults, fmt.Sprintf("%s has the signature %s", name, strings.TrimPrefix(types.TypeString(f.Type(), shortPackage), "func")), "the generated code never calls a function with this signature", fix).warning()
		case setDefaults+t.Name() != name && !strings.HasPrefix(name, setDefaults+t.Name()+"_"):
			s.findings.add(f.Pos(), SetDefaults, fmt.Sprintf("the parameter of %s is a *%s", name, t.Name()), "the generated code never calls this function, because its name does not match the parameter's type", fix).warning()
		}
	}
}

// defaulted returns the type T for which a function with the signature func(*T) sets defaults. It
// returns false if the function has a different signature.
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

// Handwritten returns the handwritten defaulting functions of a type, sorted by name. Their
// names are SetDefaults_T or SetDefaults_T_suffix, where T is the name of the type. They take a
// pointer to the type and return nothing. Handwritten looks for them in package p. If p has
// none, it looks in the package of the type.
func (s *Source) Handwritten(o *types.TypeName, p *Package) []*types.Func {
	for _, pkg := range []*Package{p, s.packageOf(o)} {
		if pkg == nil {
			continue
		}
		if all := pkg.handwritten()[o]; len(all) > 0 {
			return all
		}
	}
	return nil
}

// handwritten returns the handwritten defaulting functions of the package, by type.
func (p *Package) handwritten() map[*types.TypeName][]*types.Func {
	if p.defaulting != nil {
		return p.defaulting
	}
	p.defaulting = map[*types.TypeName][]*types.Func{}
	for _, name := range p.types.Scope().Names() {
		f, ok := p.types.Scope().Lookup(name).(*types.Func)
		if !ok || !strings.HasPrefix(name, setDefaults) {
			continue
		}
		if t, ok := defaulted(f); ok && (name == setDefaults+t.Name() || strings.HasPrefix(name, setDefaults+t.Name()+"_")) {
			p.defaulting[t] = append(p.defaulting[t], f)
		}
	}
	return p.defaulting
}
