// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// maxNested limits the number of values that all types of a package contain in nested structs
// and arrays. Go's type checker visits each of these values, so a small package can keep it
// busy almost forever. An example is a chain of 40 structs, each of which has two fields of the
// next struct's type.
const maxNested = 10_000_000

// nesting counts, before the type checker runs, how many values are nested inside types. It
// counts each directory separately, and does not follow types of other packages.
type nesting struct {
	mu          sync.Mutex
	directories map[string]map[string]*holder
}

// holder is a declared type, with the types of its fields or items.
type holder struct {
	name  string
	pos   token.Pos
	held  []heldValue
	count float64
	known bool
}

// heldValue is a value that is nested in a type. It has the path to the value, and the name of the
// value's type.
type heldValue struct{ path, name string }

var errNested = errors.New("the types of the package contain too many nested values")

// add counts the types of a file. It returns errNested if the types of the directory
// contain too many values.
func (n *nesting) add(file string, f *ast.File) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	dir := filepath.Dir(file)
	all := n.directories[dir]
	if all == nil {
		all = map[string]*holder{}
		n.directories[dir] = all
	}
	before := len(all)
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, spec := range g.Specs {
			t := spec.(*ast.TypeSpec)
			h := &holder{name: t.Name.Name, pos: t.Name.Pos()}
			h.record(t.Type, "")
			all[h.name] = h
		}
	}
	if len(all) == before {
		return nil
	}
	if most, total := largest(all); most != nil && total > maxNested {
		return errNested
	}
	return nil
}

// record records the values that a type expression contains. It does not follow pointers, slices
// and maps.
func (h *holder) record(e ast.Expr, path string) {
	switch e := e.(type) {
	case *ast.Ident:
		h.held = append(h.held, heldValue{path, e.Name})
	case *ast.ParenExpr:
		h.record(e.X, path)
	case *ast.ArrayType:
		if e.Len != nil {
			h.record(e.Elt, path)
		}
	case *ast.IndexExpr:
		h.record(e.X, path)
		h.record(e.Index, path)
	case *ast.IndexListExpr:
		h.record(e.X, path)
		for _, i := range e.Indices {
			h.record(i, path)
		}
	case *ast.StructType:
		for _, f := range e.Fields.List {
			names := f.Names
			if len(names) == 0 {
				names = []*ast.Ident{embeddedName(f.Type)}
			}
			for _, name := range names {
				h.record(f.Type, path+"."+name.Name)
			}
		}
	case *ast.InterfaceType:
		for _, f := range e.Methods.List {
			if len(f.Names) == 0 {
				h.record(f.Type, path)
			}
		}
	}
}

// largest returns the type that contains the most values, and the number of values in all
// types together.
func largest(all map[string]*holder) (most *holder, total float64) {
	for _, h := range all {
		h.known = false
	}
	for _, h := range all {
		total += h.values(all)
		if most == nil || cmp.Or(cmp.Compare(h.count, most.count), strings.Compare(most.name, h.name)) > 0 {
			most = h
		}
	}
	return most, total
}

// values counts the values inside a variable of the type, such as the fields of structs. It also counts the
// values inside these values. If a type contains itself, the inner occurrence counts as one value. The type checker
// reports such a type anyway.
func (h *holder) values(all map[string]*holder) float64 {
	if h.known {
		return h.count
	}
	h.count, h.known = 0, true
	count := 0.0
	for _, v := range h.held {
		if inner := all[v.name]; inner != nil {
			count += 1 + inner.values(all)
		}
	}
	h.count = count
	return count
}

// problems returns an error for each directory whose types contain too many values.
func (n *nesting) problems(s *Source) (all []string) {
	for _, types := range n.directories {
		most, total := largest(types)
		if total <= maxNested {
			continue
		}
		path, steps := most.name, 0
		for h := most; ; steps++ {
			inner := heaviest(h.held, types)
			if inner.name == "" {
				break
			}
			if steps < 5 {
				path += inner.path
			}
			h = types[inner.name]
		}
		if steps > 5 {
			path += "…"
		}
		all = append(all, fmt.Sprintf("%s: the type %s is too large: it contains %.0f nested values that are not behind pointers, for example at %s, %d levels deep. The limit for all types of a package is %d values, because Go's type checker visits each of them. Make a field on this path a pointer, or nest fewer structs",
			s.at(most.pos), most.name, most.count, path, steps, maxNested))
	}
	slices.Sort(all)
	return all
}

// heaviest returns the value whose type contains the most values. If there are several, it
// returns the first.
func heaviest(values []heldValue, all map[string]*holder) (most heldValue) {
	for _, v := range values {
		if inner := all[v.name]; inner != nil && (most.name == "" || inner.count > all[most.name].count) {
			most = v
		}
	}
	return most
}
