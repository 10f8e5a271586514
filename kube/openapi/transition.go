// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"

	"github.com/dovetail-ssa/dovetail/schema"
)

// marks are the vendor extensions of KEP-1101, its additions, and what is asked for
// beside it: each with what it means. They exclude one another.
var marks = []struct {
	name string
	is   schema.Transition
}{
	{"x-kubernetes-immutable", schema.Immutable},
	{"x-kubernetes-immutable-keys", schema.ImmutableKeys},
	{"x-kubernetes-addition-only", schema.AdditionOnly},
	{"x-kubernetes-deletion-only", schema.DeletionOnly},
	{"x-kubernetes-set-once", schema.SetOnce},
}

// transition reads the marks of a schema. A branch of an allOf has none of its own,
// unless it is there to put a mark beside a reference.
func (r *reader) transition(m map[string]any, at *place, branch bool) schema.Transition {
	var found schema.Transition
	var first string
	for _, mark := range marks {
		v, ok := m[mark.name]
		switch {
		case !ok:
		case v != true:
			r.fail(at.at(mark.name), "want true, which is the only value, found %s; leave it out to allow changes", shape(v))
		case branch && m["$ref"] == nil:
			r.dispute(at.at(mark.name), "want this at the schema around the allOf, found it in a branch, where it says nothing")
		case found != schema.NoTransition:
			r.fail(at, "want one of %s and %s, found both", first, mark.name)
		default:
			found, first = mark.is, mark.name
		}
	}
	return found
}

// entries reports a mark that is about entries, at what has none. What a reference leads
// to may be in another document.
func (r *reader) entries(n *node) {
	if n.target() != "" || n.transition == schema.NoTransition || n.transition == schema.Immutable || n.transition == schema.SetOnce {
		return
	}
	want := "additionalProperties or list type map"
	fits := (n.additional != nil || n.open) && n.mapType != "atomic" || n.listType == "map"
	if n.transition != schema.ImmutableKeys {
		want = "additionalProperties or list type map or set"
		fits = fits || n.listType == "set"
	}
	if !fits {
		r.dispute(n.at, "want %s, and no atomic map, for a mark about entries, which is %s", want, n.transition)
	}
}

// marked returns the transition of n itself, or that of the reference which it
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

// unmarked reports marks at and below n, which the API server takes the place of.
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
