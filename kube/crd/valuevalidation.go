// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import "regexp"

// values checks the value validation of a schema. The branches of its anyOf,
// and of the anyOf in its first allOf, may be those of an int-or-string.
func (c *checker) values(n *node, skipAny, skipFirst bool, in scope) {
	if n.pattern != "" {
		if _, err := regexp.Compile(n.pattern); err != nil {
			c.add(Pattern, n.at.at("pattern"), "want a regular expression of Go's regexp/syntax: %v", err)
		}
	}
	below := in.below(n)
	below.branch = true
	for _, b := range n.anyOf {
		if skipAny {
			c.common(b, below)
			continue
		}
		c.nested(b, false, below)
	}
	for i, b := range n.allOf {
		c.nested(b, skipFirst && i == 0, below)
	}
	for _, b := range n.oneOf {
		c.nested(b, false, below)
	}
	if n.not != nil {
		c.nested(n.not, false, below)
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
func (c *checker) nested(n *node, skipAny bool, in scope) {
	c.common(n, in)
	for _, k := range forbidden {
		if !saysSomething(n, k) {
			continue
		}
		where := "below " + junctorOf(n.at)
		if k == "type" {
			c.add(Nested, n.at.at(k), "want no type %s; give it in the schema around it, or use x-kubernetes-int-or-string for integers and strings", where)
			continue
		}
		c.add(Nested, n.at.at(k), "want no %s %s; give it in the schema around it", k, where)
	}
	if p := n.properties["metadata"]; p != nil {
		c.add(Nested, p.at, "want nothing about metadata below %s", junctorOf(n.at))
	}
	c.values(n, skipAny, false, in)
	for _, name := range n.names() {
		c.nested(n.properties[name], false, in)
	}
	if n.items != nil {
		c.nested(n.items, false, in)
	}
	if n.additional != nil {
		c.anywhere(n.additional, in)
	}
}

// anywhere checks what holds of every schema, for n and all below it.
func (c *checker) anywhere(n *node, in scope) {
	c.common(n, in)
	n.each(func(child *node) { c.anywhere(child, in) })
	n.nested(func(child *node) { c.anywhere(child, in) })
}

// saysSomething is has, where lists that are empty say nothing, and neither does
// additionalProperties: false.
func saysSomething(n *node, keyword string) bool {
	if list, ok := n.raw[keyword].([]any); ok && len(list) == 0 {
		return false
	}
	return n.has(keyword)
}

// junctorOf names what a schema of value validation stands below.
func junctorOf(at *place) string {
	for p := at; p != nil; p = p.up {
		switch p.field {
		case "allOf", "anyOf", "oneOf", "not":
			return p.field
		}
	}
	return "value validation"
}

// complete checks that all that value validation says something of is there
// outside of it, in the schema n around it.
func (c *checker) complete(n *node) {
	var value func(v, n *node)
	value = func(v, n *node) {
		v.nested(func(branch *node) { value(branch, n) })
		if v.items != nil && v != n {
			if n.items == nil {
				c.add(Incomplete, n.at, "want items, since value validation at %s has some", v.items.at)
			} else {
				value(v.items, n.items)
			}
		}
		if v == n {
			return
		}
		for _, name := range v.names() {
			if p := n.properties[name]; p == nil {
				c.add(Incomplete, n.at.at("properties"), "want a property %s with its type, since value validation at %s names it", name, v.properties[name].at)
			} else {
				value(v.properties[name], p)
			}
		}
	}
	value(n, n)
}
