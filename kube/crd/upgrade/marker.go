// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// removedRule is a CEL rule with oldSelf that the new definition no longer has. host is the old schema
// with the rule, and about is the path of the field that the rule protects. If dovetail cel did not
// generate the rule, about is the path of host.
type removedRule struct {
	tree.Rule
	host  *tree.Node
	about string
	// marked is true if the new definition has a marker for this field.
	marked bool
}

var oldSelf = regexp.MustCompile(`\boldSelf\b`)

// generatedFrom returns the marker from which dovetail cel generated a rule. It returns "" for all
// other rules, and for a generated rule that someone changed so that it ignores the old value.
func generatedFrom(r tree.Rule) (marker string) {
	if oldSelf.MatchString(r.Text) {
		marker = tree.GeneratedFrom(r.Text)
	}
	return marker
}

// hasGenerated reports whether host has a generated rule that forbids the same changes as the
// generated rule r, or all changes. It compares only the markers and the fields of the rules, because
// the texts also depend on the bounds of the schema and on the options of dovetail cel.
func hasGenerated(host *tree.Node, r tree.Rule) bool {
	return slices.ContainsFunc(host.Rules, func(s tree.Rule) bool {
		marker := generatedFrom(s)
		return s.Field == r.Field && (marker == generatedFrom(r) || marker == tree.Immutable && !isAboutParts(host, r.Field))
	})
}

// isAboutParts reports whether a generated rule of host, which has the given fieldPath, may be only
// about some fields inside a list or map.
func isAboutParts(host *tree.Node, field string) bool {
	return field == "" && (host.Kind == "array" || host.Additional != nil)
}

// fieldOfRule returns the name of the field of host that a generated rule is about. It returns "" if
// the rule is about host itself, or if the rule was not generated.
func fieldOfRule(host *tree.Node, r tree.Rule) string {
	for name := range host.Properties {
		if generatedFrom(r) != "" && r.Field == tree.FieldPath(name) {
			return name
		}
	}
	return ""
}

// describeRule names a rule in a message. It names the marker of a generated rule, and shows the text
// of every other rule.
func describeRule(r tree.Rule) string {
	if marker := generatedFrom(r); marker != "" {
		return "the rule generated from " + marker
	}
	return "the rule " + tree.Shorten(r.Text, tree.MaxValue)
}

// removedTransitionRules returns the rules with oldSelf that the old schema (a) has, and that do not
// follow from the rules of the new schema (b). Both schemas have the given path. It skips a rule whose
// fields were all removed.
func (c *comparison) removedTransitionRules(path string, a, b *tree.Node) (removed []*removedRule) {
	var gone, kept []field
	for name, n := range a.Properties {
		if b.Properties[name] == nil {
			gone = append(gone, field{name: name, node: n})
		} else {
			kept = append(kept, field{name: name, node: n})
		}
	}
	for _, r := range a.Rules {
		same := func(s tree.Rule) bool { return s.Text == r.Text }
		if !oldSelf.MatchString(r.Text) || slices.ContainsFunc(b.Rules, same) || generatedFrom(r) != "" && hasGenerated(b, r) || readFields(r, a, gone) != nil && readFields(r, a, kept) == nil || c.follows(r, b.Rules, a, b) {
			continue
		}
		about := path
		if name := fieldOfRule(a, r); name != "" {
			about += "." + name
		}
		removed = append(removed, &removedRule{Rule: r, host: a, about: about})
	}
	return removed
}

// reportRemoved reports the removed rules, except those that the method markers has reported.
func (c *comparison) reportRemoved(removed []*removedRule) {
	for _, r := range removed {
		switch marker := generatedFrom(r.Rule); {
		case r.marked:
		case marker != "":
			c.addRemoved(r.At, r.about, "immutability", tree.RuleOf(marker).Name, "%s was removed: updates may change the field", describeRule(r.Rule))
		default:
			c.addRemoved(r.At, r.about, "rule-removed", r.Text, "%s was removed: updates that break it are now accepted", describeRule(r.Rule))
		}
	}
}

// fixedByRule reports whether a rule on host, which dovetail cel generated, makes n immutable. field is
// the fieldPath of n in host, or "" if n is host. fixedByRule ignores a schema with a marker, because
// another check compares the defaults of marked schemas. It also ignores a rule on a list or map
// without a fieldPath, because the rule may be only about some fields inside.
func fixedByRule(host, n *tree.Node, field string) bool {
	if n.MarkedWhole() || isAboutParts(n, field) {
		return false
	}
	return slices.ContainsFunc(host.Rules, func(r tree.Rule) bool {
		return r.Field == field && tree.RuleOf(tree.GeneratedFrom(r.Text)).Whole
	})
}

// markers reports a field with an immutability marker, if a CEL rule about the field was removed.
// Released API servers ignore the marker, so without the rule they accept more updates than before.
func (c *comparison) markers(path string, a, b *tree.Node) {
	for _, marker := range b.Marked() {
		for _, r := range slices.Backward(c.removed) {
			name := path[strings.LastIndex(path, ".")+1:]
			if !strings.HasPrefix(path, r.about) || a != r.host && readFields(r.Rule, r.host, []field{{path, name, a}}) == nil {
				continue // the rule is about another field
			}
			r.marked = true
			c.add(b.At.At(marker), path, "immutability", r.Text, marker, "%s was removed, and released API servers ignore %s: without the rule they accept updates that change the field; keep the rule next to the marker, or let dovetail cel generate a rule", describeRule(r.Rule), marker)
			break
		}
	}
}
