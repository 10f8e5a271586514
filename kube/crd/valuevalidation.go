// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"regexp"
)

// values checks the pattern of n and the schemas in its allOf, anyOf, oneOf and not.
//
// A schema with x-kubernetes-int-or-string may have an anyOf with the types integer and string (see
// isIntOrString), although schemas in other anyOf must not have a type. skipAny is true if n itself
// has this anyOf. skipFirst is true if the first schema in n's allOf has it.
func (c *checker) values(n *tree.Node, skipAny, skipFirst bool, sc scope) {
	if n.Pattern != "" {
		if _, err := regexp.Compile(n.Pattern); err != nil {
			c.add(Pattern, n.At.At("pattern"), "want a regular expression in Go syntax: %v", err)
		}
	}
	below := sc.below(n)
	below.branch = true
	for _, b := range n.AnyOf {
		if skipAny {
			c.common(b, below)
			continue
		}
		c.nested(b, false, below)
	}
	for i, b := range n.AllOf {
		c.nested(b, skipFirst && i == 0, below)
	}
	for _, b := range n.OneOf {
		c.nested(b, false, below)
	}
	if n.Not != nil {
		c.nested(n.Not, false, below)
	}
}

// forbidden lists the keywords that are not allowed inside allOf, anyOf, oneOf and not, because
// such schemas may only validate values.
var forbidden = []string{
	"type", "additionalProperties", "default", "title", "description", "nullable",
	"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
	"x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-validations",
}

// nested checks a schema inside allOf, anyOf, oneOf or not. Such a schema may only
// validate values.
func (c *checker) nested(n *tree.Node, skipAny bool, sc scope) {
	c.common(n, sc)
	for _, k := range forbidden {
		if !hasEffect(n, k) {
			continue
		}
		where := "below " + combinatorAbove(n.At)
		if k == "type" {
			c.add(Nested, n.At.At(k), "type is not allowed %s; move it to the enclosing schema, or use x-kubernetes-int-or-string for integers and strings", where)
			continue
		}
		c.add(Nested, n.At.At(k), "%s is not allowed %s; move it to the enclosing schema", k, where)
	}
	if p := n.Properties["metadata"]; p != nil {
		c.add(Nested, p.At, "metadata is not allowed below %s; remove it", combinatorAbove(n.At))
	}
	c.values(n, skipAny, false, sc)
	for _, name := range n.Names() {
		c.nested(n.Properties[name], false, sc)
	}
	if n.Items != nil {
		c.nested(n.Items, false, sc)
	}
	if n.Additional != nil {
		c.commonBelow(n.Additional, sc)
	}
}

// commonBelow calls common for n and all schemas below it.
func (c *checker) commonBelow(n *tree.Node, sc scope) {
	c.common(n, sc)
	n.Each(func(child *tree.Node) { c.commonBelow(child, sc) })
	n.Nested(func(child *tree.Node) { c.commonBelow(child, sc) })
}

// hasEffect is like Has, but it also returns false for an empty list.
func hasEffect(n *tree.Node, keyword string) bool {
	if list, ok := n.Raw[keyword].([]any); ok && len(list) == 0 {
		return false
	}
	return n.Has(keyword)
}

// combinatorAbove returns the innermost keyword allOf, anyOf, oneOf or not around a schema.
func combinatorAbove(at *tree.Place) string {
	for p := at; p != nil; p = p.Up {
		switch p.Field {
		case "allOf", "anyOf", "oneOf", "not":
			return p.Field
		}
	}
	return "value validation"
}

// checkDeclared checks that n declares all fields and items that the schemas in its allOf, anyOf,
// oneOf and not mention.
func (c *checker) checkDeclared(n *tree.Node) {
	var value func(v, n *tree.Node)
	value = func(v, n *tree.Node) {
		v.Nested(func(branch *tree.Node) { value(branch, n) })
		if v.Items != nil && v != n {
			if n.Items == nil {
				c.add(Incomplete, n.At, "want items, because the value validation at %s has items; add them", v.Items.At)
			} else {
				value(v.Items, n.Items)
			}
		}
		if v == n {
			return
		}
		for _, name := range v.Names() {
			if p := n.Properties[name]; p == nil {
				c.add(Incomplete, n.At.At("properties"), "want a property %s, because the value validation at %s refers to it; declare it with its type", name, v.Properties[name].At)
			} else {
				value(v.Properties[name], p)
			}
		}
	}
	value(n, n)
}
