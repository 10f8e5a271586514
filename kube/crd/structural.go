// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"slices"
)

// checker checks the schemas of a CRD, without looking at defaults and rules.
type checker struct{ *report }

// scope is what a schema stands within.
type scope struct {
	root bool
	// item says that the schema is that of list items.
	item bool
	// meta is set within APIVersion, kind and metadata of the resource or of an
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
func (in scope) below(n *tree.Node) scope {
	in.immutable = in.immutable || n.Whole()
	in.judged = in.judged || judged(n)
	in.root, in.item = false, false
	return in
}

// structural checks that the schema at the root, and all below it, is a
// structural one.
func (c *checker) structural(root *tree.Node, status bool) {
	c.root(root, status)
	c.structure(root, scope{root: true})
	c.complete(root)
}

// root checks what holds of the schema at the root only.
func (c *checker) root(n *tree.Node, status bool) {
	if n.Nullable {
		c.add(Root, n.At.At("nullable"), "want no nullable at the root: an object is never null; remove it")
	}
	if n.Kind != "" && n.Kind != "object" {
		c.add(Root, n.At.At("type"), "want type object at the root, found %s", n.Kind)
	}
	if n.AdditionalSet {
		c.add(Root, n.At.At("additionalProperties"), "want properties at the root, found additionalProperties")
	}
	if status {
		// Status is validated by itself, with properties.status as its schema.
		for _, k := range tree.SortedKeys(n.Raw) {
			if !slices.Contains(withStatus, k) && slices.Contains(tree.Keywords, k) && !slices.Contains(tree.Markers, k) && n.Has(k) {
				c.add(Root, n.At.At(k), "want no %s at the root beside the status subresource, which is validated by itself; move it below properties", k)
			}
		}
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		if p := n.Properties[name]; p != nil && name == "metadata" {
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
func (c *checker) rootMetadata(n *tree.Node) {
	for _, name := range n.Names() {
		if name != "name" && name != "generateName" {
			c.add(Metadata, n.Properties[name].At, "want nothing but name and generateName in the schema of metadata, which is the same for all objects; remove it")
		}
	}
	for _, k := range tree.SortedKeys(n.Raw) {
		switch k {
		case "type", "properties", "default":
		case "required", "x-kubernetes-list-map-keys":
			// An empty list is one too many for the API server.
			if n.Raw[k] != nil {
				c.add(Metadata, n.At.At(k), "want nothing but type and properties in the schema of metadata; remove it")
			}
		default:
			if list, ok := n.Raw[k].([]any); ok && len(list) == 0 {
				continue
			}
			if slices.Contains(tree.Keywords, k) && !slices.Contains(tree.Markers, k) && n.Has(k) {
				c.add(Metadata, n.At.At(k), "want nothing but type and properties in the schema of metadata; remove it")
			}
		}
	}
}

// structure checks a schema that says what data looks like.
func (c *checker) structure(n *tree.Node, in scope) {
	c.common(n, in)
	c.kinds(n, in)
	c.resource(n, in)
	if n.IntString && n.Preserve {
		c.add(IntOrString, n.At.At("x-kubernetes-preserve-unknown-fields"), "want no x-kubernetes-preserve-unknown-fields beside x-kubernetes-int-or-string")
	}
	if n.IntString && n.Embedded {
		c.add(IntOrString, n.At.At("x-kubernetes-embedded-resource"), "want no x-kubernetes-embedded-resource beside x-kubernetes-int-or-string")
	}
	c.values(n, isIntOrString(n.AnyOf), len(n.AllOf) > 0 && isIntOrString(n.AllOf[0].AnyOf), in)
	for _, name := range n.Names() {
		below := in.below(n)
		if tree.IsMeta(name) && (in.root || n.Embedded) {
			below.meta = true
			below.metadata = below.metadata || name == "metadata"
			if in.root {
				below.rootMeta = name
			}
		}
		c.structure(n.Properties[name], below)
	}
	if n.Additional != nil {
		below := in.below(n)
		below.mapMeta = in.mapMeta || in.meta
		c.structure(n.Additional, below)
	}
	if n.Items != nil {
		below := in.below(n)
		below.item = true
		c.structure(n.Items, below)
	}
}

// kinds checks the type of a schema that says what data looks like.
func (c *checker) kinds(n *tree.Node, in scope) {
	if n.Kind == "array" && n.Items == nil {
		c.add(Items, n.At, "want items, since the type is array")
	}
	switch {
	case n.Embedded && n.Kind != "object":
		c.add(Embedded, n.At.At("type"), "want type object, since x-kubernetes-embedded-resource is set, found %s", tree.OrNone(n.Kind))
	case n.Kind == "" && !n.IntString && !n.Preserve:
		what := "of this field"
		switch {
		case in.root:
			what = "object at the root"
		case in.item:
			what = "of the items"
		}
		c.add(TypeRule, n.At, "want the type %s, found none; without one, set x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields", what)
	}
}

// resource checks the fields that every resource has: at the root, and in an
// embedded one.
func (c *checker) resource(n *tree.Node, in scope) {
	if !in.root && !n.Embedded {
		return
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		want := "string"
		if name == "metadata" {
			want = "object"
		}
		if p := n.Properties[name]; p != nil && p.Kind != want {
			c.add(Metadata, p.At.At("type"), "want type %s for %s of a resource, found %s", want, name, tree.OrNone(p.Kind))
		}
	}
	if !n.Embedded {
		return
	}
	if n.AdditionalSet {
		c.add(Embedded, n.At.At("additionalProperties"), "want properties in an embedded resource, found additionalProperties")
	}
	if !n.Preserve && len(n.Properties) == 0 {
		c.add(Embedded, n.At, "want properties, or x-kubernetes-preserve-unknown-fields, beside x-kubernetes-embedded-resource: everything else would be pruned")
	}
}

// isIntOrString says whether the branches are {type: integer} and {type:
// string}, in this order, the one place where a type may stand in them.
func isIntOrString(branches []*tree.Node) bool {
	if len(branches) != 2 {
		return false
	}
	for i, kind := range []string{"integer", "string"} {
		n := branches[i]
		if n.Kind != kind {
			return false
		}
		for k := range n.Raw {
			has := n.Has(k)
			switch k {
			case "type":
				has = false
			case "enum", "allOf", "anyOf", "oneOf":
				has = saysSomething(n, k)
			}
			if has && slices.Contains(tree.Keywords, k) && !slices.Contains(tree.Markers, k) {
				return false
			}
		}
	}
	return true
}

// common checks what holds of schemas everywhere, in value validation too.
func (c *checker) common(n *tree.Node, in scope) {
	c.unsupported(n)
	if n.Kind != "" && !slices.Contains([]string{"string", "number", "integer", "boolean", "array", "object"}, n.Kind) {
		hint := ""
		if n.Kind == "null" {
			hint = "; use nullable: true"
		}
		c.add(TypeRule, n.At.At("type"), "want object, array, string, integer, number or boolean, found %q%s", tree.Shorten(n.Kind, tree.MaxValue), hint)
	}
	if n.Preserves && !n.Preserve {
		c.add(Preserve, n.At.At("x-kubernetes-preserve-unknown-fields"), "want true or nothing, found false; remove it")
	}
	if n.AdditionalSet && len(n.Properties) > 0 && (n.Additional != nil || !n.AdditionalAllows) {
		c.add(Additional, n.At.At("additionalProperties"), "want properties or additionalProperties, found both: a struct has the one, a map the other")
	}
	if n.Embedded && in.meta {
		c.add(Embedded, n.At.At("x-kubernetes-embedded-resource"), "want no embedded resource in the metadata of a resource")
	}
	switch {
	case n.Def == nil:
	case in.rootMeta != "":
		c.add(DefaultForbidden, n.At.At("default"), "want no default in %s at the root, which the API server fills; remove it", in.rootMeta)
	case in.mapMeta:
		c.add(DefaultForbidden, n.At.At("default"), "want no default below additionalProperties in metadata; remove it")
	}
	c.lists(n, in)
	c.markers(n, in)
	c.validations(n)
}

func (c *checker) unsupported(n *tree.Node) {
	if n.Unique {
		c.add(Unsupported, n.At.At("uniqueItems"), "want no uniqueItems, which takes quadratic time; use x-kubernetes-list-type: set")
	}
	if n.Tuple {
		c.add(Unsupported, n.At.At("items"), "want one schema for all items, found a list of schemas")
	}
	for _, k := range n.Unsupported {
		switch v := n.Raw[k].(type) {
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
		c.add(Unsupported, n.At.At(k), "want no %s in a CRD%s", k, hint)
	}
}
