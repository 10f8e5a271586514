// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// lists checks x-kubernetes-list-type, x-kubernetes-list-map-keys and
// x-kubernetes-map-type.
func (c *checker) lists(n *tree.Node, sc scope) {
	if n.MapTyped {
		if n.Kind != "object" {
			c.add(MapType, n.At.At("x-kubernetes-map-type"), "x-kubernetes-map-type needs type object, found %s", tree.OrNone(n.Kind))
		}
		if !slices.Contains([]string{"atomic", "granular"}, n.MapType) {
			c.add(MapType, n.At.At("x-kubernetes-map-type"), "want atomic or granular, found %q", tree.Shorten(n.MapType, tree.MaxValue))
		}
	}
	if len(n.Keys) > 0 && n.ListType != "map" {
		c.add(ListMapKeys, n.At.At("x-kubernetes-list-map-keys"), "x-kubernetes-list-map-keys need x-kubernetes-list-type map, found %s", tree.OrNone(n.ListType))
	}
	if !n.ListTyped {
		return
	}
	listAt := n.At.At("x-kubernetes-list-type")
	if n.Kind != "array" {
		c.add(ListType, listAt, "x-kubernetes-list-type needs type array, found %s", tree.OrNone(n.Kind))
	}
	switch n.ListType {
	case "atomic":
	case "set":
		c.set(n)
	case "map":
		c.mapList(n, sc)
	default:
		c.add(ListType, listAt, "want atomic, set or map, found %q", tree.Shorten(n.ListType, tree.MaxValue))
	}
}

// set checks the items of a set. The items must be scalars or atomic, because the API
// server compares them as a whole.
func (c *checker) set(n *tree.Node) {
	if n.Items == nil {
		return
	}
	c.nullableItems(n)
	if n.Kind != "array" {
		return
	}
	switch {
	case n.Items.Kind == "array" && n.Items.ListTyped && n.Items.ListType != "atomic":
		c.add(SetItems, n.Items.At, "want x-kubernetes-list-type atomic for lists in a set, found %s", n.Items.ListType)
	case n.Items.Kind == "object" && n.Items.MapType != "atomic":
		c.add(SetItems, n.Items.At, "want x-kubernetes-map-type atomic for objects in a set, found %s; set it, or change the list to type map with x-kubernetes-list-map-keys", tree.OrNone(n.Items.MapType))
	}
}

func (c *checker) nullableItems(n *tree.Node) {
	if n.Items.Nullable {
		c.add(SetItems, n.Items.At.At("nullable"), "items of a list of type %s must not be nullable; remove nullable", n.ListType)
	}
}

// mapList checks a list whose items are identified by keys.
func (c *checker) mapList(n *tree.Node, sc scope) {
	at := n.At.At("x-kubernetes-list-map-keys")
	if len(n.Keys) == 0 {
		c.add(ListMapKeys, n.At, "the list type map needs x-kubernetes-list-map-keys, found none")
	}
	if n.Items == nil {
		if n.Kind != "array" { // an array without items is reported by the method dataType
			c.add(Items, n.At, "the list type map needs items, found none")
		}
		return
	}
	c.nullableItems(n)
	if n.Items.Kind != "object" {
		c.add(ListType, n.Items.At, "want items of type object in a list of type map, found %s", tree.OrNone(n.Items.Kind))
	}
	for i, key := range n.Keys {
		if slices.Contains(n.Keys[:i], key) {
			c.add(ListMapKeys, at.Nth(i), "want each key only once, found %q twice", tree.Shorten(key, tree.MaxValue))
			continue
		}
		p := n.Items.Properties[key]
		if p == nil {
			if n.Items.Kind == "object" {
				hint := ""
				if near := suggest.Nearest(key, n.Items.Names()); near != "" {
					hint = "; did you mean " + near + "?"
				}
				c.add(ListMapKeys, at.Nth(i), "want the name of a property of the items, found %q%s", tree.Shorten(key, tree.MaxValue), hint)
			}
			continue
		}
		if n.Items.Kind == "object" && (p.Kind == "array" || p.Kind == "object") {
			c.add(ListMapKeys, p.At.At("type"), "%s is in x-kubernetes-list-map-keys and must be a scalar, found type %s", key, p.Kind)
		}
		if p.Nullable {
			c.add(ListMapKeys, p.At.At("nullable"), "%s is in x-kubernetes-list-map-keys and must not be nullable; remove nullable", key)
		}
		if p.Def == nil && !slices.Contains(n.Items.Required, key) {
			var fix *Fix
			if !sc.branch && !sc.meta && !sc.constrained && !constrains(n) && !constrains(n.Items) {
				fix = knownDefault(p, key)
			}
			c.fixable(openapi.KeyUnsatisfied, p.At, fix, "the key %s in x-kubernetes-list-map-keys is optional and has no default, so an item without the key cannot be identified; require the key, or add a default", key)
		}
	}
}

// knownDefault returns the fix that adds the usual default of a list key, for example TCP
// for protocol. It returns nil if the key has no usual default, or if other keywords of
// its schema might reject the default.
func knownDefault(p *tree.Node, key string) *Fix {
	for k := range p.Raw {
		if !slices.Contains([]string{"type", "enum", "title", "description", "example", "externalDocs"}, k) {
			return nil
		}
	}
	values, limited := p.Raw["enum"].([]any)
	if key != "protocol" || p.Kind != "string" || limited && !slices.Contains(values, any("TCP")) {
		return nil
	}
	return setDefault(p, "TCP")
}

// constrains reports whether n restricts the values below it, so that a new default below
// n could make an object invalid.
func constrains(n *tree.Node) bool {
	return len(n.AllOf)+len(n.AnyOf)+len(n.OneOf)+len(n.Rules) > 0 || n.Not != nil || n.Raw["enum"] != nil || n.Raw["maxProperties"] != nil
}

// setDefault returns the fix that adds a default to n.
func setDefault(n *tree.Node, value any) *Fix {
	return &Fix{"adds default: " + tree.Flow(value), manifest.Change{Steps: n.At.Steps(), Set: "default", Value: value}}
}
