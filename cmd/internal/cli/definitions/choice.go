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

// ruleChoice selects the findings that the command reports. It selects by rule and by minimum
// severity.
type ruleChoice struct {
	all      []rules.Rule
	severity string
	rules    []string

	least         rules.Severity
	only, without map[string]bool
}

// bySeverity counts findings by severity.
type bySeverity [3]int

// notChosen counts the findings that the command does not report.
type notChosen struct {
	// excluded counts the findings whose rule is excluded with --rules=-RULE. The field below
	// counts the other findings that are not reported, usually because of their severity.
	excluded, below bySeverity
}

// add counts a finding.
func (n *notChosen) add(c *ruleChoice, rule string, severity rules.Severity) {
	if c.without[rule] {
		n.excluded[severity]++
	} else {
		n.below[severity]++
	}
}

// total returns the number of findings that the command does not report.
func (n *notChosen) total() (sum int) {
	for i := range n.below {
		sum += n.excluded[i] + n.below[i]
	}
	return sum
}

// write prints how many findings are not reported, separately for findings of excluded rules and
// for findings of low severity. It prints nothing if --rules lists the rules to report.
func (n *notChosen) write(r *command.Run, c *ruleChoice) {
	if len(c.only) > 0 {
		return
	}
	if n.excluded != (bySeverity{}) {
		fmt.Fprintln(r.Env.Stderr, "not shown: "+report.Severities(n.excluded)+" of rules that --rules does not select")
	}
	if n.below != (bySeverity{}) {
		fmt.Fprintln(r.Env.Stderr, "not shown: "+report.Severities(n.below)+" (--min-severity hint shows them)")
	}
}

func (c *ruleChoice) register(flags *pflag.FlagSet, all []rules.Rule) {
	c.all = all
	flags.StringVar(&c.severity, "min-severity", rules.Warning.String(), "lowest severity to report: error, warning, hint")
	command.OneOf(flags, "min-severity", "error", "warning", "hint")
	flags.StringSliceVar(&c.rules, "rules", nil, "report only these rules, of any severity; -RULE excludes a rule")
}

// parse parses the flags. The argument severityGiven reports whether the command line contains
// --min-severity. If it does not, and --rules lists the rules to report, the command reports
// findings of any severity.
func (c *ruleChoice) parse(severityGiven bool) (err error) {
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

// checkRule returns an error if none of the rules has the given ID.
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

// includes reports whether the command reports a finding that has the given rule and severity.
func (c *ruleChoice) includes(rule string, severity rules.Severity) bool {
	return severity >= c.least && !c.without[rule] && (len(c.only) == 0 || c.only[rule])
}

// includesMove reports whether the command reports an effect on a live object. --rules cannot hide
// an effect with the severity warning or error.
func (c *ruleChoice) includesMove(reason string, severity rules.Severity) bool {
	return severity >= c.least && (severity > rules.Hint || c.includes(reason, severity))
}

// split returns the findings that the command reports, and counts the others. If keep returns true
// for a finding, the finding is always reported.
func (c *ruleChoice) split(all []finding, keep func(*finding) bool) (counting []finding, others notChosen) {
	for i := range all {
		if c.includes(all[i].Rule, all[i].Severity) || keep(&all[i]) {
			counting = append(counting, all[i])
		} else {
			others.add(c, all[i].Rule, all[i].Severity)
		}
	}
	return counting, others
}

// withSeverity returns the finding with the severity of its rule. In an OpenAPI document, an error
// becomes a warning, because no server rejects the document.
func withSeverity(f finding, document bool) finding {
	rule, _ := rules.Lookup(f.Rule)
	f.Severity = rule.Severity
	if document {
		f.Severity = min(f.Severity, rules.Warning)
	}
	return f
}
