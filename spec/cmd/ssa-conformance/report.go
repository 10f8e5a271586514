// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/xml"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
)

// count returns how many cases of a group failed, and how many the implementation does not
// support.
func (o outcome) count(g cases.Group) (failed, unsupported int) {
	for _, c := range g.Cases {
		if o.failed[c.Name] != "" {
			failed++
		} else if o.unsupported[c.Name] != "" {
			unsupported++
		}
	}
	return failed, unsupported
}

func (o outcome) cell(g cases.Group) string {
	failed, unsupported := o.count(g)
	text := fmt.Sprintf("%d of %d", len(g.Cases)-failed-unsupported, len(g.Cases))
	if unsupported > 0 {
		text += fmt.Sprintf(", %d not supported", unsupported)
	}
	return text
}

// rows returns the rows of a report: one row for each level, one for each group of cases, and one
// for each rule. A row is itself a group of cases. A case that tests several rules is in the rows
// of all these rules.
func rows(groups []cases.Group) []cases.Group {
	levels, rules := map[string][]cases.Case{}, map[string][]cases.Case{}
	for _, g := range groups {
		for _, c := range g.Cases {
			level := fmt.Sprint("level ", c.Level)
			levels[level] = append(levels[level], c)
			for _, r := range c.Rules {
				rules["rule "+r] = append(rules["rule "+r], c)
			}
		}
	}
	return slices.Concat(sortedGroups(levels), groups, sortedGroups(rules))
}

func sortedGroups(by map[string][]cases.Case) (all []cases.Group) {
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, cases.Group{Name: name, Cases: by[name]})
	}
	return all
}

func writeText(w io.Writer, groups []cases.Group, outcomes []outcome) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "passed")
	for _, o := range outcomes {
		fmt.Fprint(t, "\t", o.name)
	}
	fmt.Fprintln(t)
	for _, g := range rows(groups) {
		fmt.Fprint(t, g.Name)
		for _, o := range outcomes {
			fmt.Fprint(t, "\t", o.cell(g))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if total, most := profiles(groups); most < total {
		fmt.Fprintf(w, "\nOf the %d cases of level 1, an implementation with one profile passes at most %d. The other %d are for the other profile (F9).\n", total, most, total-most)
	}
	for _, o := range outcomes {
		for _, g := range groups {
			for _, c := range g.Cases {
				if why := o.failed[c.Name]; why != "" {
					if _, err := fmt.Fprintf(w, "\n%s fails %s: %s\n  %s\n", o.name, c.Name, c.About, why); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// profiles returns the number of cases of level 1, and how many of them an implementation with only
// one profile can pass.
func profiles(groups []cases.Group) (total, most int) {
	of := map[model.Profile]int{}
	for _, g := range groups {
		for _, c := range g.Cases {
			if c.Level == 1 {
				of[c.Profile]++
				total++
			}
		}
	}
	common := of[""]
	delete(of, "")
	for _, n := range of {
		most = max(most, n)
	}
	return total, common + most
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Skipped *junitMessage `xml:"skipped"`
	Failure *junitMessage `xml:"failure"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
}

func writeJUnit(w io.Writer, groups []cases.Group, outcomes []outcome) error {
	var all junitSuites
	for _, o := range outcomes {
		for _, g := range groups {
			s := junitSuite{Name: o.name + "/" + g.Name, Tests: len(g.Cases)}
			s.Failures, s.Skipped = o.count(g)
			for _, c := range g.Cases {
				j := junitCase{Class: s.Name, Name: c.Name + ": " + c.About}
				if why := o.failed[c.Name]; why != "" {
					j.Failure = &junitMessage{why}
				} else if why := o.unsupported[c.Name]; why != "" {
					j.Skipped = &junitMessage{why}
				}
				s.Cases = append(s.Cases, j)
			}
			all.Suites = append(all.Suites, s)
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Server-side apply, compared</title>
<style>
body { font: 15px sans-serif; margin: 2em; color-scheme: light dark }
table { border-collapse: collapse } th, td { border: 1px solid gray; padding: .3em .6em; text-align: left; vertical-align: top }
td.bad { background: #c334 } code { white-space: pre-wrap; overflow-wrap: anywhere }
</style>
<h1>Server-side apply, compared</h1>
<table><tr><th>passed</th>{{range .Outcomes}}<th>{{.Name}}</th>{{end}}</tr>
{{range .Rows}}<tr><th>{{.Group}}</th>{{range .Cells}}<td{{if .Bad}} class="bad"{{end}}>{{.Text}}</td>{{end}}</tr>
{{end}}</table>
{{range .Outcomes}}{{if .Failures}}<h2>{{.Name}} fails</h2>
<table><tr><th>case</th><th>description</th><th>failure</th></tr>
{{range .Failures}}<tr><td>{{.Name}}</td><td>{{.About}}</td><td><code>{{.Why}}</code></td></tr>
{{end}}</table>
{{end}}{{end}}</html>
`))

func writeHTML(w io.Writer, groups []cases.Group, outcomes []outcome) error {
	type failure struct{ Name, About, Why string }
	type cell struct {
		Text string
		Bad  bool
	}
	type row struct {
		Group string
		Cells []cell
	}
	type column struct {
		Name     string
		Failures []failure
	}
	var data struct {
		Outcomes []column
		Rows     []row
	}
	for _, g := range rows(groups) {
		r := row{Group: g.Name}
		for _, o := range outcomes {
			failed, _ := o.count(g)
			r.Cells = append(r.Cells, cell{o.cell(g), failed > 0})
		}
		data.Rows = append(data.Rows, r)
	}
	for _, o := range outcomes {
		c := column{Name: o.name}
		for _, g := range groups {
			for _, k := range g.Cases {
				if why := o.failed[k.Name]; why != "" {
					c.Failures = append(c.Failures, failure{k.Name, k.About, why})
				}
			}
		}
		data.Outcomes = append(data.Outcomes, c)
	}
	return page.Execute(w, data)
}
