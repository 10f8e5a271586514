// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"regexp"
)

// values checks the value validation of a schema. The branches of its anyOf,
// and of the anyOf in its first allOf, may be those of an int-or-string.
func (c *checker) values(n *tree.Node, skipAny, skipFirst bool, in scope) {
	if n.Pattern != "" {
		if _, err := regexp.Compile(n.Pattern); err != nil {
			c.add(Pattern, n.At.At("pattern"), "want a regular expression of Go's regexp/syntax: %v", err)
		}
	}
	below := in.below(n)
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

// forbidden are the keywords that say what data looks like, and that value
// validation cannot have.
var forbidden = []string{
	"type", "additionalProperties", "default", "title", "description", "nullable",
	"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
	"x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-validations",
}

// nested checks a schema below allOf, anyOf, oneOf or not, which only validates
// values.
func (c *checker) nested(n *tree.Node, skipAny bool, in scope) {
	c.common(n, in)
	for _, k := range forbidden {
		if !saysSomething(n, k) {
			continue
		}
		where := "below " + junctorOf(n.At)
		if k == "type" {
			c.add(Nested, n.At.At(k), "want no type %s; give it in the schema around it, or use x-kubernetes-int-or-string for integers and strings", where)
			continue
		}
		c.add(Nested, n.At.At(k), "want no %s %s; give it in the schema around it", k, where)
	}
	if p := n.Properties["metadata"]; p != nil {
		c.add(Nested, p.At, "want nothing about metadata below %s", junctorOf(n.At))
	}
	c.values(n, skipAny, false, in)
	for _, name := range n.Names() {
		c.nested(n.Properties[name], false, in)
	}
	if n.Items != nil {
		c.nested(n.Items, false, in)
	}
	if n.Additional != nil {
		c.anywhere(n.Additional, in)
	}
}

// anywhere checks what holds of every schema, for n and all below it.
func (c *checker) anywhere(n *tree.Node, in scope) {
	c.common(n, in)
	n.Each(func(child *tree.Node) { c.anywhere(child, in) })
	n.Nested(func(child *tree.Node) { c.anywhere(child, in) })
}

// saysSomething is has, where lists that are empty say nothing, and neither does
// additionalProperties: false.
func saysSomething(n *tree.Node, keyword string) bool {
	if list, ok := n.Raw[keyword].([]any); ok && len(list) == 0 {
		return false
	}
	return n.Has(keyword)
}

// junctorOf names what a schema of value validation stands below.
func junctorOf(at *tree.Place) string {
	for p := at; p != nil; p = p.Up {
		switch p.Field {
		case "allOf", "anyOf", "oneOf", "not":
			return p.Field
		}
	}
	return "value validation"
}

// complete checks that all that value validation says something of is there
// outside of it, in the schema n around it.
func (c *checker) complete(n *tree.Node) {
	var value func(v, n *tree.Node)
	value = func(v, n *tree.Node) {
		v.Nested(func(branch *tree.Node) { value(branch, n) })
		if v.Items != nil && v != n {
			if n.Items == nil {
				c.add(Incomplete, n.At, "want items, since value validation at %s has some", v.Items.At)
			} else {
				value(v.Items, n.Items)
			}
		}
		if v == n {
			return
		}
		for _, name := range v.Names() {
			if p := n.Properties[name]; p == nil {
				c.add(Incomplete, n.At.At("properties"), "want a property %s with its type, since value validation at %s names it", name, v.Properties[name].At)
			} else {
				value(v.Properties[name], p)
			}
		}
	}
	value(n, n)
}
