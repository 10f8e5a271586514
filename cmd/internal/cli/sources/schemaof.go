// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/schema"
)

// SchemaOf returns the schema of a type and of all types that it uses. name is the name of a
// definition, or apiVersion/kind. If name is empty, SchemaOf returns all types. root is the name
// of the type in the schema.
func (t *Types) SchemaOf(name string) (found *schema.Schema, root string, err error) {
	if t.Parser != nil {
		found, err = reachable(&t.Parser.Schema, name, t.Searched)
		return found, name, err
	}
	if name == "" {
		return AllTypes(t.Catalog), "", nil
	}
	definition, err := t.definitionNamed(name)
	if err != nil {
		return nil, "", err
	}
	found, _, ok := t.Catalog.LookupType(definition)
	if !ok {
		return nil, "", fmt.Errorf("no type %s in %s%s", name, t.SearchedIn(), words.DidYouMean(suggest.Nearest(name, t.Catalog.Types())))
	}
	return found, definition, nil
}

// definitionNamed returns the name of a definition. name is this name, or apiVersion/kind.
func (t *Types) definitionNamed(name string) (string, error) {
	apiVersion, kind := "", name
	if i := strings.LastIndex(name, "/"); i >= 0 {
		apiVersion, kind = name[:i], name[i+1:]
	}
	if k, ok := t.Catalog.Kind(apiVersion, kind); ok {
		return k.Type, nil
	}
	if apiVersion != "" {
		return "", fmt.Errorf("%w", &UnknownType{Types: t, APIVersion: apiVersion, Kind: kind})
	}
	var same []string
	for _, k := range t.Catalog.Kinds() {
		if k.Kind == kind {
			same = append(same, k.APIVersion+"/"+k.Kind)
		}
	}
	if len(same) > 0 {
		return "", fmt.Errorf("no type %s%s", name, words.DidYouMean(words.ShortList(same)))
	}
	return name, nil
}

// reachable returns a schema with the named type and all types that it needs. If name is
// empty, reachable returns all of s.
func reachable(s *schema.Schema, name string, searched []string) (*schema.Schema, error) {
	if name == "" {
		return s, nil
	}
	if _, ok := s.FindNamedType(name); !ok {
		var names []string
		for i := range s.Types {
			names = append(names, s.Types[i].Name)
		}
		return nil, fmt.Errorf("no type %s in %s%s", name, strings.Join(searched, ", "), words.DidYouMean(suggest.Nearest(name, names)))
	}
	wanted := map[string]bool{name: true}
	queue := []string{name}
	for len(queue) > 0 {
		td, _ := s.FindNamedType(queue[0])
		queue = queue[1:]
		eachReference(td.Atom, func(name string) {
			if !wanted[name] {
				wanted[name] = true
				queue = append(queue, name)
			}
		})
	}
	part := &schema.Schema{DeclarativeDefaults: s.DeclarativeDefaults, MissingKeys: s.MissingKeys}
	for i := range s.Types {
		if wanted[s.Types[i].Name] {
			part.Types = append(part.Types, s.Types[i])
		}
	}
	return part, nil
}

// eachReference calls f for each named type to which an atom refers.
func eachReference(a schema.Atom, f func(name string)) {
	ref := func(tr schema.TypeRef) {
		if tr.NamedType != nil {
			f(*tr.NamedType)
			return
		}
		eachReference(tr.Inlined, f)
	}
	if a.List != nil {
		ref(a.List.ElementType)
	}
	if a.Map != nil {
		ref(a.Map.ElementType)
		for i := range a.Map.Fields {
			ref(a.Map.Fields[i].Type)
		}
	}
}
