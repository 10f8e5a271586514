// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// removedRule is a CEL rule with oldSelf that the new definition no longer has. It contains the path
// of the schema with the rule, and the text of the rule.
type removedRule struct{ path, text string }

var oldSelf = regexp.MustCompile(`\boldSelf\b`)

// removedTransitionRules returns the rules with oldSelf that the old schema has and the new schema
// lacks. Both schemas have the given path.
func removedTransitionRules(path string, old, now *tree.Node) (removed []removedRule) {
	for _, r := range old.Rules {
		if oldSelf.MatchString(r.Text) && !slices.ContainsFunc(now.Rules, func(s tree.Rule) bool { return s.Text == r.Text }) {
			removed = append(removed, removedRule{path, r.Text})
		}
	}
	return removed
}

// fixedByRule reports whether a rule on host, which dovetail cel generated, makes n immutable. field is
// the fieldPath of n in host, or "" if n is host. fixedByRule ignores a schema with a marker, because
// another check compares the defaults of marked schemas. It also ignores a rule on a list or map
// without a fieldPath, because the rule may be only about some fields inside.
func fixedByRule(host, n *tree.Node, field string) bool {
	if n.MarkedWhole() || field == "" && (n.Kind == "array" || n.Additional != nil) {
		return false
	}
	return slices.ContainsFunc(host.Rules, func(r tree.Rule) bool {
		return r.Field == field && tree.RuleOf(tree.GeneratedFrom(r.Text)).Whole
	})
}

// markers reports a new immutability marker that replaces a CEL rule. Released API servers
// ignore the marker, so without the rule they accept more updates than before.
func (c *comparison) markers(path string, a, b *tree.Node) {
	for _, marker := range b.Marked() {
		if a.Raw[marker] == true {
			continue
		}
		for _, r := range slices.Backward(c.removed) {
			below := strings.TrimPrefix(path, r.path)
			names := strings.FieldsFunc(below, func(c rune) bool { return strings.ContainsRune(".[]*", c) })
			if slices.ContainsFunc(names, func(name string) bool { return !strings.Contains(r.text, name) }) {
				continue // the rule is about another field
			}
			c.add(b.At.At(marker), path, "immutability", r.text, marker, "%s replaces the rule %s, but released API servers ignore the marker: without the rule they accept updates that change the field; keep the rule next to the marker, or let dovetail cel generate a rule", marker, tree.Shorten(r.text, tree.MaxValue))
			break
		}
	}
}
