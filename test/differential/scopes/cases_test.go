// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/spec/cases"
)

// TestCases generates the cases of spec and compares them with the files. With -update, it
// writes the files.
func TestCases(t *testing.T) {
	total := 0
	rules := existingRules(t)
	for _, k := range Kinds {
		t.Run(strings.ReplaceAll(k.Name, " ", "_"), func(t *testing.T) {
			g, err := k.Cases()
			if err != nil {
				t.Fatal(err)
			}
			total += len(g.Cases)
			keepRules(rules, &g)
			text, err := g.Write()
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("../../../spec/cases/testdata", g.Name+".json")
			if *update {
				if err := os.WriteFile(file, text, 0o644); err != nil {
					t.Fatal(err)
				}
			} else if is, err := os.ReadFile(file); err != nil || string(is) != string(text) {
				t.Errorf("%s is not up to date, run with -update (%v)", file, err)
			}
		})
	}
	t.Logf("%d cases", total)
}

// existingRules returns the rules of the cases in spec. The key is the group and the case
// without its name.
func existingRules(t *testing.T) map[string][]string {
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string][]string{}
	for _, old := range all {
		for _, c := range old.Cases {
			r := c.Rules
			c.Rules, c.Name = nil, ""
			rules[old.Name+compact(c)] = r
		}
	}
	return rules
}

// keepRules copies the rules of existing cases to new cases with the same content.
func keepRules(rules map[string][]string, g *cases.Group) {
	for i, c := range g.Cases {
		c.Name = ""
		g.Cases[i].Rules = rules[g.Name+compact(c)]
	}
}
