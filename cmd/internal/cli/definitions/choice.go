// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
)

// choice is which findings count: those of some rules, from a severity on.
type choice struct {
	all      []rules.Rule
	severity string
	rules    []string

	least         rules.Severity
	only, without map[string]bool
}

// bySeverity are numbers of findings.
type bySeverity [3]int

// notChosen counts the findings that do not count.
type notChosen struct {
	// excluded are of rules that --rules=-RULE leaves out, and below are other findings.
	excluded, below bySeverity
}

// add counts a finding that does not count.
func (n *notChosen) add(c *choice, rule string, severity rules.Severity) {
	if c.without[rule] {
		n.excluded[severity]++
	} else {
		n.below[severity]++
	}
}

// total returns the number of findings.
func (n *notChosen) total() (sum int) {
	for i := range n.below {
		sum += n.excluded[i] + n.below[i]
	}
	return sum
}

// write reports how many findings of lower severities and of excluded rules there are. It writes
// nothing if only some rules were asked for.
func (n *notChosen) write(r *command.Run, c *choice) {
	if len(c.only) > 0 {
		return
	}
	if n.excluded != (bySeverity{}) {
		fmt.Fprintln(r.Env.Stderr, "not shown: "+report.Severities(n.excluded)+" of rules that --rules leaves out")
	}
	if n.below != (bySeverity{}) {
		fmt.Fprintln(r.Env.Stderr, "not shown: "+report.Severities(n.below)+" (--min-severity hint shows them)")
	}
}

// hidden counts findings that do not count.
type hidden struct {
	// Choice are those of other rules or a lower severity.
	Choice int `json:"choice"`
	// Ignored are those that comments name.
	Ignored int `json:"ignored"`
	// Baseline are those in the baseline.
	Baseline int `json:"baseline"`
}

func (c *choice) register(flags *pflag.FlagSet, all []rules.Rule) {
	c.all = all
	flags.StringVar(&c.severity, "min-severity", rules.Warning.String(), "lowest severity that is shown and counts: error, warning, hint")
	command.OneOf(flags, "min-severity", "error", "warning", "hint")
	flags.StringSliceVar(&c.rules, "rules", nil, "only these rules, of any severity; -RULE leaves out a rule")
}

// read reads the flags. given says that a severity was asked for.
func (c *choice) read(given bool) (err error) {
	if c.least, err = rules.ParseSeverity(c.severity); err != nil {
		return command.Usagef("--min-severity: %v", err)
	}
	c.only, c.without = map[string]bool{}, map[string]bool{}
	for _, name := range c.rules {
		id, leave := strings.CutPrefix(name, "-")
		if err := knownRule(id, c.all); err != nil {
			return command.Usagef("--rules: %v", err)
		}
		if leave {
			c.without[id] = true
		} else {
			c.only[id] = true
		}
	}
	if len(c.only) > 0 && !given {
		c.least = rules.Hint
	}
	return nil
}

// knownRule returns an error about an id that no rule has.
func knownRule(id string, all []rules.Rule) error {
	var ids []string
	for _, r := range all {
		if r.ID == id {
			return nil
		}
		ids = append(ids, r.ID)
	}
	return fmt.Errorf("there is no rule %q%s", id, words.DidYouMean(suggest.Nearest(id, ids)))
}

// has says whether a finding counts.
func (c *choice) has(rule string, severity rules.Severity) bool {
	return severity >= c.least && !c.without[rule] && (len(c.only) == 0 || c.only[rule])
}

// split returns the findings that count, and how many do not.
func (c *choice) split(all []finding) (some []finding, others notChosen) {
	for i := range all {
		if c.has(all[i].Rule, all[i].Severity) {
			some = append(some, all[i])
		} else {
			others.add(c, all[i].Rule, all[i].Severity)
		}
	}
	return some, others
}

// severe is a finding of a rule with its severity. In OpenAPI documents, which no server
// refuses, there are no errors.
func severe(f finding, document bool) finding {
	rule, _ := rules.Lookup(f.Rule)
	f.Severity = rule.Severity
	if document {
		f.Severity = min(f.Severity, rules.Warning)
	}
	return f
}
