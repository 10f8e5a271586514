// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"strings"
	"testing"
)

// TestTransitionRules checks that each rule has its own name in schemas, documents and Go
// comments. It must apply either to a value or to entries.
func TestTransitionRules(t *testing.T) {
	seen := map[string]bool{}
	for _, transition := range Transitions() {
		rule := transition.Rule()
		words := []string{"name " + rule.Name, "extension " + rule.Extension, "marker " + rule.Marker}
		if rule.NoMarker {
			words = words[:2]
		}
		for _, word := range words {
			if seen[word] {
				t.Errorf("%d: %s occurs twice", transition, word)
			}
			seen[word] = true
		}
		if rule.Name == "" || !strings.HasPrefix(rule.Extension, "x-kubernetes-") {
			t.Errorf("%d: %+v has no spelling", transition, rule)
		}
		entries := rule.NoneAdded || rule.NoneRemoved
		if rule.Whole == entries || rule.MaySet && !rule.Whole || rule.Sets && !entries {
			t.Errorf("%s: want a rule about a value or about entries: %+v", rule.Name, rule)
		}
	}
	if free := Free.Rule(); *Transition(200).Rule() != *free || free.Whole || free.NoneAdded || free.NoneRemoved || free.Name != "" {
		t.Errorf("Free forbids something: %+v", free)
	}
}
