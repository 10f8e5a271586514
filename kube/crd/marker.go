// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// markers are the extensions that say a transition rule, which the API server does not
// know.
var markers = func() (all []string) {
	for _, t := range schema.Transitions() {
		all = append(all, t.Extension())
	}
	return all
}()

// immutable is the marker of the rule that others are measured by.
var immutable = schema.Immutable.Extension()

// ruleOf is the transition rule that a marker stands for.
func ruleOf(marker string) *graph.TransitionRule {
	for _, t := range graph.Transitions() {
		if rule := t.Rule(); rule.Extension == marker {
			return rule
		}
	}
	return graph.Free.Rule()
}

// marked returns the markers that are true, in the order of markers.
func (n *node) marked() []string {
	var all []string
	for _, m := range markers {
		if n.raw[m] == true {
			all = append(all, m)
		}
	}
	return all
}

// whole says whether n is marked with all that is in it.
func (n *node) whole() bool {
	return slices.ContainsFunc(n.marked(), func(marker string) bool { return ruleOf(marker).Whole })
}
