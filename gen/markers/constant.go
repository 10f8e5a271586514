// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"encoding/json"
	"fmt"
	"go/constant"
	"go/types"
	"path"
	"strconv"
	"strings"
)

// reference returns the name of the constant that a marker refers to.
func reference(m *Marker) (string, bool) {
	name, ok := strings.CutPrefix(m.Value, "ref(")
	if !ok || m.kubebuilder() {
		return "", false
	}
	return strings.TrimSuffix(name, ")"), true
}

// constant finds a constant: by its name, in package p; by the path of its
// package and its name; or by the name of a package that p imports and its name.
func (s *Source) constant(name string, p *Package) (*types.Const, error) {
	name = strings.TrimSpace(name)
	i := strings.LastIndexByte(name, '.')
	pkg, where := p, ""
	if i >= 0 {
		where, name = name[:i], name[i+1:]
		if pkg = s.named(where, p); pkg == nil {
			return nil, fmt.Errorf("ref(%s.%s): no package %s is imported here; import it, or write its whole path", where, name, where)
		}
	}
	o := pkg.types.Scope().Lookup(name)
	switch o := o.(type) {
	case *types.Const:
		return o, nil
	case nil:
		var names []string
		for _, n := range pkg.types.Scope().Names() {
			if _, ok := pkg.types.Scope().Lookup(n).(*types.Const); ok {
				names = append(names, n)
			}
		}
		hint := ""
		if near := nearest(name, names); len(near) > 0 {
			hint = ": is " + near[0] + " meant?"
		}
		return nil, fmt.Errorf("ref(%s): package %s has no constant of that name%s", name, pkg.Path, hint)
	}
	return nil, fmt.Errorf("ref(%s): want a constant; it is something else in package %s", name, pkg.Path)
}

// named returns a package by its path, or by its name in a file of p.
func (s *Source) named(where string, p *Package) *Package {
	if found, ok := s.byPath[where]; ok {
		return found
	}
	for _, f := range p.files {
		for _, imp := range f.Imports {
			to, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				continue
			}
			found := s.byPath[to]
			if found == nil {
				continue
			}
			if imp.Name != nil && imp.Name.Name == where || imp.Name == nil && (found.Name == where || path.Base(to) == where) {
				return found
			}
		}
	}
	return nil
}

func constantValue(c *types.Const) (any, error) {
	v := c.Val()
	switch v.Kind() {
	case constant.String:
		return constant.StringVal(v), nil
	case constant.Bool:
		return constant.BoolVal(v), nil
	case constant.Int:
		return readNumber(json.Number(v.ExactString())), nil
	case constant.Float:
		f, _ := constant.Float64Val(v)
		return f, nil
	}
	return nil, fmt.Errorf("ref(%s): want a string, number or boolean", c.Name())
}
