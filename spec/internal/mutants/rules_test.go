// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/spec/cases"
)

const module = "../.."

var update = flag.Bool("update", false, "write the rules of the cases, and missing results")

// TestRules breaks each rule in the model. A case that lists this rule must fail.
func TestRules(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(module, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\*\*([A-Z]\d+)\.\*\*`).FindAllStringSubmatch(string(text), -1) {
		open[m[1]] = true
	}
	sources, err := Sources(module)
	if err != nil {
		t.Fatal(err)
	}
	breaks, err := Broken(sources)
	if err != nil {
		t.Fatal(err)
	}
	var changes []Change
	for _, b := range breaks {
		if !open[b.Rule] {
			t.Fatalf("spec/README.md has no rule %s", b.Rule)
		}
		changes = append(changes, b.Change)
	}
	groups, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		fill(t, groups)
	}
	p, err := Build(module, changes)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	naming := map[string]string{}
	for _, g := range groups {
		for _, c := range g.Cases {
			for _, r := range c.Rules {
				naming[r] += " " + c.Name
			}
		}
	}
	ask := map[int]string{}
	for i, b := range breaks {
		if p.Refused[i] {
			t.Errorf("%s: %s: does not compile", b.Rule, b.What)
		} else if ask[i] = naming[b.Rule]; *update {
			ask[i] = "all"
		} else if ask[i] == "" {
			t.Errorf("no case lists rule %s", b.Rule)
			delete(ask, i)
		}
	}
	failed, err := p.Run(ask)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ask {
		if len(failed[i]) == 0 {
			t.Errorf("a change breaks rule %s, but no case fails: %s", breaks[i].Rule, breaks[i].What)
		}
		delete(open, breaks[i].Rule)
	}
	if len(open) > 0 {
		t.Errorf("broken.txt has no change for the rules %q", slices.Sorted(maps.Keys(open)))
	}
	if *update {
		name(t, groups, breaks, failed)
	}
	t.Logf("%d changes that break a rule", len(ask))
}

// fill adds the model's answers to cases that have no expected answer yet.
func fill(t *testing.T, groups []cases.Group) {
	for _, g := range groups {
		m, err := g.Model()
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range g.Cases {
			if w := c.Want; w.Object == nil && w.Conflicts == nil && w.Document == nil && w.Error == "" {
				g.Cases[i].Want = m.Answer(c)
			}
		}
	}
	write(t, groups)
}

// name adds rules to the cases. A case gets each rule whose break makes the case fail.
func name(t *testing.T, groups []cases.Group, breaks []Break, failed map[int][]string) {
	rules := map[string][]string{}
	for i, b := range breaks {
		t.Logf("%4d %s: %s", len(failed[i]), b.Rule, b.What)
		for _, c := range failed[i] {
			rules[c] = append(rules[c], b.Rule)
		}
	}
	for _, g := range groups {
		for i, c := range g.Cases {
			slices.Sort(rules[c.Name])
			g.Cases[i].Rules = slices.Compact(rules[c.Name])
		}
	}
	write(t, groups)
}

func write(t *testing.T, groups []cases.Group) {
	for _, g := range groups {
		text, err := g.Write()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(module, "cases/testdata", strings.ToLower(g.Name)+".json"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
