// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"slices"
)

// checker checks the schemas of a CRD, except their defaults and CEL rules.
type checker struct{ *report }

// scope describes the position of a schema in the CRD.
type scope struct {
	root bool
	// item is true for the schema of list items.
	item bool
	// meta is true for the fields apiVersion, kind and metadata of the custom resource or of an
	// embedded resource, and for everything below these fields. If such a field belongs to the custom
	// resource itself, rootMeta is the name of the field.
	meta     bool
	rootMeta string
	// mapMeta is true if meta is true and the schema describes the values of a map.
	mapMeta bool
	// metadata is like meta, but only for the field metadata.
	metadata bool
	// immutable is true if a schema above has a marker that makes everything below it
	// immutable.
	immutable bool
	// constrained is true if a schema above restricts the values below it (see the function
	// constrains).
	constrained bool
	// branch is true inside allOf, anyOf, oneOf or not.
	branch bool
}

// below returns the scope for the schemas directly below n.
func (sc scope) below(n *tree.Node) scope {
	sc.immutable = sc.immutable || n.MarkedWhole()
	sc.constrained = sc.constrained || constrains(n)
	sc.root, sc.item = false, false
	return sc
}

// structural checks that a version's schema is structural. root is the schema at the root.
// status is true if the version has a status subresource.
func (c *checker) structural(root *tree.Node, status bool) {
	c.root(root, status)
	c.structure(root, scope{root: true})
	c.checkDeclared(root)
}

// root checks the rules that apply only to the schema at the root.
func (c *checker) root(n *tree.Node, status bool) {
	if n.Nullable {
		c.add(Root, n.At.At("nullable"), "nullable is not allowed at the root, because an object is never null; remove it")
	}
	if n.Kind != "" && n.Kind != "object" {
		c.add(Root, n.At.At("type"), "want type object at the root, found %s", n.Kind)
	}
	if n.AdditionalSet {
		c.add(Root, n.At.At("additionalProperties"), "want properties at the root, found additionalProperties")
	}
	if status {
		// The server also validates the status separately, with properties.status as the whole schema.
		// In that validation, it would ignore these keywords at the root.
		for _, k := range tree.SortedKeys(n.Raw) {
			if !slices.Contains(rootKeywordsWithStatus, k) && slices.Contains(tree.Keywords, k) && !slices.Contains(tree.Markers, k) && n.Has(k) {
				c.add(Root, n.At.At(k), "%s is not allowed at the root of a version with a status subresource, because the status is validated separately; move it below properties", k)
			}
		}
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		if p := n.Properties[name]; p != nil && name == "metadata" {
			c.rootMetadata(p)
		}
	}
}

// rootKeywordsWithStatus lists the keywords that are allowed at the root of a version with
// a status subresource.
var rootKeywordsWithStatus = []string{
	"description", "type", "format", "title", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
	"minLength", "pattern", "maxItems", "minItems", "uniqueItems", "multipleOf", "required", "items", "properties",
	"externalDocs", "example", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations",
}

// rootMetadata checks the schema of metadata at the root. A CRD can restrict only the
// fields name and generateName, because metadata has the same type in all objects.
func (c *checker) rootMetadata(n *tree.Node) {
	for _, name := range n.Names() {
		if name != "name" && name != "generateName" {
			c.add(Metadata, n.Properties[name].At, "want only name and generateName in the schema of metadata, which is the same for all objects; remove it")
		}
	}
	for _, k := range tree.SortedKeys(n.Raw) {
		switch k {
		case "type", "properties", "default":
		case "required", "x-kubernetes-list-map-keys":
			// The API server rejects these keywords even if their value is an empty list.
			if n.Raw[k] != nil {
				c.add(Metadata, n.At.At(k), "want only type and properties in the schema of metadata; remove it")
			}
		default:
			if list, ok := n.Raw[k].([]any); ok && len(list) == 0 {
				continue
			}
			if slices.Contains(tree.Keywords, k) && !slices.Contains(tree.Markers, k) && n.Has(k) {
				c.add(Metadata, n.At.At(k), "want only type and properties in the schema of metadata; remove it")
			}
		}
	}
}

// structure checks a schema and the schemas of all values below it. The schemas in allOf, anyOf, oneOf
// and not are checked by the method values.
func (c *checker) structure(n *tree.Node, sc scope) {
	c.common(n, sc)
	c.dataType(n, sc)
	c.resource(n, sc)
	if n.IntString && n.Preserve {
		c.add(IntOrString, n.At.At("x-kubernetes-preserve-unknown-fields"), "x-kubernetes-preserve-unknown-fields cannot be used together with x-kubernetes-int-or-string; remove one of them")
	}
	if n.IntString && n.Embedded {
		c.add(IntOrString, n.At.At("x-kubernetes-embedded-resource"), "x-kubernetes-embedded-resource cannot be used together with x-kubernetes-int-or-string; remove one of them")
	}
	c.values(n, isIntOrString(n.AnyOf), len(n.AllOf) > 0 && isIntOrString(n.AllOf[0].AnyOf), sc)
	for _, name := range n.Names() {
		below := sc.below(n)
		if tree.IsMeta(name) && (sc.root || n.Embedded) {
			below.meta = true
			below.metadata = below.metadata || name == "metadata"
			if sc.root {
				below.rootMeta = name
			}
		}
		c.structure(n.Properties[name], below)
	}
	if n.Additional != nil {
		below := sc.below(n)
		below.mapMeta = sc.mapMeta || sc.meta
		c.structure(n.Additional, below)
	}
	if n.Items != nil {
		below := sc.below(n)
		below.item = true
		c.structure(n.Items, below)
	}
}

// dataType checks that a schema has a type, and that the type fits its other keywords.
func (c *checker) dataType(n *tree.Node, sc scope) {
	if n.Kind == "array" && n.Items == nil {
		c.add(Items, n.At, "type array needs items, found none")
	}
	switch {
	case n.Embedded && n.Kind != "object":
		c.add(Embedded, n.At.At("type"), "x-kubernetes-embedded-resource needs type object, found %s", tree.OrNone(n.Kind))
	case n.Kind == "" && !n.IntString && !n.Preserve:
		what := "of this field"
		switch {
		case sc.root:
			what = "object at the root"
		case sc.item:
			what = "of the items"
		}
		c.add(TypeRule, n.At, "want the type %s, found none; set type, x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields", what)
	}
}

// resource checks the schemas of apiVersion, kind and metadata. These schemas are at the root or in an
// embedded resource.
func (c *checker) resource(n *tree.Node, sc scope) {
	if !sc.root && !n.Embedded {
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
		c.add(Embedded, n.At.At("additionalProperties"), "want properties in an embedded resource, found additionalProperties; replace them")
	}
	if !n.Preserve && len(n.Properties) == 0 {
		c.add(Embedded, n.At, "an embedded resource without properties loses all its fields when it is pruned; add properties or x-kubernetes-preserve-unknown-fields")
	}
}

// isIntOrString reports whether an anyOf consists of {type: integer} and {type: string}, in this
// order. Schemas in any other anyOf must not have a type.
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
				has = hasEffect(n, k)
			}
			if has && slices.Contains(tree.Keywords, k) && !slices.Contains(tree.Markers, k) {
				return false
			}
		}
	}
	return true
}

// common checks the rules that apply to every schema, including those in allOf, anyOf,
// oneOf and not.
func (c *checker) common(n *tree.Node, sc scope) {
	c.unsupported(n)
	if n.Kind != "" && !slices.Contains([]string{"string", "number", "integer", "boolean", "array", "object"}, n.Kind) {
		hint := ""
		if n.Kind == "null" {
			hint = "; use nullable: true"
		}
		c.add(TypeRule, n.At.At("type"), "want object, array, string, integer, number or boolean, found %q%s", tree.Shorten(n.Kind, tree.MaxValue), hint)
	}
	if n.PreserveSet && !n.Preserve {
		c.add(Preserve, n.At.At("x-kubernetes-preserve-unknown-fields"), "want true, found false; remove it")
	}
	if n.AdditionalSet && len(n.Properties) > 0 && (n.Additional != nil || !n.AdditionalAllows) {
		c.add(Additional, n.At.At("additionalProperties"), "want properties or additionalProperties, found both; keep properties for a struct, additionalProperties for a map")
	}
	if n.Embedded && sc.meta {
		c.add(Embedded, n.At.At("x-kubernetes-embedded-resource"), "the metadata of a resource cannot contain an embedded resource; remove it")
	}
	switch {
	case n.Def == nil:
	case sc.rootMeta != "":
		c.add(DefaultForbidden, n.At.At("default"), "default is not allowed in %s at the root, because the API server sets this field; remove it", sc.rootMeta)
	case sc.mapMeta:
		c.add(DefaultForbidden, n.At.At("default"), "default is not allowed below additionalProperties in metadata; remove it")
	}
	c.lists(n, sc)
	c.markers(n, sc)
	c.validations(n)
}

func (c *checker) unsupported(n *tree.Node) {
	if n.Unique {
		c.add(Unsupported, n.At.At("uniqueItems"), "uniqueItems is not allowed, because checking it takes quadratic time; use x-kubernetes-list-type: set")
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
			hint = "; replace it with the schema that it refers to"
		}
		c.add(Unsupported, n.At.At(k), "%s is not allowed in a CRD%s", k, hint)
	}
}
