// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"
)

// checker checks the schemas of a CRD, without looking at defaults and rules.
type checker struct{ *report }

// scope is what a schema stands within.
type scope struct {
	root bool
	// item says that the schema is that of list items.
	item bool
	// meta is set within apiVersion, kind and metadata of the resource or of an
	// embedded one. rootMeta names the field at the root, if it is there.
	meta     bool
	rootMeta string
	// mapMeta is set below additionalProperties within meta.
	mapMeta bool
	// metadata is set within metadata, of the resource or of an embedded one.
	metadata bool
	// immutable is set below a marker for all that is there.
	immutable bool
	// judged is set below a schema that judges what is below it.
	judged bool
	// branch is set below allOf, anyOf, oneOf and not.
	branch bool
}

// below is the scope of what stands directly below n.
func (in scope) below(n *node) scope {
	in.immutable = in.immutable || n.whole()
	in.judged = in.judged || judged(n)
	in.root, in.item = false, false
	return in
}

// structural checks that the schema at the root, and all below it, is a
// structural one.
func (c *checker) structural(root *node, status bool) {
	c.root(root, status)
	c.structure(root, scope{root: true})
	c.complete(root)
}

// root checks what holds of the schema at the root only.
func (c *checker) root(n *node, status bool) {
	if n.nullable {
		c.add(Root, n.at.at("nullable"), "want no nullable at the root: an object is never null; remove it")
	}
	if n.kind != "" && n.kind != "object" {
		c.add(Root, n.at.at("type"), "want type object at the root, found %s", n.kind)
	}
	if n.additionalSet {
		c.add(Root, n.at.at("additionalProperties"), "want properties at the root, found additionalProperties")
	}
	if status {
		// Status is validated by itself, with properties.status as its schema.
		for _, k := range sortedKeys(n.raw) {
			if !slices.Contains(withStatus, k) && slices.Contains(keywords, k) && !slices.Contains(markers, k) && n.has(k) {
				c.add(Root, n.at.at(k), "want no %s at the root beside the status subresource, which is validated by itself; move it below properties", k)
			}
		}
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		if p := n.properties[name]; p != nil && name == "metadata" {
			c.rootMetadata(p)
		}
	}
}

// withStatus are the keywords that the root may have beside a status
// subresource.
var withStatus = []string{
	"description", "type", "format", "title", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
	"minLength", "pattern", "maxItems", "minItems", "uniqueItems", "multipleOf", "required", "items", "properties",
	"externalDocs", "example", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations",
}

// rootMetadata checks metadata at the root: its type is that of all objects, so
// that a CRD can say something of name and generateName only.
func (c *checker) rootMetadata(n *node) {
	for _, name := range n.names() {
		if name != "name" && name != "generateName" {
			c.add(Metadata, n.properties[name].at, "want nothing but name and generateName in the schema of metadata, which is the same for all objects; remove it")
		}
	}
	for _, k := range sortedKeys(n.raw) {
		switch k {
		case "type", "properties", "default":
		case "required", "x-kubernetes-list-map-keys":
			// An empty list is one too many for the API server.
			if n.raw[k] != nil {
				c.add(Metadata, n.at.at(k), "want nothing but type and properties in the schema of metadata; remove it")
			}
		default:
			if list, ok := n.raw[k].([]any); ok && len(list) == 0 {
				continue
			}
			if slices.Contains(keywords, k) && !slices.Contains(markers, k) && n.has(k) {
				c.add(Metadata, n.at.at(k), "want nothing but type and properties in the schema of metadata; remove it")
			}
		}
	}
}

// structure checks a schema that says what data looks like.
func (c *checker) structure(n *node, in scope) {
	c.common(n, in)
	c.kinds(n, in)
	c.resource(n, in)
	if n.intString && n.preserve {
		c.add(IntOrString, n.at.at("x-kubernetes-preserve-unknown-fields"), "want no x-kubernetes-preserve-unknown-fields beside x-kubernetes-int-or-string")
	}
	if n.intString && n.embedded {
		c.add(IntOrString, n.at.at("x-kubernetes-embedded-resource"), "want no x-kubernetes-embedded-resource beside x-kubernetes-int-or-string")
	}
	c.values(n, isIntOrString(n.anyOf), len(n.allOf) > 0 && isIntOrString(n.allOf[0].anyOf), in)
	for _, name := range n.names() {
		below := in.below(n)
		if isMeta(name) && (in.root || n.embedded) {
			below.meta = true
			below.metadata = below.metadata || name == "metadata"
			if in.root {
				below.rootMeta = name
			}
		}
		c.structure(n.properties[name], below)
	}
	if n.additional != nil {
		below := in.below(n)
		below.mapMeta = in.mapMeta || in.meta
		c.structure(n.additional, below)
	}
	if n.items != nil {
		below := in.below(n)
		below.item = true
		c.structure(n.items, below)
	}
}

// kinds checks the type of a schema that says what data looks like.
func (c *checker) kinds(n *node, in scope) {
	if n.kind == "array" && n.items == nil {
		c.add(Items, n.at, "want items, since the type is array")
	}
	switch {
	case n.embedded && n.kind != "object":
		c.add(Embedded, n.at.at("type"), "want type object, since x-kubernetes-embedded-resource is set, found %s", orNone(n.kind))
	case n.kind == "" && !n.intString && !n.preserve:
		what := "of this field"
		switch {
		case in.root:
			what = "object at the root"
		case in.item:
			what = "of the items"
		}
		c.add(TypeRule, n.at, "want the type %s, found none; without one, set x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields", what)
	}
}

// resource checks the fields that every resource has: at the root, and in an
// embedded one.
func (c *checker) resource(n *node, in scope) {
	if !in.root && !n.embedded {
		return
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		want := "string"
		if name == "metadata" {
			want = "object"
		}
		if p := n.properties[name]; p != nil && p.kind != want {
			c.add(Metadata, p.at.at("type"), "want type %s for %s of a resource, found %s", want, name, orNone(p.kind))
		}
	}
	if !n.embedded {
		return
	}
	if n.additionalSet {
		c.add(Embedded, n.at.at("additionalProperties"), "want properties in an embedded resource, found additionalProperties")
	}
	if !n.preserve && len(n.properties) == 0 {
		c.add(Embedded, n.at, "want properties, or x-kubernetes-preserve-unknown-fields, beside x-kubernetes-embedded-resource: everything else would be pruned")
	}
}

// isIntOrString says whether the branches are {type: integer} and {type:
// string}, in this order, the one place where a type may stand in them.
func isIntOrString(branches []*node) bool {
	if len(branches) != 2 {
		return false
	}
	for i, kind := range []string{"integer", "string"} {
		n := branches[i]
		if n.kind != kind {
			return false
		}
		for k := range n.raw {
			has := n.has(k)
			switch k {
			case "type":
				has = false
			case "enum", "allOf", "anyOf", "oneOf":
				has = saysSomething(n, k)
			}
			if has && slices.Contains(keywords, k) && !slices.Contains(markers, k) {
				return false
			}
		}
	}
	return true
}

// common checks what holds of schemas everywhere, in value validation too.
func (c *checker) common(n *node, in scope) {
	c.unsupported(n)
	if n.kind != "" && !slices.Contains([]string{"string", "number", "integer", "boolean", "array", "object"}, n.kind) {
		hint := ""
		if n.kind == "null" {
			hint = "; use nullable: true"
		}
		c.add(TypeRule, n.at.at("type"), "want object, array, string, integer, number or boolean, found %q%s", shorten(n.kind, maxValue), hint)
	}
	if n.preserves && !n.preserve {
		c.add(Preserve, n.at.at("x-kubernetes-preserve-unknown-fields"), "want true or nothing, found false; remove it")
	}
	if n.additionalSet && len(n.properties) > 0 && (n.additional != nil || !n.additionalAllows) {
		c.add(Additional, n.at.at("additionalProperties"), "want properties or additionalProperties, found both: a struct has the one, a map the other")
	}
	if n.embedded && in.meta {
		c.add(Embedded, n.at.at("x-kubernetes-embedded-resource"), "want no embedded resource in the metadata of a resource")
	}
	switch {
	case n.def == nil:
	case in.rootMeta != "":
		c.add(DefaultForbidden, n.at.at("default"), "want no default in %s at the root, which the API server fills; remove it", in.rootMeta)
	case in.mapMeta:
		c.add(DefaultForbidden, n.at.at("default"), "want no default below additionalProperties in metadata; remove it")
	}
	c.lists(n, in)
	c.markers(n, in)
	c.validations(n)
}

func (c *checker) unsupported(n *node) {
	if n.unique {
		c.add(Unsupported, n.at.at("uniqueItems"), "want no uniqueItems, which takes quadratic time; use x-kubernetes-list-type: set")
	}
	if n.tuple {
		c.add(Unsupported, n.at.at("items"), "want one schema for all items, found a list of schemas")
	}
	for _, k := range n.unsupported {
		switch v := n.raw[k].(type) {
		case nil:
			continue
		case map[string]any:
			if len(v) == 0 && (k == "definitions" || k == "patternProperties") {
				continue
			}
		case string:
			if v == "" && k != "$ref" {
				continue
			}
		}
		hint := "; remove it"
		if k == "$ref" {
			hint = "; a schema of a CRD is whole in itself: write what it refers to in its place"
		}
		c.add(Unsupported, n.at.at(k), "want no %s in a CRD%s", k, hint)
	}
}
