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

// choice selects the findings that count, by rule and minimum severity.
type choice struct {
	all      []rules.Rule
	severity string
	rules    []string

	least         rules.Severity
	only, without map[string]bool
}

// bySeverity has numbers of findings by severity.
type bySeverity [3]int

// notChosen has the numbers of findings that do not count.
type notChosen struct {
	// excluded are findings of rules that --rules=-RULE leaves out. below are all others.
	excluded, below bySeverity
}

// add adds a finding.
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

// write prints the numbers of findings with lower severities and of excluded rules. It prints nothing
// if --rules selects rules.
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

func (c *choice) register(flags *pflag.FlagSet, all []rules.Rule) {
	c.all = all
	flags.StringVar(&c.severity, "min-severity", rules.Warning.String(), "lowest severity to report: error, warning, hint")
	command.OneOf(flags, "min-severity", "error", "warning", "hint")
	flags.StringSliceVar(&c.rules, "rules", nil, "report only these rules, with any severity; -RULE excludes a rule")
}

// parse parses the flags. severityGiven reports whether --min-severity is given. If it is not, rules
// that --rules selects count with any severity.
func (c *choice) parse(severityGiven bool) (err error) {
	if c.least, err = rules.ParseSeverity(c.severity); err != nil {
		return command.Usagef("--min-severity: %v", err)
	}
	c.only, c.without = map[string]bool{}, map[string]bool{}
	for _, name := range c.rules {
		id, exclude := strings.CutPrefix(name, "-")
		if err := checkRule(id, c.all); err != nil {
			return command.Usagef("--rules: %v", err)
		}
		if exclude {
			c.without[id] = true
		} else {
			c.only[id] = true
		}
	}
	if len(c.only) > 0 && !severityGiven {
		c.least = rules.Hint
	}
	return nil
}

// checkRule returns an error if no rule has the id.
func checkRule(id string, all []rules.Rule) error {
	var ids []string
	for _, r := range all {
		if r.ID == id {
			return nil
		}
		ids = append(ids, r.ID)
	}
	return fmt.Errorf("there is no rule %q%s", id, words.DidYouMean(suggest.Nearest(id, ids)))
}

// includes reports whether findings of a rule with a severity count.
func (c *choice) includes(rule string, severity rules.Severity) bool {
	return severity >= c.least && !c.without[rule] && (len(c.only) == 0 || c.only[rule])
}

// includesMove reports whether an effect on a live object counts. --rules selects only among effects
// that are hints.
func (c *choice) includesMove(reason string, severity rules.Severity) bool {
	return severity >= c.least && (severity > rules.Hint || c.includes(reason, severity))
}

// split returns the findings that count, and the numbers of the others.
func (c *choice) split(all []finding) (counting []finding, others notChosen) {
	for i := range all {
		if c.includes(all[i].Rule, all[i].Severity) {
			counting = append(counting, all[i])
		} else {
			others.add(c, all[i].Rule, all[i].Severity)
		}
	}
	return counting, others
}

// withSeverity returns a finding with the severity of its rule. In an OpenAPI document, which no
// server rejects, an error becomes a warning.
func withSeverity(f finding, document bool) finding {
	rule, _ := rules.Lookup(f.Rule)
	f.Severity = rule.Severity
	if document {
		f.Severity = min(f.Severity, rules.Warning)
	}
	return f
}
