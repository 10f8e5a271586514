// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Ssa-conformance runs the cases of server-side apply by any implementation.
//
//	ssa-conformance 'mine=./my-implementation --json'
//	ssa-conformance -run '^items' -o junit 'mine=…' > junit.xml
//	ssa-conformance -o html 'one=…' 'two=…' > compared.html
//
// An implementation is a command. It is given a request a line on its standard input, and
// writes an answer a line, in the same order:
//
//	{"name":"items-007","schema":{…},"openapi":{…},"op":"apply","manager":"m1","force":false,
//	 "live":{…},"owners":[{"manager":"m2","applied":true,"fieldsV1":{…}}],"object":{…}}
//	{"name":"items-007","object":{…},"owners":[…]}
//	{"name":"items-008","conflicts":[{"manager":"m2","path":["f:l","k:{\"k\":\"a\"}","f:v"]}]}
//	{"name":"items-009","error":"what went wrong"}
//	{"name":"items-010","unsupported":"why"}
//
// What is not said of a version is v1; versions has the others of a group. The words of errors say nothing. At level 1 it is a
// document of FieldsV1, which is written again, in a profile if one is asked for:
//
//	{"name":"codec-007","op":"codec","document":"{\"f:a\":{\".\":{}}}","profile":"v7"}
//	{"name":"codec-007","document":"{\"f:a\":{}}"}
//
// At level 3 objects have their metadata.managedFields in them, and live is left out if there is none yet. The request goes to
// an endpoint, at a time; what the endpoint sets back is FieldsV1. Names of managers are enough in conflicts:
//
//	{"name":"managed-011","level":3,"op":"update","manager":"a","version":"v1","subresource":"status",
//	 "untracked":{"f:spec":{}},"now":"2024-05-01T10:00:30Z","live":{…},"object":{…}}
//	{"name":"managed-011","object":{"apiVersion":"v1","kind":"K","metadata":{"managedFields":[…]},…}}
//
// An implementation that looks at another clock writes now in place of what that says.
//
// spec/README.md has the rules. The status is 1 if a case fails.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/dovetail-ssa/dovetail/spec/cases"
)

func main() {
	run := flag.String("run", ".", "cases to run, a `regexp` of their names")
	format := flag.String("o", "text", "`form` of the report: text, junit or html")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: ssa-conformance [flags] NAME=COMMAND...")
		flag.PrintDefaults()
	}
	flag.Parse()
	failed, err := conform(os.Stdout, *run, *format, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "ssa-conformance:", err)
		os.Exit(3)
	}
	if failed {
		os.Exit(1)
	}
}

var reports = map[string]func(io.Writer, []cases.Group, []outcome) error{"text": writeText, "junit": writeJUnit, "html": writeHTML}

func conform(w io.Writer, run, format string, commands []string) (failed bool, err error) {
	wanted, err := regexp.Compile(run)
	if err != nil {
		return false, fmt.Errorf("-run: %w", err)
	}
	report := reports[format]
	if report == nil {
		return false, fmt.Errorf("-o: %q, want text, junit or html", format)
	}
	if len(commands) == 0 {
		return false, fmt.Errorf("which implementation? NAME=COMMAND")
	}
	all, err := cases.All()
	if err != nil {
		return false, err
	}
	var groups []cases.Group
	for _, g := range all {
		some := g
		some.Cases = nil
		for _, c := range g.Cases {
			if wanted.MatchString(c.Name) {
				some.Cases = append(some.Cases, c)
			}
		}
		if len(some.Cases) > 0 {
			groups = append(groups, some)
		}
	}
	if len(groups) == 0 {
		return false, fmt.Errorf("no case is called %q", run)
	}
	var outcomes []outcome
	for _, c := range commands {
		name, command, ok := strings.Cut(c, "=")
		if !ok || strings.TrimSpace(command) == "" {
			return false, fmt.Errorf("%q, want NAME=COMMAND", c)
		}
		o, err := ask(name, strings.Fields(command), groups)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		outcomes = append(outcomes, o)
		failed = failed || len(o.failed) > 0
	}
	return failed, report(w, groups, outcomes)
}
