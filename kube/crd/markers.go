// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"slices"
	"strings"
)

// markers checks the markers of a schema.
func (c *checker) markers(n *tree.Node, in scope) {
	for _, m := range tree.Markers {
		switch v := n.Raw[m]; v {
		case nil, true:
		case false:
			c.add(MarkerValue, n.At.At(m), "want true or nothing, found false; remove it: what is not marked can change, but for what is below a marker")
		default:
			c.add(MarkerValue, n.At.At(m), "want true or nothing, found %s; write %s: true", tree.Flow(v), m)
		}
	}
	all := n.Marked()
	for _, m := range all {
		if problem := misplaced(n, m, in); problem != "" {
			c.add(MarkerPlace, n.At.At(m), "%s", problem)
		}
	}
	if len(all) > 1 {
		c.add(MarkersExclusive, n.At, "want one marker of immutability on one schema, found %s; they contradict each other: keep the one that is meant", strings.Join(all, " and "))
	}
	if in.branch || n.ListType != "map" || n.Items == nil || in.immutable || n.Whole() || n.Items.Whole() {
		return
	}
	for _, m := range all {
		for i, key := range n.Keys {
			p := n.Items.Properties[key]
			if p == nil || slices.Contains(n.Keys[:i], key) || p.Raw[tree.Immutable] != nil {
				continue // it is immutable, or something else is wrong
			}
			c.add(MarkerKey, p.At.At(tree.Immutable), "want true, found nothing: %s is in x-kubernetes-list-map-keys of a list with %s, and an item whose key changes would be another item; add %s: true", key, m, tree.Immutable)
		}
	}
}

// misplaced says why a marker cannot stand at n, "" if it can.
func misplaced(n *tree.Node, marker string, in scope) string {
	switch {
	case in.branch:
		return "want no " + marker + " below " + junctorOf(n.At) + "; give it in the schema around it"
	case in.root:
		return "want no " + marker + " at the root: status and metadata have to change; mark fields below, such as spec"
	case in.metadata:
		return "want no " + marker + " in the metadata of a resource, which the API server looks after; remove it"
	}
	rule := tree.RuleOf(marker)
	if rule.Whole {
		return ""
	}
	want := "want a map (additionalProperties) or a list of type map beside " + marker
	if rule.Sets {
		want = "want a map (additionalProperties), a list of type map or a set beside " + marker
	}
	switch {
	case n.Kind == "object" && n.MapType == "atomic":
		return want + ", found an atomic map, which changes as a whole; remove x-kubernetes-map-type, or mark it " + tree.Immutable
	case n.Kind == "object" && n.AdditionalSet && (n.Additional != nil || n.AdditionalAllows):
		return ""
	case n.Kind == "object" && len(n.Properties) > 0:
		return want + ", found an object with properties; mark these " + tree.Immutable + " instead"
	case n.Kind == "object":
		return want + ", found an object without additionalProperties; give their schema, or mark it " + tree.Immutable
	case n.Kind == "array" && n.ListType == "map":
		return ""
	case n.Kind == "array" && n.ListType == "set":
		if rule.Sets {
			return ""
		}
		return want + ", found a set, whose items are their own keys; mark it " + tree.Immutable + " instead"
	case n.Kind == "array":
		return want + ", found an atomic list, whose items have no keys; set x-kubernetes-list-type, or mark it " + tree.Immutable
	case n.Kind == "":
		return want + ", found a schema without type; mark it " + tree.Immutable + " instead"
	}
	return want + ", found type " + n.Kind + ", which has no keys; mark it " + tree.Immutable + " instead"
}
