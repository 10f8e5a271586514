// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"slices"
)

// Check holds the packages that were asked for to the rules, and returns what it
// finds, sorted by place. Of other packages it checks the defaults of what the
// first refer to, since these go into what is generated.
func (s *Source) Check() []*Finding {
	for _, p := range s.Packages {
		for _, t := range p.Types() {
			s.checkType(t)
		}
		s.checkFunctions(p)
		s.checkPackage(p)
	}
	return s.findings.sorted()
}

// Type is a type that is declared in a package.
type Type struct {
	Object  *types.TypeName
	Package *Package
	Doc     []string
	Markers []Marker
}

// Place returns file and line of the declaration.
func (t *Type) Place() string { return t.Package.src.at(t.Object.Pos()) }

// Types returns the types that a package declares, in the order of their names.
func (p *Package) Types() (all []*Type) {
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		if o, ok := scope.Lookup(name).(*types.TypeName); ok {
			all = append(all, p.src.Type(o))
		}
	}
	return all
}

// Type returns what is known of a declared type.
func (s *Source) Type(o *types.TypeName) *Type {
	c := s.typeComments(o)
	return &Type{Object: o, Package: s.packageOf(o), Doc: c.doc, Markers: c.markers}
}

func (s *Source) checkType(t *Type) {
	name := t.Object.Name()
	api := len(t.Markers) > 0
	s.checkMarkers(t.Markers, onType, name, t.Object.Type())
	if t.Object.IsAlias() {
		return
	}
	if d, err := s.ownDefault(t.Markers, t.Package, nil); err != nil {
		s.badDefault(t.Markers, name, err)
	} else if d != nil {
		if err := s.Fits(d.Value, t.Object.Type()); err != nil {
			s.misfit(d, name, t.Object.Type(), err)
		}
		s.checkValid(d, t.Markers, name, t.Object.Type())
	}
	s.checkLists(t.Markers, name, t.Object.Type(), nil)
	s.checkUnion(t)
	if s.bottomless(t.Object.Type()) {
		s.findings.add(t.Object.Pos(), Unsupported, fmt.Sprintf("%s is a list or map of itself", name), "no schema can say that", "put a struct between")
		return
	}
	if named, ok := t.Object.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
		// What its fields are is known where it is used.
		if st, ok := named.Underlying().(*types.Struct); ok {
			s.checkFields(st, t.Object, api)
		}
		return
	}
	s.checkStructs(t.Object.Type().Underlying(), t.Object, api)
}

// checkStructs checks the structs that a type is made of, as far as they have no
// name of their own.
func (s *Source) checkStructs(t types.Type, owner *types.TypeName, api bool) {
	switch t := t.(type) {
	case *types.Struct:
		s.checkFields(t, owner, api)
	case *types.Pointer:
		s.checkStructs(t.Elem(), owner, api)
	case *types.Slice:
		s.checkStructs(t.Elem(), owner, api)
	case *types.Array:
		s.checkStructs(t.Elem(), owner, api)
	case *types.Map:
		s.checkStructs(t.Elem(), owner, api)
	}
}

// checkFields checks a struct, if it is meant for JSON: some field has a tag or a
// marker that is known.
func (s *Source) checkFields(t *types.Struct, owner *types.TypeName, api bool) {
	fields := s.Fields(t, owner)
	for i := range t.NumFields() {
		v := t.Field(i)
		if v.Exported() || v.Embedded() {
			continue
		}
		for _, m := range s.fieldComments(v).markers {
			if _, ok := known[m.Spelled]; ok {
				s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s is on the field %s, which is not exported", m.String(), v.Name()),
					"JSON does not have it", "export the field, or remove the marker").warning()
			}
		}
	}
	for _, f := range fields {
		api = api || f.Tagged || slices.ContainsFunc(f.Markers, func(m Marker) bool { _, ok := known[m.Spelled]; return ok })
	}
	if !api {
		return
	}
	for _, f := range fields {
		s.checkField(f)
		s.checkStructs(f.Type, owner, true)
	}
}

// bottomless says whether a type comes to itself through lists, maps and pointers
// alone.
func (s *Source) bottomless(t types.Type) bool {
	seen := map[string]bool{}
	for {
		t = Deref(t)
		if o := NameOf(t); o != nil {
			if seen[PathName(o)] {
				return true
			}
			seen[PathName(o)] = true
		}
		elem, ok := Elem(t)
		if !ok {
			return false
		}
		t = elem
	}
}

func (f *Field) String() string {
	if f.Owner == nil {
		return f.Go
	}
	return f.Owner.Name() + "." + f.Go
}

// allMarkers returns the markers of a field, then those of its named types.
func (s *Source) allMarkers(f *Field) []Marker {
	return append(slices.Clone(f.Markers), s.NamedMarkers(f.Type)...)
}

// NamedMarkers returns the markers of the names that a type has, from the
// outermost to what it is made of.
func (s *Source) NamedMarkers(t types.Type) (all []Marker) {
	for range maxPointers {
		switch x := t.(type) {
		case *types.Alias:
			all = append(all, s.typeComments(x.Obj()).markers...)
			t = x.Rhs()
		case *types.Pointer:
			t = x.Elem()
		case *types.Named:
			all = append(all, s.typeComments(x.Obj()).markers...)
			p, ok := x.Underlying().(*types.Pointer)
			if !ok {
				return all
			}
			t = p.Elem()
		default:
			return all
		}
	}
	return all
}

// Elem returns the type of the items of a list or the values of a map.
func Elem(t types.Type) (types.Type, bool) {
	switch u := Deref(t).Underlying().(type) {
	case *types.Slice:
		return u.Elem(), true
	case *types.Array:
		return u.Elem(), true
	case *types.Map:
		return u.Elem(), true
	}
	return nil, false
}
