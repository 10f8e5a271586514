// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Summary has the results of several projects.
type Summary struct {
	rules    Rules
	complete bool
	rows     []*Row
	byRule   map[*Rule]map[string]int // the number of differences of each rule, by project
	unlisted []*Difference
}

// Row has the results of one project.
type Row struct {
	Project     *Project
	Nodes, CRDs int
	Implied     int // number of defaults that follow from Go types
	Differences []*Difference
	Acceptance  *Acceptance
	Status      int // exit status of dovetail-gen
}

// NewSummary returns an empty summary. If complete is true, the caller must add all projects, and
// Wrong also reports rules for projects that do not exist.
func NewSummary(rules Rules, complete bool) *Summary {
	return &Summary{rules: rules, complete: complete, byRule: map[*Rule]map[string]int{}}
}

// Add adds the results for a project.
func (s *Summary) Add(o *Output) (*Row, error) {
	c, err := Compare(o)
	if err != nil {
		return nil, err
	}
	r := &Row{Project: o.Project, Nodes: c.Nodes, CRDs: len(o.Ours), Differences: c.Differences, Status: o.Ran.Ours.Status}
	implied, wrong, err := Implied(o)
	if err != nil {
		return nil, err
	}
	r.Implied, r.Acceptance = implied, Accept(o)
	r.Differences = slices.Concat(r.Differences, wrong, r.Acceptance.Differences)
	if r.Status == refusedAll {
		r.Differences = append(r.Differences, &Difference{Project: o.Project.Name, Keyword: "refused", Side: Ours, Ours: o.Ran.Ours.Stderr})
	}
	for _, d := range r.Differences {
		rule := s.rules.Find(d)
		if rule == nil {
			s.unlisted = append(s.unlisted, d)
			continue
		}
		if s.byRule[rule] == nil {
			s.byRule[rule] = map[string]int{}
		}
		s.byRule[rule][d.Project]++
	}
	s.rows = append(s.rows, r)
	return r, nil
}

// refusedAll is dovetail-gen's exit status if it wrote nothing because of errors.
const refusedAll = 3

// Wrong describes the differences that no rule accepts. It also describes each rule that
// accepts no difference in one of its projects, if this project was added.
func (s *Summary) Wrong() (all []string) {
	for _, d := range s.unlisted {
		all = append(all, "not listed: "+d.String())
	}
	ran := func(name string) bool {
		return slices.ContainsFunc(s.rows, func(r *Row) bool { return r.Project.Name == name })
	}
	for i, r := range s.rules {
		for _, name := range r.In {
			often := s.byRule[r][name]
			if strings.Contains(name, "*") {
				often = len(s.byRule[r])
			}
			if often == 0 && (s.complete || ran(name)) {
				all = append(all, fmt.Sprintf("entry %d does not occur in %s: %s", i+1, name, r.Reason))
			}
		}
	}
	return all
}

func (r *Row) String() string {
	a := r.Acceptance
	return fmt.Sprintf("%s %s: %d CRDs, %d nodes of schemas, %d differences; %d of %d accepted (%d with CEL rules), %d rejected like controller-gen's; %d implied defaults; status %d",
		r.Project.Name, r.Project.Version(), r.CRDs, r.Nodes, len(r.Differences), a.Accepted, a.CRDs, a.Translated, len(a.AsTheirs), r.Implied, r.Status)
}

// Markdown returns the results as a Markdown document.
func (s *Summary) Markdown(versions string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# dovetail-gen compared with controller-gen

This page shows the last run of `+"`go run ./cmd/beside -results RESULTS.md`"+` with %s. Both
generators read the Go types of the same projects and write CRDs.

The first table counts the results of each project. The run compares all schemas that both generators write. The section
[Differences](#differences) explains each difference between the CRDs.

dovetail-gen writes each CRD twice: with and without the defaults that follow from Go types. For example, a project with
6 CRDs has 12 CRD files. The last column of the table says how many of these files an API server accepts. An accepted
file decodes strictly as apiextensions.k8s.io/v1, and passes the server's validation.

| project | version | CRDs | compared schemas | differences between the two generators | CRD files that an API server accepts (two for each CRD: with and without defaults of Go types) |
|---|---|---|---|---|---|
`, versions)
	crds, nodes, differences, accepted, asked, translated, implied := 0, 0, 0, 0, 0, 0, 0
	var incomplete []string
	for _, r := range s.rows {
		a := r.Acceptance
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d of %d |\n", r.Project.Name, r.Project.Version(), r.CRDs, r.Nodes, len(r.Differences), a.Accepted, a.CRDs)
		crds, nodes, differences, implied = crds+r.CRDs, nodes+r.Nodes, differences+len(r.Differences), implied+r.Implied
		accepted, asked, translated = accepted+a.Accepted, asked+a.CRDs, translated+a.Translated
		if r.Status != 0 {
			incomplete = append(incomplete, r.Project.Name)
		}
	}
	fmt.Fprintf(&b, "| all projects | | %d | %d | %d | %d of %d |\n", crds, nodes, differences, accepted, asked)
	fmt.Fprintf(&b, "\nIn the CRDs of dovetail-gen, %d defaults follow from Go types, not from markers. %d CRDs have markers such as\n`x-kubernetes-immutable`. Before validation, the run converts these markers to CEL rules, as `dovetail cel` does.\n", implied, translated)
	if len(incomplete) > 0 {
		fmt.Fprintf(&b, "\nIn these projects, dovetail-gen could not write the CRDs of some kinds. It wrote the CRDs of all other kinds, and exited\nwith status 2: %s.\n", strings.Join(incomplete, ", "))
	}
	b.WriteString("\n## Differences\n\nEach row of the table explains one kind of difference: a keyword or part of a CRD that only one generator writes, or\nthat both generators write with different values. The first column has a regular expression for the keyword or part.\n\n| regular expression for the keyword or part of the CRD that differs | generator that writes it | reason for the difference | number of differences in each project |\n|---|---|---|---|\n")
	for _, r := range s.rules {
		var often []string
		for _, name := range slices.Sorted(maps.Keys(s.byRule[r])) {
			often = append(often, fmt.Sprintf("%s %d", name, s.byRule[r][name]))
		}
		who := map[Side]string{Ours: "dovetail-gen", Theirs: "controller-gen", Both: "both, with different values"}[r.Side]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", strings.ReplaceAll(r.Keyword, "|", "\\|"), who, r.Reason, strings.Join(often, ", "))
	}
	b.WriteString("\n## CRDs that the API server rejects from both generators\n\nThe API server rejects each of these CRDs from both generators, with the same messages. Below the name of each CRD,\nthe list shows the messages:\n\n")
	var refused []string
	for _, r := range s.rows {
		for _, said := range r.Acceptance.AsTheirs {
			project, said, _ := strings.Cut(said, ": ")
			crd, said, _ := strings.Cut(said, ": ")
			refused = append(refused, fmt.Sprintf("* The CRD `%s` of %s:\n  * %s\n", crd, project, strings.ReplaceAll(said, "; ", "\n  * ")))
		}
	}
	for _, line := range slices.Compact(refused) {
		b.WriteString(line)
	}
	return b.String()
}
