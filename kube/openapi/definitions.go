// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/schema"
)

// definition is a type from an added document.
type definition struct {
	// typ is the type. If this definition is an alias, typ contains only the name, the default and
	// the transition rule.
	typ schema.TypeDef
	// alias is the name of another definition, if this definition only refers to that definition. It
	// is "" for all other definitions.
	alias    string
	nullable bool
	// unions is true if the unions come from AddMarkers.
	unions   bool
	document string
	// untypedLists contains the paths of lists without a list type.
	untypedLists []string
}

// source is a set of definitions that are added together: one document, several documents
// that refer to each other, or a version of a CRD.
type source struct {
	*findings
	nodes map[string]*node
	refs  []reference
	// published is true for documents that API servers publish. If Kubernetes' own code tolerates a
	// problem in such a document, the problem is only a warning.
	published bool
	// preserve is true if all objects accept undeclared fields.
	preserve bool
	// builtinDefaults is true if definitions from OpenAPI v2 documents get the built-in defaults,
	// because such documents contain no defaults.
	builtinDefaults bool
	// structural is true if the API server prunes objects according to these schemas.
	structural bool
}

// reference is a use of $ref.
type reference struct {
	name string
	doc  string
	at   *place
}

// definitions converts the schemas in s to definitions. It also reports their errors.
func (c *Catalog) definitions(s *source) map[string]*definition {
	c.references(s)
	if len(s.errs) > 0 {
		return nil
	}
	s.separateListOverrides()
	types, lists := convert(s.nodes, c, s.preserve)
	defs := make(map[string]*definition, len(s.nodes))
	for name, n := range s.nodes {
		d := &definition{nullable: n.nullable, document: n.doc}
		if t := n.target(); t != "" {
			d.alias = t
			d.typ = schema.TypeDef{Name: name, Default: n.effectiveDefault(), Transition: n.rule()}
		} else {
			d.typ = types[name]
			d.untypedLists = n.listsWithoutType(nil, "")
			if s.structural {
				unknownFields(&d.typ.Atom, n, false)
			}
		}
		defs[name] = d
	}
	if s.builtinDefaults {
		c.fillBuiltin(s, defs)
	}
	c.checkKeys(s, lists, defs)
	return defs
}

// references reports references to missing definitions, and cycles of definitions that only refer
// to each other.
func (c *Catalog) references(s *source) {
	for _, ref := range s.refs {
		if _, ok := s.nodes[ref.name]; ok {
			continue
		}
		if _, ok := c.find(ref.name); !ok {
			s.add(&s.errs, ref.doc, ref.at, "neither this document nor an earlier one has a definition %q; correct the name, or add the definition", shorten(ref.name))
		}
	}
	for _, name := range sortedKeys(s.nodes) {
		n, chain := s.nodes[name], []string{name}
		for n != nil && n.target() != "" && len(chain) <= len(s.nodes) {
			next := n.target()
			if i := slices.Index(chain, next); i == 0 {
				first := s.nodes[name]
				s.add(&s.errs, first.doc, first.at, "definitions refer only to each other, so none has a type: %s",
					shorten(strings.Join(append(chain, next), " → ")))
				break
			} else if i > 0 {
				break // this definition only leads to the cycle, which is reported for the definitions in it
			}
			chain = append(chain, next)
			n = s.nodes[next]
		}
	}
}

// find returns the definition with this name.
func (c *Catalog) find(name string) (*definition, bool) {
	if d, ok := c.defs[name]; ok {
		return d, true
	}
	if !c.builtin && !isMachinery(name) {
		return nil, false
	}
	if td, ok := c.release.typeNamed(name); ok {
		return &definition{typ: td}, true
	}
	return nil, false
}

// isMachinery reports whether a definition belongs to the API machinery. Every catalog has
// these definitions.
func isMachinery(name string) bool {
	return strings.HasPrefix(name, "io.k8s.apimachinery.pkg.")
}

// resolve returns the type with this name. If the name is an alias, resolve follows it. The default
// and the transition rule of an alias take precedence over those of its target.
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
			if c.options.KnownUnions && !d.unions {
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

// These two types are for data without a schema. The schema language defines their names.
const (
	untypedAtomic  = "__untyped_atomic_"
	untypedDeduced = "__untyped_deduced_"
)

// untyped contains the two types for data without a schema, which schemaconv adds to every schema.
// A value of the type untypedAtomic is owned as a whole. In a value of the type untypedDeduced,
// each scalar and each list has its own owners.
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

// checkKeys reports list keys that cannot identify an item. They are errors, except in a published
// document, where they are warnings.
func (c *Catalog) checkKeys(s *source, lists []keyed, defs map[string]*definition) {
	report := &s.errs
	if s.published {
		report = &s.warns
	}
	for _, l := range lists {
		item := c.item(l.list.ElementType, defs)
		for i, key := range l.list.Keys {
			at := l.node.at.at("x-kubernetes-patch-merge-key")
			if len(l.node.keys) > 0 {
				at = l.node.at.at("x-kubernetes-list-map-keys").item(i)
			}
			if problem := c.documentKeyProblem(item, key, defs); problem != "" {
				s.add(report, l.node.doc, at, "%s", problem)
			}
		}
	}
}

// item returns the type of list items if the items can be maps. For other items, it returns nil.
// Definitions in defs take precedence over those in the catalog.
func (c *Catalog) item(tr schema.TypeRef, defs map[string]*definition) *schema.Map {
	return c.atomOf(tr, defs).Map
}

// atomOf returns the atom that a reference leads to. Definitions in defs take precedence over those
// in the catalog.
func (c *Catalog) atomOf(tr schema.TypeRef, defs map[string]*definition) schema.Atom {
	if tr.NamedType == nil {
		return tr.Inlined
	}
	name := *tr.NamedType
	for range len(defs) {
		d, ok := defs[name]
		if !ok {
			break
		}
		if d.alias == "" {
			return d.typ.Atom
		}
		name = d.alias
	}
	td, _ := c.resolve(name)
	return td.Atom
}

// documentKeyProblem returns the reason why a field cannot be a list key, or "" if it can.
func (c *Catalog) documentKeyProblem(item *schema.Map, key string, defs map[string]*definition) string {
	if item == nil {
		return fmt.Sprintf("the key %q needs items that are objects", shorten(key))
	}
	f, ok := item.FindField(key)
	if !ok {
		return fmt.Sprintf("want the name of a property of the items, found %q", shorten(key))
	}
	switch f.Default.(type) {
	case nil:
	case map[string]any, []any:
		return fmt.Sprintf("the default of the key %q must be a scalar, found %s", shorten(key), shape(f.Default))
	default:
		if a := c.atomOf(f.Type, defs); !allowsKind(a, f.Default) {
			return fmt.Sprintf("want %s as the default of the key %q, found %s", atomName(a), shorten(key), shape(f.Default))
		}
	}
	if f.Type.Nullable {
		return fmt.Sprintf("the key %q must not be nullable", shorten(key))
	}
	return ""
}

// separateListOverrides handles schemas that have a list type and a reference to the definition of a
// list. schemaconv would ignore this list type. separateListOverrides copies the definition, sets the
// list type in the copy, and makes the schema refer to the copy. There is one copy for each definition
// and list type, so recursive definitions cause no endless loop.
func (s *source) separateListOverrides() {
	var queue []*node
	for _, name := range sortedKeys(s.nodes) {
		queue = append(queue, s.nodes[name])
	}
	for len(queue) > 0 {
		n := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, name := range n.names() {
			queue = append(queue, n.properties[name])
		}
		if n.items != nil {
			queue = append(queue, n.items)
		}
		if n.additional != nil {
			queue = append(queue, n.additional)
		}
		if n.listType != "" && n.target() != "" {
			s.separateListOverride(n)
		}
	}
}

func (s *source) separateListOverride(n *node) {
	list, nullable, transition := n, n.nullable, n.rule()
	for range len(s.nodes) + 1 {
		if list = s.nodes[list.target()]; list == nil || list.target() == "" {
			break
		}
		nullable, transition = nullable || list.nullable, cmp.Or(transition, list.rule())
	}
	if list == nil || list.kind != "array" || list.items == nil {
		s.add(&s.warns, n.doc, n.at, "the list type is ignored, because the reference does not lead to a definition of type array")
		return
	}
	name := n.target() + "[" + strings.Join(append([]string{n.listType}, n.keys...), ",") + "]"
	if _, ok := s.nodes[name]; !ok {
		own := *list
		own.doc, own.at = n.doc, n.at
		own.listType, own.keys = n.listType, n.keys
		own.patchStrategy, own.mergeKey, own.gvks = "", "", nil
		s.nodes[name] = &own
	}
	n.def, n.nullable, n.transition = n.effectiveDefault(), nullable, transition
	n.ref, n.allOf = name, nil
	n.listType, n.keys = "", nil
}

// placeDefaults returns the types sorted by name. If a named type has a default, placeDefaults
// copies the default to all fields, items and values of this type that have no default. Merging
// requires the copies, because it reads the default of a list key only from the field.
func placeDefaults(types map[string]schema.TypeDef) []schema.TypeDef {
	s := defaultPlacer{defaults: map[string]any{}}
	list := make([]schema.TypeDef, 0, len(types))
	for _, name := range sortedKeys(types) {
		td := types[name]
		if td.Default != nil {
			s.defaults[name] = td.Default
		}
		list = append(list, td)
	}
	if len(s.defaults) > 0 {
		for i := range list {
			list[i].Atom, _ = s.atom(list[i].Atom)
		}
	}
	return list
}

// defaultPlacer adds defaults to types. It copies the parts that it changes, and shares all other
// parts with the original types.
type defaultPlacer struct{ defaults map[string]any }

// place fills in the defaults of named types at one field. tr is the type of the field, and def is its
// own default. If the field has a named type and no default of its own, it gets the default of the
// type. If its type is inlined, place fills in defaults inside the type. The last result reports
// whether place changed anything.
func (s defaultPlacer) place(tr schema.TypeRef, def any) (schema.TypeRef, any, bool) {
	if tr.NamedType == nil {
		var changed bool
		tr.Inlined, changed = s.atom(tr.Inlined)
		return tr, def, changed
	}
	named, ok := s.defaults[*tr.NamedType]
	if def != nil || !ok {
		return tr, def, false
	}
	return tr, named, true
}

func (s defaultPlacer) atom(a schema.Atom) (schema.Atom, bool) {
	changed := false
	if a.List != nil {
		if tr, def, ok := s.place(a.List.ElementType, a.List.ElementDefault); ok {
			l := *a.List
			l.ElementType, l.ElementDefault = tr, def
			a.List, changed = &l, true
		}
	}
	if a.Map != nil {
		if m, ok := s.mapping(a.Map); ok {
			a.Map, changed = m, true
		}
	}
	return a, changed
}

func (s defaultPlacer) mapping(m *schema.Map) (*schema.Map, bool) {
	var own *schema.Map
	edit := func() *schema.Map {
		if own == nil {
			own = copyMap(m)
		}
		return own
	}
	if tr, def, ok := s.place(m.ElementType, m.ElementDefault); ok {
		edit().ElementType, own.ElementDefault = tr, def
	}
	for i := range m.Fields {
		f := &m.Fields[i]
		if tr, def, ok := s.place(f.Type, f.Default); ok {
			edit().Fields[i] = schema.StructField{Name: f.Name, Type: tr, Default: def}
		}
	}
	return own, own != nil
}

// copyMap returns a copy of m with its own list of fields. The copy shares everything
// else with m.
func copyMap(m *schema.Map) *schema.Map {
	return &schema.Map{
		Fields:              append([]schema.StructField(nil), m.Fields...),
		Unions:              m.Unions,
		ElementType:         m.ElementType,
		ElementRelationship: m.ElementRelationship,
		ElementDefault:      m.ElementDefault,
		Required:            m.Required,
		UnknownFields:       m.UnknownFields,
	}
}
