// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Markers lists the schema extensions that declare transition rules, such as
// x-kubernetes-immutable. API servers ignore them.
var Markers = func() (all []string) {
	for _, t := range schema.Transitions() {
		all = append(all, t.Extension())
	}
	return all
}()

// Immutable is the marker for a value that can never change.
var Immutable = schema.Immutable.Extension()

// RuleOf returns the transition rule of a marker, which says how an update may change the value. Every
// other keyword has the rule that allows all changes.
func RuleOf(marker string) *graph.TransitionRule {
	for _, t := range graph.Transitions() {
		if rule := t.Rule(); rule.Extension == marker {
			return rule
		}
	}
	return graph.Free.Rule()
}

// Signature starts the comment at the end of each rule that package kube/crd/cel generates. The name
// of the marker follows. API servers store the comment, because it is part of the rule's text.
const Signature = " // dovetail: "

// GeneratedFrom returns the marker from which package kube/crd/cel generated a rule. It returns "" for
// every other rule.
func GeneratedFrom(rule string) (marker string) {
	if _, marker, _ = strings.Cut(rule, Signature); slices.Contains(Markers, marker) {
		return marker
	}
	return ""
}

// FieldPath returns the path of a property in the syntax of x-kubernetes-validations.
func FieldPath(name string) string {
	if IsWord(name) && !strings.Contains(name, "$") {
		return "." + name
	}
	return "['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name) + "']"
}

// Marked returns the markers that are set to true on n, in the order of Markers.
func (n *Node) Marked() []string {
	var all []string
	for _, m := range Markers {
		if n.Raw[m] == true {
			all = append(all, m)
		}
	}
	return all
}

// MarkedWhole reports whether n has a marker that applies to the whole value, such as
// x-kubernetes-immutable. Other markers apply only to the keys of the value.
func (n *Node) MarkedWhole() bool {
	return slices.ContainsFunc(n.Marked(), func(marker string) bool { return RuleOf(marker).Whole })
}
