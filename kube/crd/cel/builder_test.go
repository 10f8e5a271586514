// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// Every meaning has its case in rules, policies, messages and reasons, and every transition
// rule has a meaning: what has none is not written, and nothing would say so.
func TestEveryMeaningIsHandled(t *testing.T) {
	n := &tree.Node{Kind: "object", Additional: &tree.Node{Kind: "string"}}
	part := func(text string) term {
		return term{text: text, there: says("has(", text, ")"), key: says("has(", text, ")")}
	}
	p := pair{part("self.a"), part("oldSelf.a")}
	seen := map[string]meaning{}
	for m := range allMeanings {
		func() {
			defer func() {
				if missing := recover(); missing != nil {
					t.Errorf("meaning %d: %v", m, missing)
				}
			}()
			b := &builder{translator: &translator{Translation: &Translation{}}, variables: map[string]int{}, hardness: map[*tree.Node]bool{}}
			for who, text := range map[string]string{
				"a rule":   b.own(n, m, p).text,
				"a policy": (&policy{variables: map[string]int{}}).own(n, m, p).text,
			} {
				if other, ok := seen[who+text]; ok || text == "" {
					t.Errorf("meaning %d is %q in %s, as is %d", m, text, who, other)
				}
				seen[who+text] = m
			}
			if m.message() == "" {
				t.Errorf("meaning %d has no message", m)
			}
			m.reason()
		}()
	}
	rules := map[string]string{}
	for _, transition := range graph.Transitions() {
		rule := transition.Rule()
		wants := fmt.Sprint(meanings(rule.Extension))
		if other, ok := rules[wants]; ok || wants == "[]" {
			t.Errorf("%s means %s, as does %s: it needs a meaning of its own", rule.Name, wants, other)
		}
		rules[wants] = rule.Name
	}
}
