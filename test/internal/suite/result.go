// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package suite runs tests of other projects with both engines and compares the results.
package suite

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Result has the results of one run of go test. The name of a test is
// "import/path.TestName/subtest".
type Result struct {
	Passed, Failed, Skipped map[string]bool

	// Broken has the packages that did not build or finish, by import path, with their output.
	Broken map[string]string
	output map[string]*strings.Builder
	names  map[string]string // for each test whose name contains a time: its name without the time
	timed  map[string]int    // the number of tests that have the same name without the time
}

// event is one line of the output of go test -json.
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

// Read reads the output of go test -json. It removes the prefix trim from all import paths.
func Read(r io.Reader, trim string) (*Result, error) {
	res := &Result{
		Passed: map[string]bool{}, Failed: map[string]bool{}, Skipped: map[string]bool{},
		Broken: map[string]string{}, output: map[string]*strings.Builder{}, names: map[string]string{}, timed: map[string]int{},
	}
	failedTests := map[string]bool{} // packages with a failed test
	failed := map[string]event{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				continue // this line is not an event: the go command also writes plain text
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

// name returns a name that is the same in each run. If the name of the test contains times, it
// replaces them, and adds a number to make the name unique.
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

// Output returns the output of a test or package.
func (r *Result) Output(name string) string {
	if b := r.output[name]; b != nil {
		return b.String()
	}
	return ""
}

// unbuilt reports whether there is a package that did not build.
func (r *Result) unbuilt() bool {
	for _, said := range r.Broken {
		if strings.Contains(said, "[build failed]") || strings.Contains(said, "[setup failed]") {
			return true
		}
	}
	return false
}
