// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"fmt"
	"path"
	"regexp"
	"slices"

	"sigs.k8s.io/yaml"
)

// Rule describes one kind of accepted difference. An empty CRD, At, Keyword, Ours or Theirs
// matches everything.
type Rule struct {
	// Reason explains why the generators differ. The results use Reason as the name of the
	// rule.
	Reason string `json:"reason"`
	// In lists the projects. A name may contain * as a wildcard.
	In []string `json:"in"`
	// CRD is the name of a file. It may contain * as a wildcard.
	CRD string `json:"crd,omitempty"`
	// At, Keyword, Ours and Theirs are regular expressions. They must match the complete path,
	// keyword or value of a [Difference].
	At      string `json:"at,omitempty"`
	Keyword string `json:"keyword"`
	Ours    string `json:"ours,omitempty"`
	Theirs  string `json:"theirs,omitempty"`
	Side    Side   `json:"side"`
	// The Facts of the difference must contain everything in Has, and nothing in HasNot.
	Has    []string `json:"has,omitempty"`
	HasNot []string `json:"hasNot,omitempty"`

	at, keyword, ours, theirs *regexp.Regexp
}

// Rules has all rules.
type Rules []*Rule

// ReadRules reads a list of rules.
func ReadRules(text []byte) (Rules, error) {
	var all Rules
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		return nil, fmt.Errorf("the list of differences: %w", err)
	}
	for i, r := range all {
		if r.Reason == "" || len(r.In) == 0 || r.Keyword == "" || !slices.Contains([]Side{Ours, Theirs, Both}, r.Side) {
			return nil, fmt.Errorf("difference number %d of the list: want a reason, projects, a keyword, and a side: ours, theirs or both", i+1)
		}
		for _, p := range append([]string{r.CRD}, r.In...) {
			if _, err := path.Match(p, ""); err != nil {
				return nil, fmt.Errorf("difference number %d of the list: the pattern %q: %w", i+1, p, err)
			}
		}
		for _, e := range []struct {
			text string
			into **regexp.Regexp
		}{{r.At, &r.at}, {r.Keyword, &r.keyword}, {r.Ours, &r.ours}, {r.Theirs, &r.theirs}} {
			if e.text == "" {
				continue
			}
			var err error
			if *e.into, err = regexp.Compile("^(?s:" + e.text + ")$"); err != nil {
				return nil, fmt.Errorf("difference number %d of the list: %w", i+1, err)
			}
		}
	}
	return all, nil
}

// Of reports whether the rule applies to the project.
func (r *Rule) Of(project string) bool {
	return slices.ContainsFunc(r.In, func(p string) bool { return matches(p, project) })
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil // ReadRules has checked the patterns, so there is no error
}

// Fits reports whether the rule accepts the difference.
func (r *Rule) Fits(d *Difference) bool {
	has := func(fact string) bool { return slices.Contains(d.Facts, fact) }
	fits := func(e *regexp.Regexp, text string) bool { return e == nil || e.MatchString(text) }
	return r.Of(d.Project) && r.Side == d.Side && (r.CRD == "" || matches(r.CRD, d.CRD)) &&
		fits(r.at, d.Path) && fits(r.keyword, d.Keyword) && fits(r.ours, d.Ours) && fits(r.theirs, d.Theirs) &&
		!slices.ContainsFunc(r.Has, func(f string) bool { return !has(f) }) && !slices.ContainsFunc(r.HasNot, has)
}

// Find returns the first rule that accepts the difference. It returns nil if no rule accepts it.
func (all Rules) Find(d *Difference) *Rule {
	if i := slices.IndexFunc(all, func(r *Rule) bool { return r.Fits(d) }); i >= 0 {
		return all[i]
	}
	return nil
}
