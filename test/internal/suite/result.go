// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package suite runs tests that others wrote over both engines and compares
// which of them pass.
package suite

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Result is what one run of go test said. Tests and subtests are named
// "import/path.TestName/subtest".
type Result struct {
	Passed, Failed, Skipped map[string]bool

	// Broken holds, by import path, the output of packages that did not
	// build or did not finish.
	Broken map[string]string
	output map[string]*strings.Builder
	names  map[string]string // of tests whose own name holds the time of day
	timed  map[string]int    // how many have such a name
}

// event is a line of go test -json.
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

// Read collects the stream that go test -json writes. Import paths lose the
// prefix trim.
func Read(r io.Reader, trim string) (*Result, error) {
	res := &Result{
		Passed: map[string]bool{}, Failed: map[string]bool{}, Skipped: map[string]bool{},
		Broken: map[string]string{}, output: map[string]*strings.Builder{}, names: map[string]string{}, timed: map[string]int{},
	}
	failedTests := map[string]bool{} // packages in which a test failed
	failed := map[string]event{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				continue // not an event: the go command writes plain lines too
			}
			e.Package = strings.TrimPrefix(e.Package, trim)
			res.add(e, failed, failedTests)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	for pkg, e := range failed {
		if !failedTests[pkg] {
			res.Broken[pkg] = res.Output(pkg) + res.Output(e.FailedBuild)
		}
	}
	return res, nil
}

func (r *Result) add(e event, failed map[string]event, failedTests map[string]bool) {
	name := e.Package
	if e.Test != "" {
		name = r.name(name + "." + e.Test)
	}
	switch e.Action {
	case "pass", "skip", "fail":
		if e.Test == "" {
			if e.Action == "fail" {
				failed[e.Package] = e
			}
			return
		}
		map[string]map[string]bool{"pass": r.Passed, "skip": r.Skipped, "fail": r.Failed}[e.Action][name] = true
		if e.Action == "fail" {
			failedTests[e.Package] = true
		}
	case "output", "build-output":
		if e.ImportPath != "" {
			name = e.ImportPath
		}
		if r.output[name] == nil {
			r.output[name] = &strings.Builder{}
		}
		r.output[name].WriteString(e.Output)
	}
}

var timeOfDay = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z`)

// name returns what to call a test in every run: times of day are left out, and
// tests that then have the same name are numbered.
func (r *Result) name(test string) string {
	if !timeOfDay.MatchString(test) {
		return test
	}
	if r.names[test] == "" {
		name := timeOfDay.ReplaceAllString(test, "TIME")
		r.timed[name]++
		r.names[test] = fmt.Sprintf("%s#%d", name, r.timed[name])
	}
	return r.names[test]
}

// Output returns what a test or package printed.
func (r *Result) Output(name string) string {
	if b := r.output[name]; b != nil {
		return b.String()
	}
	return ""
}

// unbuilt says whether a package did not build.
func (r *Result) unbuilt() bool {
	for _, said := range r.Broken {
		if strings.Contains(said, "[build failed]") || strings.Contains(said, "[setup failed]") {
			return true
		}
	}
	return false
}
