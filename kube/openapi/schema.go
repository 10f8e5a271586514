// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/schema"
)

// AddSchema adds the types of a merge schema to the catalog, with the same names. LookupType
// then finds these types, and AddDefaults can add defaults to them. A merge schema declares
// no kinds. name is the schema's name for messages. AddSchema does not change s.
//
// The error is a *DocumentError, or several of them joined. AddSchema rejects references
// to types that neither the schema nor the catalog has. It also rejects schemas for which
// CheckKeys, CheckDefaults or CheckTransitions of schema.Schema returns an error.
func (c *Catalog) AddSchema(name string, s *schema.Schema) error {
	f := &findings{}
	defs := make(map[string]*definition, len(s.Types))
	for i := range s.Types {
		td := s.Types[i]
		at := (*place)(nil).at(td.Name)
		if _, twice := defs[td.Name]; twice {
			f.add(&f.errs, name, at, "want each type only once, found this one twice")
		}
		if inlineDepth(td.Atom, 0) > maxDepth {
			f.add(&f.errs, name, at, "want at most %d nested types, found more", maxDepth)
			continue
		}
		td = copyType(td)
		sortAllFields(td.Atom)
		eachDefault(&td, func(def *any, _ schema.TypeRef, path string) {
			v, err := toJSON(*def)
			if err != nil {
				f.add(&f.errs, name, at, "the default of %q: %v", shorten(path), err)
			}
			*def = v
		})
		defs[td.Name] = &definition{typ: td, document: name}
	}
	for _, typ := range sortedKeys(defs) {
		eachName(defs[typ].typ.Atom, func(ref string) {
			_, ok := defs[ref]
			if !ok {
				_, ok = c.resolve(ref)
			}
			if !ok {
				f.add(&f.errs, name, (*place)(nil).at(typ), "neither this schema nor an earlier document has a type %q; correct the name, or add the document first", shorten(ref))
			}
		})
	}
	if len(f.errs) == 0 {
		mistakes := func(err error) (found schema.Errors) {
			errors.As(err, &found)
			return found
		}
		for _, k := range mistakes(s.CheckKeys()) {
			f.add(&f.errs, name, (*place)(nil).at(k.Type), "the key %q of %s %s", shorten(k.Key), k.Path, k.Problem)
		}
		for _, d := range mistakes(s.CheckDefaults()) {
			f.add(&f.errs, name, (*place)(nil).at(d.Type), "the default of %s %s", shorten(d.Path), shorten(d.Problem))
		}
		for _, t := range mistakes(s.CheckTransitions()) {
			f.add(&f.errs, name, (*place)(nil).at(t.Type), "the transition %q of %s %s", t.Transition, t.Path, t.Problem)
		}
	}
	if err := f.err(); err != nil {
		return err
	}
	c.commit(defs, nil, f.warnings())
	return nil
}

// inlineDepth returns how deeply types are inlined in an atom. It stops at maxDepth+1, because types
// that were built in Go can be circular.
func inlineDepth(a schema.Atom, depth int) int {
	deepest := depth
	below := func(tr schema.TypeRef) {
		if tr.NamedType == nil && deepest <= maxDepth {
			deepest = max(deepest, inlineDepth(tr.Inlined, depth+1))
		}
	}
	if a.List != nil {
		below(a.List.ElementType)
	}
	if a.Map != nil {
		below(a.Map.ElementType)
		for i := range a.Map.Fields {
			below(a.Map.Fields[i].Type)
		}
	}
	return deepest
}

// sortAllFields sorts the fields of an atom and of all atoms inlined in it, in place.
func sortAllFields(a schema.Atom) {
	if a.List != nil {
		sortAllFields(a.List.ElementType.Inlined)
	}
	if a.Map != nil {
		sortAllFields(a.Map.ElementType.Inlined)
		sortFields(a.Map.Fields)
		for i := range a.Map.Fields {
			sortAllFields(a.Map.Fields[i].Type.Inlined)
		}
	}
}

// eachDefault calls f for each default inside a type. ref is the type that the default
// must fit. path is empty for the default of the type itself. f may change the default.
func eachDefault(td *schema.TypeDef, f func(def *any, ref schema.TypeRef, path string)) {
	eachPlace(td, func(def *any, ref schema.TypeRef, path string) {
		if *def != nil {
			f(def, ref, path)
		}
	})
}

// eachPlace is like eachDefault, but also calls f for places without a default.
func eachPlace(td *schema.TypeDef, f func(def *any, ref schema.TypeRef, path string)) {
	var below func(a schema.Atom, path string)
	at := func(def *any, ref schema.TypeRef, path string) {
		f(def, ref, path)
		if ref.NamedType == nil {
			below(ref.Inlined, path)
		}
	}
	below = func(a schema.Atom, path string) {
		if a.List != nil {
			at(&a.List.ElementDefault, a.List.ElementType, path+"[]")
		}
		if a.Map != nil {
			at(&a.Map.ElementDefault, a.Map.ElementType, path+"{}")
			for i := range a.Map.Fields {
				at(&a.Map.Fields[i].Default, a.Map.Fields[i].Type, path+"."+a.Map.Fields[i].Name)
			}
		}
	}
	at(&td.Default, schema.TypeRef{Inlined: td.Atom}, "")
}
