// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"slices"
)

// checkLists checks that the value of +listType suits the items of the list, and that the list
// keys are fields of the items. f is the field, or nil if the markers are on a type.
func (s *Source) checkLists(all []Marker, name string, t types.Type, f *Field) {
	lt, typed := Find(all, "listType")
	keys := Each(all, "listMapKey")
	kindOf := ""
	if typed {
		kindOf = unquoted(lt.Value)
	}
	if f != nil {
		for _, m := range s.NamedMarkers(f.Type) {
			if m.Name == "listType" && kindOf == "" {
				kindOf = unquoted(m.Value)
			}
		}
	}
	if len(keys) > 0 && kindOf != "map" {
		s.findings.add(keys[0].pos, ListType, fmt.Sprintf("%s has %s but is not a list of type map", name, keys[0]), "", "add +listType=map, or remove the marker").Warning = keys[0].Spelled != "listMapKey" || kindOf == ""
	}
	if !typed || s.Shape(t) != List {
		return
	}
	elem, _ := Elem(t)
	switch kindOf {
	case "map":
		if len(keys) == 0 {
			s.findings.add(lt.pos, ListType, fmt.Sprintf("%s is a list of type map without keys", name), "", "add +listMapKey=<field>")
			return
		}
		st, ok := Deref(elem).Underlying().(*types.Struct)
		if !ok {
			if s.Shape(elem) != Map && s.Shape(elem) != Any {
				s.findings.add(lt.pos, ListType, fmt.Sprintf("%s is a list of type map whose items are of type %s", name, types.TypeString(elem, shortPackage)), "only items with fields can have keys", "use +listType=set or +listType=atomic")
			}
			return
		}
		fields := s.Flat(st, NameOf(Deref(elem)))
		for _, k := range keys {
			s.checkKey(k, name, elem, fields)
		}
	case "set":
		if shape := s.Shape(elem); shape == Struct && !s.atomic(elem) || shape == Map {
			s.findings.add(lt.pos, ListType, fmt.Sprintf("%s is a set whose items are of type %s", name, types.TypeString(elem, shortPackage)),
				"the items of a set should be scalars, because other values are compared as a whole", "use +listType=map with +listMapKey, or +listType=atomic").warning()
		}
	}
}

func (s *Source) atomic(t types.Type) bool {
	m, ok := Find(s.NamedMarkers(t), "structType")
	return ok && m.Value == "atomic"
}

func (s *Source) checkKey(k *Marker, name string, elem types.Type, fields []*Field) {
	key := unquoted(k.Value)
	add := func(why, how string) *Finding {
		return s.findings.add(k.pos, ListKeys, fmt.Sprintf("the key %s of %s is invalid", key, name), why, how)
	}
	i := slices.IndexFunc(fields, func(f *Field) bool { return f.Name == key })
	if i < 0 {
		add(fmt.Sprintf("items of type %s have no such field%s", types.TypeString(elem, shortPackage), guess(key, fields)), "")
		return
	}
	f := fields[i]
	switch s.Shape(f.Type) {
	case List, Map, Struct, Bytes:
		add("keys must be scalars, but this one has type "+types.TypeString(f.Type, shortPackage), "")
		return
	}
	if Has(f.Markers, "nullable") {
		add("keys must not be null, but this one is nullable", "remove +nullable")
	}
	optional := f.optional() && !Has(f.Markers, "required") || Has(f.Markers, "optional")
	if optional && s.Default(f) == nil {
		add("it is optional and has no default, so items without it have no identity", "make it required, or give it a default").warning()
	}
}

// CheckImpliedKeys adds a warning for each list key whose default follows only from its Go type. In
// an OpenAPI document with implied defaults, an item without this key gets the key "", 0 or false.
// CheckImpliedKeys ignores lists of packages that do not match the patterns of Load. It returns the
// findings so far, including those of Check, sorted by position.
func (s *Source) CheckImpliedKeys(lists []*Field) []*Finding {
	for _, list := range lists {
		if !slices.Contains(s.Packages, s.packageOf(list.Var)) {
			continue
		}
		elem, ok := Elem(list.Type)
		if !ok {
			continue
		}
		st, ok := Deref(elem).Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for _, k := range Each(append(slices.Clone(list.Markers), s.NamedMarkers(list.Type)...), "listMapKey") {
			for _, f := range s.Flat(st, NameOf(Deref(elem))) {
				if d := s.Default(f); f.Name == unquoted(k.Value) && d != nil && d.Marker == nil {
					s.warnOfImpliedKey(k, list, f, JSON(d.Value))
				}
			}
		}
	}
	return s.findings.sorted()
}

func (s *Source) warnOfImpliedKey(k *Marker, list, key *Field, zero string) {
	how := "use --implied-defaults=false, or --openapi-json= if you need no OpenAPI document"
	if slices.Contains(s.Packages, s.packageOf(key.Var)) {
		how = fmt.Sprintf("use --implied-defaults=false, or mark %s with +required and add omitempty to its json tag", key)
	}
	s.findings.add(k.pos, ListKeys, fmt.Sprintf("the key %s of %s has the default %s in the OpenAPI document, because Go always sends it", key.Name, list, zero),
		fmt.Sprintf("an item without the key is not rejected, but gets the key %s", zero), how).warning()
}
