// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// transition reads the rule of a schema; there can be one. A branch of an allOf has none
// of its own, unless it is there to put a marker beside a reference.
func (r *reader) transition(m map[string]any, at *place, branch bool) schema.Transition {
	var found schema.Transition
	for _, rule := range schema.Transitions() {
		marker := rule.Extension()
		v, ok := m[marker]
		switch {
		case !ok:
		case v != true:
			r.fail(at.at(marker), "want true, which is the only value, found %s; leave it out to allow changes", shape(v))
		case branch && m["$ref"] == nil:
			r.dispute(at.at(marker), "want this at the schema around the allOf, found it in a branch, where it says nothing")
		case found != schema.NoTransition:
			r.fail(at, "want one of %s and %s, found both", found.Extension(), marker)
		default:
			found = rule
		}
	}
	return found
}

// entries reports a rule about entries, at what has none. What a reference leads to may
// be in another document.
func (r *reader) entries(n *node) {
	rule := graph.Transition(n.transition).Rule()
	if n.target() != "" || n.transition == schema.NoTransition || rule.Whole {
		return
	}
	want := "additionalProperties or list type map"
	fits := (n.additional != nil || n.open) && n.mapType != "atomic" || n.listType == "map"
	if rule.Sets {
		want = "additionalProperties or list type map or set"
		fits = fits || n.listType == "set"
	}
	if !fits {
		r.dispute(n.at, "want %s, and no atomic map, for a mark about entries, which is %s", want, n.transition)
	}
}

// marked returns the rule of n itself, or that of the reference which it
// wraps in an allOf.
func (n *node) marked() schema.Transition {
	if n == nil {
		return schema.NoTransition
	}
	if n.ref == "" && len(n.allOf) == 1 {
		return cmp.Or(n.transition, n.allOf[0].transition)
	}
	return n.transition
}

// unmarked reports rules at and below n, which is metadata: the API server has rules
// of its own for it.
func (r *reader) unmarked(n *node) {
	if n == nil {
		return
	}
	if n.marked() != schema.NoTransition {
		r.dispute(n.at, "want no mark of immutability in metadata, which has rules of its own, found %s", n.marked())
	}
	for _, name := range n.names() {
		r.unmarked(n.properties[name])
	}
	r.unmarked(n.items)
	r.unmarked(n.additional)
}
