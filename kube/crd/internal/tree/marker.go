// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Markers are the extensions that say a transition rule, which the API server does not
// know.
var Markers = func() (all []string) {
	for _, t := range schema.Transitions() {
		all = append(all, t.Extension())
	}
	return all
}()

// Immutable is the marker of the rule that others are measured by.
var Immutable = schema.Immutable.Extension()

// RuleOf is the transition rule that a marker stands for.
func RuleOf(marker string) *graph.TransitionRule {
	for _, t := range graph.Transitions() {
		if rule := t.Rule(); rule.Extension == marker {
			return rule
		}
	}
	return graph.Free.Rule()
}

// Marked returns the markers that are true, in the order of markers.
func (n *Node) Marked() []string {
	var all []string
	for _, m := range Markers {
		if n.Raw[m] == true {
			all = append(all, m)
		}
	}
	return all
}

// Whole says whether n is marked with all that is in it.
func (n *Node) Whole() bool {
	return slices.ContainsFunc(n.Marked(), func(marker string) bool { return RuleOf(marker).Whole })
}
