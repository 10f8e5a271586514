// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// The code that writes rules, policies, messages and reasons must handle every
// constraint. Every transition rule must have a constraint, because Translate would
// otherwise omit the transition rule silently.
func TestEveryConstraintIsHandled(t *testing.T) {
	n := &tree.Node{Kind: "object", Additional: &tree.Node{Kind: "string"}}
	part := func(text string) term {
		return term{text: text, notNull: call("has(", text, ")"), present: call("has(", text, ")")}
	}
	p := pair{part("self.a"), part("oldSelf.a")}
	seen := map[string]constraint{}
	for m := range constraintCount {
		func() {
			defer func() {
				if missing := recover(); missing != nil {
					t.Errorf("constraint %d: %v", m, missing)
				}
			}()
			b := &builder{translator: &translator{Translation: &Translation{}}, variables: map[string]int{}, hardSchemas: map[*tree.Node]bool{}}
			for who, text := range map[string]string{
				"a rule":   b.markerCondition(n, m, p).text,
				"a policy": (&policy{variables: map[string]int{}}).markerCondition(n, m, p).text,
			} {
				if other, ok := seen[who+text]; ok || text == "" {
					t.Errorf("constraint %d is %q in %s, and so is %d", m, text, who, other)
				}
				seen[who+text] = m
			}
			if m.message() == "" {
				t.Errorf("constraint %d has no message", m)
			}
			m.reason()
		}()
	}
	rules := map[string]string{}
	for _, transition := range graph.Transitions() {
		rule := transition.Rule()
		wants := fmt.Sprint(constraintsOf(rule.Extension))
		if other, ok := rules[wants]; ok || wants == "[]" {
			t.Errorf("%s has the constraints %s, and so has %s: it needs a constraint of its own", rule.Name, wants, other)
		}
		rules[wants] = rule.Name
	}
}
