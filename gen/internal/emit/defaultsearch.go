// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"go/types"
	"slices"

	"github.com/dovetail-ssa/dovetail/gen/markers"
)

// hand returns what is written by hand for a type.
func (g *defaulter) hand(t types.Type) []*types.Func {
	o := markers.NameOf(t)
	if o == nil {
		return nil
	}
	return g.src.Handwritten(o, "SetDefaults_", g.pkg)
}

// works says whether there is something to do for values of a type, but to set
// them.
func (g *defaulter) works(t types.Type) bool {
	seen := map[string]bool{}
	if g.search(t, seen) {
		return true
	}
	for k := range seen {
		g.idle[k] = true
	}
	return false
}

func (g *defaulter) search(t types.Type, seen map[string]bool) bool {
	t = types.Unalias(t)
	k := key(t)
	switch {
	case g.busy[k]:
		return true
	case g.idle[k] || seen[k]:
		return false
	}
	seen[k] = true
	if g.direct(t, seen) {
		g.busy[k] = true
		return true
	}
	return false
}

func (g *defaulter) direct(t types.Type, seen map[string]bool) bool {
	if len(g.hand(t)) > 0 {
		return true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return g.search(p.Elem(), seen)
	}
	switch g.src.Shape(t) {
	case markers.Struct:
		for _, f := range g.fields(t) {
			if d := g.src.Default(f); d != nil && f.Name != "" && !g.nothing(d.Value, f.Type) || g.search(f.Type, seen) {
				return true
			}
		}
	case markers.List, markers.Map:
		elem, _ := markers.Elem(t)
		if d := g.src.TypeDefault(elem); d != nil && !g.nothing(d.Value, elem) || g.search(elem, seen) {
			return true
		}
		return g.src.Shape(t) == markers.Map && nilable(elem)
	}
	return false
}

// fields returns the fields that there may be something to do for.
func (g *defaulter) fields(t types.Type) []*markers.Field {
	all := g.src.Fields(t.Underlying().(*types.Struct), markers.NameOf(t))
	return slices.DeleteFunc(all, func(f *markers.Field) bool {
		return !f.Var.Exported() && f.Var.Pkg().Path() != g.pkg.Path
	})
}
