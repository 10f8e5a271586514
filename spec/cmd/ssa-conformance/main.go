// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Ssa-conformance runs the test cases for server-side apply on any implementation.
//
//	ssa-conformance 'mine=./my-implementation --json'
//	ssa-conformance -run '^items' -o junit 'mine=…' > junit.xml
//	ssa-conformance -o html 'one=…' 'two=…' > compared.html
//
// An implementation is a command or, for the stories, the URL of a server. The command is split
// at spaces, and quotes have no effect, so write a script for a command with other needs:
//
//	ssa-conformance 'mine=http://127.0.0.1:8080'
//	ssa-conformance -ca ca.crt -token SECRET 'cluster=https://10.0.0.1:6443'
//
// The file spec/cases/README.md explains the format of the cases, and of the requests and answers
// that a command reads and writes. spec/README.md contains the rules. The exit status is 1 if a
// case fails.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/spec/cases"
)

func main() {
	var j job
	flag.StringVar(&j.run, "run", ".", "run only the cases whose names match this `regexp`")
	flag.StringVar(&j.format, "o", "text", "`format` of the report: text, junit or html")
	flag.StringVar(&j.access.token, "token", "", "bearer `token` for servers")
	flag.StringVar(&j.access.authority, "ca", "", "`file` with the certificate authority of servers")
	flag.BoolVar(&j.access.insecure, "insecure", false, "accept any server certificate, for test servers")
	flag.StringVar(&j.access.certificate, "cert", "", "`file` with a client certificate; needs -key")
	flag.StringVar(&j.access.key, "key", "", "`file` with the key of -cert")
	flag.StringVar(&j.records, "record", "", "write the stories, with the responses of the last server, to this `directory`; for authors of cases")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: ssa-conformance [flags] NAME=COMMAND|NAME=URL...")
		fmt.Fprintln(flag.CommandLine.Output(), "COMMAND is split at spaces, and quotes have no effect.")
		flag.PrintDefaults()
	}
	flag.Parse()
	failed, err := j.conform(os.Stdout, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "ssa-conformance:", err)
		os.Exit(3)
	}
	if failed {
		os.Exit(1)
	}
}

var reports = map[string]func(io.Writer, []cases.Group, []outcome) error{"text": writeText, "junit": writeJUnit, "html": writeHTML}

// job holds the values of the command's flags.
type job struct {
	run, format, records string
	access               access
}

// conform runs the cases on all implementations and writes the report. The first result is true
// if at least one case failed.
func (j job) conform(w io.Writer, implementations []string) (failed bool, err error) {
	wanted, err := regexp.Compile(j.run)
	if err != nil {
		return false, fmt.Errorf("-run: %w", err)
	}
	report := reports[j.format]
	if report == nil {
		return false, fmt.Errorf("-o: %q, want text, junit or html", j.format)
	}
	if len(implementations) == 0 {
		return false, fmt.Errorf("no implementation given: use NAME=COMMAND, or NAME=URL for a server")
	}
	groups, stories, err := choose(wanted)
	if err != nil {
		return false, err
	}
	var outcomes []outcome
	asked := map[bool]bool{}
	for _, c := range implementations {
		name, what, ok := strings.Cut(c, "=")
		if !ok || strings.TrimSpace(what) == "" {
			return false, fmt.Errorf("%q, want NAME=COMMAND, or NAME=URL for a server", c)
		}
		var o outcome
		isServer := strings.HasPrefix(what, "http://") || strings.HasPrefix(what, "https://")
		if asked[isServer] = true; isServer {
			var s *server
			if s, err = j.access.server(what); err == nil {
				told := clone(stories)
				if o, err = runStories(name, s, told, j.records != ""); err == nil && j.records != "" {
					err = record(j.records, told)
				}
			}
		} else {
			o, err = runCommand(name, strings.Fields(what), groups)
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		o.server = isServer
		outcomes = append(outcomes, o)
		failed = failed || len(o.failed) > 0
	}
	var shown []cases.Group
	if asked[false] {
		shown = groups
	}
	if asked[true] {
		shown = append(shown, asGroup(stories))
	}
	for _, o := range outcomes {
		o.leaveOut(shown)
	}
	return failed, report(w, shown, outcomes)
}

// choose returns the cases and the stories whose names match a regular expression. It returns an
// error if no name matches.
func choose(wanted *regexp.Regexp) (groups []cases.Group, stories []cases.Story, err error) {
	all, err := cases.All()
	if err != nil {
		return nil, nil, err
	}
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
	told, err := cases.Stories()
	for _, s := range told {
		if wanted.MatchString(s.Name) {
			stories = append(stories, s)
		}
	}
	if err == nil && len(groups)+len(stories) == 0 {
		err = fmt.Errorf("no case has a name that matches %q", wanted)
	}
	return groups, stories, err
}

// clone copies stories and their steps, so that answers can be recorded in the copy without
// changing the original.
func clone(stories []cases.Story) []cases.Story {
	told := slices.Clone(stories)
	for i := range told {
		told[i].Steps = slices.Clone(told[i].Steps)
	}
	return told
}
