// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/schema"
)

// overlay completes what schemaconv made of definitions with what it leaves
// out. It walks a type and the node it came from side by side.
type overlay struct {
	nodes map[string]*node
	known *Catalog
	keyed []keyed
}

// keyed is a list whose items are known by keys, and where it is declared.
type keyed struct {
	list *schema.List
	node *node
}

func (o *overlay) definition(td *schema.TypeDef, n *node) {
	td.Default = n.nearest()
	td.Transition = n.marked()
	o.atom(&td.Atom, n)
}

func (o *overlay) atom(a *schema.Atom, n *node) {
	if a.Map != nil {
		o.fields(a.Map, n)
	}
	if a.List != nil {
		if n.items != nil {
			o.ref(&a.List.ElementType, n.items)
			a.List.ElementDefault = n.items.nearest()
		}
		if len(a.List.Keys) > 0 {
			o.keyed = append(o.keyed, keyed{a.List, n})
		}
	}
	for _, b := range n.allOf {
		fill(a, b)
	}
}

func (o *overlay) fields(m *schema.Map, n *node) {
	for i := range m.Fields {
		f := &m.Fields[i]
		p, ok := n.properties[f.Name]
		if !ok {
			continue
		}
		f.Default = p.nearest()
		o.ref(&f.Type, p)
	}
	sortFields(m.Fields)
	if n.additional != nil {
		o.ref(&m.ElementType, n.additional)
		m.ElementDefault = n.additional.nearest()
	}
	m.Required = require(nil, n.required)
	for _, u := range n.unions {
		m.Unions = append(m.Unions, u.schema())
	}
}

func sortFields(fields []schema.StructField) {
	slices.SortFunc(fields, func(a, b schema.StructField) int { return strings.Compare(a.Name, b.Name) })
}

func (o *overlay) ref(tr *schema.TypeRef, n *node) {
	tr.Nullable = n.nullable
	tr.Transition = n.marked()
	name := n.target()
	if name == "" && n.quantity {
		// Of the same values, and known for what it is.
		name, tr.Inlined = schema.QuantityType, schema.Atom{}
	}
	if name == "" {
		o.atom(&tr.Inlined, n)
		return
	}
	tr.NamedType = &name
	tr.Nullable = n.nullable || o.nullable(name)
	if n.given != nil {
		*tr = o.known.withDefaults(*tr, n.given)
	}
}

// nullable reports whether a definition, or one it stands for, is nullable.
func (o *overlay) nullable(name string) bool {
	for range len(o.nodes) + 1 {
		n, ok := o.nodes[name]
		if !ok {
			return o.known.nullable(name)
		}
		if n.nullable {
			return true
		}
		name = n.target()
	}
	return false
}

// fill adds what a branch of an allOf says to a type that does not say it.
func fill(a *schema.Atom, b *node) {
	if a.Map != nil {
		a.Map.Required = require(a.Map.Required, b.required)
		for i := range a.Map.Fields {
			f := &a.Map.Fields[i]
			p, ok := b.properties[f.Name]
			if !ok {
				continue
			}
			if f.Default == nil {
				f.Default = p.nearest()
			}
			if f.Type.NamedType == nil {
				fill(&f.Type.Inlined, p)
			}
		}
		if b.additional != nil {
			if a.Map.ElementDefault == nil {
				a.Map.ElementDefault = b.additional.nearest()
			}
			if a.Map.ElementType.NamedType == nil {
				fill(&a.Map.ElementType.Inlined, b.additional)
			}
		}
	}
	if a.List != nil && b.items != nil {
		if a.List.ElementDefault == nil {
			a.List.ElementDefault = b.items.nearest()
		}
		if a.List.ElementType.NamedType == nil {
			fill(&a.List.ElementType.Inlined, b.items)
		}
	}
	for _, below := range b.allOf {
		fill(a, below)
	}
}

// require adds names to a sorted list of names without repetition.
func require(to, names []string) []string {
	if len(names) == 0 {
		return to
	}
	all := slices.Concat(to, names)
	slices.Sort(all)
	return slices.Compact(all)
}

func (u union) schema() schema.Union {
	var out schema.Union
	if u.discriminator != "" {
		out.Discriminator = &u.discriminator
	}
	for i, name := range u.fields {
		out.Fields = append(out.Fields, schema.UnionField{FieldName: name, DiscriminatorValue: u.values[i]})
	}
	return out
}
