// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"slices"
	"strings"
)

// markers checks the immutability markers of n: whether their values are valid, and
// whether n may have them.
func (c *checker) markers(n *tree.Node, sc scope) {
	for _, m := range tree.Markers {
		switch v := n.Raw[m]; v {
		case nil, true:
		case false:
			c.add(MarkerValue, n.At.At(m), "want true or no marker, found false; remove the marker: without it, the field can change, unless an enclosing field is marked")
		default:
			use := m + ": true"
			if other := markerNamed(m, v); other != "" {
				// The author may have used the syntax of the Go marker +immutable=keys.
				use = other + ": true, or " + use
			}
			c.add(MarkerValue, n.At.At(m), "want true or no marker, found %s; use %s", tree.Flow(v), use)
		}
	}
	all := n.Marked()
	for _, m := range all {
		if problem := misplaced(n, m, sc); problem != "" {
			c.add(MarkerPlace, n.At.At(m), "%s", problem)
		}
	}
	if len(all) > 1 {
		c.add(MarkersExclusive, n.At, "a schema can have only one immutability marker, found %s; keep the intended one", strings.Join(all, " and "))
	}
	if sc.branch || n.ListType != "map" || n.Items == nil || sc.immutable || n.MarkedWhole() || n.Items.MarkedWhole() {
		return
	}
	for _, m := range all {
		for i, key := range n.Keys {
			p := n.Items.Properties[key]
			if p == nil || slices.Contains(n.Keys[:i], key) || p.Raw[tree.Immutable] != nil {
				continue // the key is already immutable, or has an error that is reported elsewhere
			}
			c.add(MarkerKey, p.At.At(tree.Immutable), "%s is a key of a list with %s, so it must be immutable; add %s: true", key, m, tree.Immutable)
		}
	}
}

// markerNamed guesses which marker the author of a CRD meant to set. It is called if the value v of a
// marker is wrong. For example, it returns x-kubernetes-immutable-keys if x-kubernetes-immutable has
// the value "keys". It returns "" if v names no other marker.
func markerNamed(marker string, v any) string {
	text, _ := v.(string)
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", "")) }
	for _, other := range tree.Markers {
		name := fold(strings.TrimPrefix(other, "x-kubernetes-"))
		if text != "" && other != marker && (name == fold(text) || name == "immutable"+fold(text)) {
			return other
		}
	}
	return ""
}

// misplaced returns a message if the marker is not allowed on n, otherwise "".
func misplaced(n *tree.Node, marker string, sc scope) string {
	switch {
	case sc.branch:
		return marker + " is not allowed below " + combinatorAbove(n.At) + "; move it to the enclosing schema"
	case sc.root:
		return marker + " is not allowed at the root, because status and metadata must be able to change; mark fields below, such as spec"
	case sc.metadata:
		return marker + " is not allowed in the metadata of a resource, which the API server manages; remove it"
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
		return want + ", found an object with properties; mark the properties " + tree.Immutable + " instead"
	case n.Kind == "object":
		return want + ", found an object without additionalProperties; add them, or mark it " + tree.Immutable
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
