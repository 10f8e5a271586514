// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Type returns the type of a kind, and whether the catalog has it. See Lookup.
func (c *Catalog) Type(apiVersion, kind string) (typed.ParseableType, bool) {
	s, ref, ok := c.Lookup(apiVersion, kind)
	return typed.ParseableType{TypeRef: ref, Schema: s}, ok
}

// Lookup returns the type of a kind: a schema of this type and all types that
// can be reached from it, and the reference to it. It returns false if the
// catalog does not have the kind. The same call returns the same schema until
// something is added.
func (c *Catalog) Lookup(apiVersion, kind string) (*schema.Schema, schema.TypeRef, bool) {
	k, ok := c.kind(apiVersion, kind)
	if !ok {
		return nil, schema.TypeRef{}, false
	}
	return c.LookupType(k.Type)
}

// LookupType is Lookup for the name of a definition, such as
// io.k8s.api.core.v1.PodSpec or com.example.v1.Widget.
func (c *Catalog) LookupType(name string) (*schema.Schema, schema.TypeRef, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.schemas[name]
	if !ok {
		types, ok := c.reachable(name)
		if !ok {
			return nil, schema.TypeRef{}, false
		}
		s = &schema.Schema{
			Types:               settle(types),
			DeclarativeDefaults: !c.options.gateOff,
			MissingKeys:         c.options.keys,
		}
		c.schemas[name] = s
	}
	return s, schema.TypeRef{NamedType: &name}, true
}

// reachable returns a type and all types that can be reached from it, by name.
// It returns false if there is no such type. References below it always lead
// somewhere, since documents are refused otherwise.
func (c *Catalog) reachable(name string) (map[string]schema.TypeDef, bool) {
	root, ok := c.resolve(name)
	if !ok {
		return nil, false
	}
	types := map[string]schema.TypeDef{name: root}
	queue := []schema.TypeDef{root}
	for len(queue) > 0 {
		td := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		eachName(td.Atom, func(name string) {
			if _, seen := types[name]; seen {
				return
			}
			if td, ok := c.resolve(name); ok {
				types[name] = td
				queue = append(queue, td)
			}
		})
	}
	return types, true
}

// eachName calls f for each reference to a named type within an atom.
func eachName(a schema.Atom, f func(name string)) {
	ref := func(tr *schema.TypeRef) {
		if tr.NamedType != nil {
			f(*tr.NamedType)
		} else {
			eachName(tr.Inlined, f)
		}
	}
	if a.List != nil {
		ref(&a.List.ElementType)
	}
	if a.Map != nil {
		ref(&a.Map.ElementType)
		for i := range a.Map.Fields {
			ref(&a.Map.Fields[i].Type)
		}
	}
}
