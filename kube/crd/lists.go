// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// lists checks list types, keys and map types.
func (c *checker) lists(n *node, in scope) {
	if n.mapTyped {
		if n.kind != "object" {
			c.add(MapType, n.at.at("x-kubernetes-map-type"), "want type object beside x-kubernetes-map-type, found %s", orNone(n.kind))
		}
		if !slices.Contains([]string{"atomic", "granular"}, n.mapType) {
			c.add(MapType, n.at.at("x-kubernetes-map-type"), "want atomic or granular, found %q", shorten(n.mapType, maxValue))
		}
	}
	if len(n.keys) > 0 && n.listType != "map" {
		c.add(ListMapKeys, n.at.at("x-kubernetes-list-map-keys"), "want x-kubernetes-list-type map, since there are x-kubernetes-list-map-keys, found %s", orNone(n.listType))
	}
	if !n.listTyped {
		return
	}
	listAt := n.at.at("x-kubernetes-list-type")
	if n.kind != "array" {
		c.add(ListType, listAt, "want type array beside x-kubernetes-list-type, found %s", orNone(n.kind))
	}
	switch n.listType {
	case "atomic":
	case "set":
		c.set(n)
	case "map":
		c.mapList(n, in)
	default:
		c.add(ListType, listAt, "want atomic, set or map, found %q", shorten(n.listType, maxValue))
	}
}

// set checks the items of a set, which must be compared as a whole.
func (c *checker) set(n *node) {
	if n.items == nil {
		return
	}
	c.nullableItems(n)
	if n.kind != "array" {
		return
	}
	switch {
	case n.items.kind == "array" && n.items.listTyped && n.items.listType != "atomic":
		c.add(SetItems, n.items.at, "want x-kubernetes-list-type atomic for lists in a set, found %s", n.items.listType)
	case n.items.kind == "object" && n.items.mapType != "atomic":
		c.add(SetItems, n.items.at, "want x-kubernetes-map-type atomic for objects in a set, found %s; or make the list a map with x-kubernetes-list-map-keys", orNone(n.items.mapType))
	}
}

func (c *checker) nullableItems(n *node) {
	if n.items.nullable {
		c.add(SetItems, n.items.at.at("nullable"), "want items that are not nullable in a list of type %s", n.listType)
	}
}

// mapList checks a list whose items are known by their keys.
func (c *checker) mapList(n *node, in scope) {
	at := n.at.at("x-kubernetes-list-map-keys")
	if len(n.keys) == 0 {
		c.add(ListMapKeys, n.at, "want x-kubernetes-list-map-keys, since the list type is map")
	}
	if n.items == nil {
		if n.kind != "array" { // otherwise it is said already
			c.add(Items, n.at, "want items, since the list type is map")
		}
		return
	}
	c.nullableItems(n)
	if n.items.kind != "object" {
		c.add(ListType, n.items.at, "want items of type object in a list of type map, found %s", orNone(n.items.kind))
	}
	for i, key := range n.keys {
		if slices.Contains(n.keys[:i], key) {
			c.add(ListMapKeys, at.nth(i), "want each key once, found %q again", shorten(key, maxValue))
			continue
		}
		p := n.items.properties[key]
		if p == nil {
			if n.items.kind == "object" {
				c.add(ListMapKeys, at.nth(i), "want the name of a property of the items, found %q", shorten(key, maxValue))
			}
			continue
		}
		if n.items.kind == "object" && (p.kind == "array" || p.kind == "object") {
			c.add(ListMapKeys, p.at.at("type"), "want a scalar, since %s is in x-kubernetes-list-map-keys, found type %s", key, p.kind)
		}
		if p.nullable {
			c.add(ListMapKeys, p.at.at("nullable"), "want no nullable, since %s is in x-kubernetes-list-map-keys", key)
		}
		if p.def == nil && !slices.Contains(n.items.required, key) {
			var fix *Fix
			if !in.branch && !in.meta && !in.judged && !judged(n) && !judged(n.items) {
				fix = knownDefault(p, key)
			}
			c.fixable(KeyUnsatisfied, p.at, fix, "want %s required or with a default, since it is in x-kubernetes-list-map-keys: an item without it would have no identity", key)
		}
	}
}

// knownDefault gives a key the default that it has wherever it is used, nil if there
// is none, or if the schema of the key might refuse it.
func knownDefault(p *node, key string) *Fix {
	for k := range p.raw {
		if !slices.Contains([]string{"type", "enum", "title", "description", "example", "externalDocs"}, k) {
			return nil
		}
	}
	values, limited := p.raw["enum"].([]any)
	if key != "protocol" || p.kind != "string" || limited && !slices.Contains(values, any("TCP")) {
		return nil
	}
	return setDefault(p, "TCP")
}

// judged says whether n judges what is below it, so that an object may be refused for
// a default there.
func judged(n *node) bool {
	return len(n.allOf)+len(n.anyOf)+len(n.oneOf)+len(n.rules) > 0 || n.not != nil || n.raw["enum"] != nil || n.raw["maxProperties"] != nil
}

// setDefault gives n a default.
func setDefault(n *node, value any) *Fix {
	return &Fix{"adds default: " + flow(value), manifest.Change{Steps: n.at.steps(), Set: "default", Value: value}}
}
