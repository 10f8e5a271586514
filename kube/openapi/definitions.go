// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/schema"
)

// definition is a definition of an added document, as a type.
type definition struct {
	// typ is the type; of an alias only the name, the default and the transition.
	typ schema.TypeDef
	// alias is the name of the definition that this one is another name for,
	// empty if it is a type of its own.
	alias    string
	nullable bool
	// unions says that the unions were given with markers.
	unions   bool
	document string
	// bare are the paths of lists that do not say their list type.
	bare []string
}

// source is one document, several that belong together, or a version of a CRD,
// on its way into the catalog.
type source struct {
	*findings
	nodes map[string]*node
	refs  []reference
	// published says that upstream accepted the source: what it tolerates is a
	// warning.
	published bool
	// preserve makes every struct accept undeclared fields.
	preserve bool
	// fill says that definitions of OpenAPI v2 take the built-in defaults.
	fill bool
	// structural says that objects are pruned by these schemas.
	structural bool
}

// reference is a $ref.
type reference struct {
	name string
	doc  string
	at   *place
}

// definitions turns the nodes of s into definitions and reports what is wrong
// with them.
func (c *Catalog) definitions(s *source) map[string]*definition {
	c.references(s)
	if len(s.errs) > 0 {
		return nil
	}
	s.relist()
	types, lists, err := convert(s.nodes, c, s.preserve)
	if err != nil {
		// The reader has looked for all that schemaconv refuses, so this says
		// something new, without a path.
		s.add(&s.errs, "", nil, "%v", err)
		return nil
	}
	defs := make(map[string]*definition, len(s.nodes))
	for name, n := range s.nodes {
		d := &definition{nullable: n.nullable, document: n.doc}
		if t := n.target(); t != "" {
			d.alias = t
			d.typ = schema.TypeDef{Name: name, Default: n.nearest(), Transition: n.marked()}
		} else {
			d.typ = types[name]
			d.bare = n.bareLists(nil, "")
			if s.structural {
				unknownFields(&d.typ.Atom, n, false)
			}
		}
		defs[name] = d
	}
	if s.fill {
		c.fillBuiltin(s, defs)
	}
	c.checkKeys(s, lists, defs)
	return defs
}

// references reports references to definitions that are nowhere, and
// definitions that refer to nothing but each other.
func (c *Catalog) references(s *source) {
	for _, ref := range s.refs {
		if _, ok := s.nodes[ref.name]; ok {
			continue
		}
		if _, ok := c.find(ref.name); !ok {
			s.add(&s.errs, ref.doc, ref.at, "want the name of a definition, found %q, which neither this document nor an earlier one defines", shorten(ref.name))
		}
	}
	for _, name := range sortedKeys(s.nodes) {
		n, chain := s.nodes[name], []string{name}
		for n != nil && n.target() != "" && len(chain) <= len(s.nodes) {
			next := n.target()
			if i := slices.Index(chain, next); i == 0 {
				first := s.nodes[name]
				s.add(&s.errs, first.doc, first.at, "want a type, found definitions that only refer to each other: %s",
					shorten(strings.Join(append(chain, next), " → ")))
				break
			} else if i > 0 {
				break // reported at the definitions of the circle
			}
			chain = append(chain, next)
			n = s.nodes[next]
		}
	}
}

// find returns the definition of that name.
func (c *Catalog) find(name string) (*definition, bool) {
	if d, ok := c.defs[name]; ok {
		return d, true
	}
	if !c.builtin && !isMachinery(name) {
		return nil, false
	}
	if td, ok := builtinType(name); ok {
		return &definition{typ: td}, true
	}
	return nil, false
}

// isMachinery reports whether a definition belongs to the API machinery, which
// every catalog has.
func isMachinery(name string) bool {
	return strings.HasPrefix(name, "io.k8s.apimachinery.pkg.")
}

// resolve returns the definition of that name as a type, through any aliases.
// The nearest default counts, and so does the nearest transition.
func (c *Catalog) resolve(name string) (schema.TypeDef, bool) {
	var def any
	var transition schema.Transition
	target := name
	for range len(c.defs) + 1 {
		d, ok := c.find(target)
		if !ok {
			break
		}
		if def == nil {
			def = d.typ.Default
		}
		transition = cmp.Or(transition, d.typ.Transition)
		if d.alias == "" {
			atom := d.typ.Atom
			if c.options.knownUnions && !d.unions {
				atom = withUnions(target, atom)
			}
			return schema.TypeDef{Name: name, Atom: atom, Default: def, Transition: transition}, true
		}
		target = d.alias
	}
	if td, ok := untyped[name]; ok {
		return td, true
	}
	return schema.TypeDef{}, false
}

// nullable reports whether a definition of the catalog is nullable.
func (c *Catalog) nullable(name string) bool {
	d, ok := c.find(name)
	return ok && d.nullable
}

// The types for data without a schema. Their names are part of the schema
// language.
const (
	untypedAtomic  = "__untyped_atomic_"
	untypedDeduced = "__untyped_deduced_"
)

// untyped are the types for data without a schema, as schemaconv adds them to
// each schema: one leaf, and a leaf for each scalar and list.
var untyped = func() map[string]schema.TypeDef {
	to := func(name string) schema.TypeRef { return schema.TypeRef{NamedType: &name} }
	list := &schema.List{ElementType: to(untypedAtomic), ElementRelationship: schema.Atomic}
	def := func(name string, rel schema.ElementRelationship) schema.TypeDef {
		return schema.TypeDef{Name: name, Atom: schema.Atom{
			Scalar: scalar(schema.Untyped),
			List:   list,
			Map:    &schema.Map{ElementType: to(name), ElementRelationship: rel},
		}}
	}
	return map[string]schema.TypeDef{
		untypedAtomic:  def(untypedAtomic, schema.Atomic),
		untypedDeduced: def(untypedDeduced, schema.Separable),
	}
}()
