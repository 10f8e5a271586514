// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"
	"strings"
)

// markers checks the markers of a schema.
func (c *checker) markers(n *node, in scope) {
	for _, m := range markers {
		switch v := n.raw[m]; v {
		case nil, true:
		case false:
			c.add(MarkerValue, n.at.at(m), "want true or nothing, found false; remove it: what is not marked can change, but for what is below a marker")
		default:
			c.add(MarkerValue, n.at.at(m), "want true or nothing, found %s; write %s: true", flow(v), m)
		}
	}
	all := n.marked()
	for _, m := range all {
		if problem := misplaced(n, m, in); problem != "" {
			c.add(MarkerPlace, n.at.at(m), "%s", problem)
		}
	}
	if len(all) > 1 {
		c.add(MarkersExclusive, n.at, "want one marker of immutability on one schema, found %s; they contradict each other: keep the one that is meant", strings.Join(all, " and "))
	}
	if in.branch || n.listType != "map" || n.items == nil || in.immutable || n.whole() || n.items.whole() {
		return
	}
	for _, m := range all {
		for i, key := range n.keys {
			p := n.items.properties[key]
			if p == nil || slices.Contains(n.keys[:i], key) || p.raw[immutable] != nil {
				continue // it is immutable, or something else is wrong
			}
			c.add(MarkerKey, p.at.at(immutable), "want true, found nothing: %s is in x-kubernetes-list-map-keys of a list with %s, and an item whose key changes would be another item; add %s: true", key, m, immutable)
		}
	}
}

// misplaced says why a marker cannot stand at n, "" if it can.
func misplaced(n *node, marker string, in scope) string {
	switch {
	case in.branch:
		return "want no " + marker + " below " + junctorOf(n.at) + "; give it in the schema around it"
	case in.root:
		return "want no " + marker + " at the root: status and metadata have to change; mark fields below, such as spec"
	case in.metadata:
		return "want no " + marker + " in the metadata of a resource, which the API server looks after; remove it"
	}
	rule := ruleOf(marker)
	if rule.Whole {
		return ""
	}
	want := "want a map (additionalProperties) or a list of type map beside " + marker
	if rule.Sets {
		want = "want a map (additionalProperties), a list of type map or a set beside " + marker
	}
	switch {
	case n.kind == "object" && n.mapType == "atomic":
		return want + ", found an atomic map, which changes as a whole; remove x-kubernetes-map-type, or mark it " + immutable
	case n.kind == "object" && n.additionalSet && (n.additional != nil || n.additionalAllows):
		return ""
	case n.kind == "object" && len(n.properties) > 0:
		return want + ", found an object with properties; mark these " + immutable + " instead"
	case n.kind == "object":
		return want + ", found an object without additionalProperties; give their schema, or mark it " + immutable
	case n.kind == "array" && n.listType == "map":
		return ""
	case n.kind == "array" && n.listType == "set":
		if rule.Sets {
			return ""
		}
		return want + ", found a set, whose items are their own keys; mark it " + immutable + " instead"
	case n.kind == "array":
		return want + ", found an atomic list, whose items have no keys; set x-kubernetes-list-type, or mark it " + immutable
	case n.kind == "":
		return want + ", found a schema without type; mark it " + immutable + " instead"
	}
	return want + ", found type " + n.kind + ", which has no keys; mark it " + immutable + " instead"
}
