// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"fmt"
	"slices"
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

// definitionNamed returns the name of a definition. The argument name is the name of the
// definition, or apiVersion/kind.
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
	if slices.Contains(t.Catalog.Types(), name) {
		return name, nil
	}
	same := lastParts(name, t.Catalog.Types())
	for _, k := range t.Catalog.Kinds() {
		if k.Kind == kind {
			// Suggest the shorter name of the type.
			same = slices.DeleteFunc(same, func(definition string) bool { return definition == k.Type })
			same = append(same, k.APIVersion+"/"+k.Kind)
		}
	}
	if len(same) > 0 {
		return "", fmt.Errorf("no type %s%s", name, words.DidYouMean(words.ShortList(same)))
	}
	return name, nil
}

// lastParts returns the names whose last part is name. For example, Service is the last part of
// io.k8s.api.core.v1.Service.
func lastParts(name string, names []string) (found []string) {
	for _, n := range names {
		if strings.HasSuffix(n, "."+name) {
			found = append(found, n)
		}
	}
	return found
}

// nearest returns a suggestion for a type that is not in names: the names whose last part is name,
// or else the name with the most similar spelling. It returns "" if there is none.
func nearest(name string, names []string) string {
	if same := lastParts(name, names); len(same) > 0 {
		return words.ShortList(same)
	}
	return suggest.Nearest(name, names)
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
		return nil, fmt.Errorf("no type %s in %s%s", name, strings.Join(searched, ", "), words.DidYouMean(nearest(name, names)))
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
