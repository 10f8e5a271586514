// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ci

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// These types describe the JUnit XML that the program writes. The XML is valid according to
// Ant's XSD. This XSD requires times and a host name, so the program writes placeholder values
// for them. Jenkins and GitLab do not require them.
type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Package    string      `xml:"package,attr"`
	ID         int         `xml:"id,attr"`
	Name       string      `xml:"name,attr"`
	Timestamp  string      `xml:"timestamp,attr"`
	Host       string      `xml:"hostname,attr"`
	Tests      int         `xml:"tests,attr"`
	Failures   int         `xml:"failures,attr"`
	Errors     int         `xml:"errors,attr"`
	Time       int         `xml:"time,attr"`
	Properties struct{}    `xml:"properties"`
	Cases      []junitCase `xml:"testcase"`
	Out        string      `xml:"system-out"`
	Err        string      `xml:"system-err"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    int           `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// junit writes one test for each subject. The test fails if the subject has findings. A warning
// that does not affect the exit status of the command is not a failure. The output of the suite
// lists such warnings. The class of a test contains the file name, because GitLab and Jenkins
// identify a test by its class and name.
func (r *Report) junit(w io.Writer) error {
	bySubject := map[Subject][]*Finding{}
	var warnings strings.Builder
	for i := range r.findings {
		f := &r.findings[i]
		if f.Rule.ID == Noted.ID {
			fmt.Fprintf(&warnings, "%s: warning: %s\n", cmp.Or(f.At.String(), f.Subject.Name), f.text())
			continue
		}
		bySubject[f.Subject] = append(bySubject[f.Subject], f)
	}
	suite := junitSuite{
		Package: "dovetail", Name: "dovetail " + r.Command, Timestamp: "1970-01-01T00:00:00", Host: "localhost",
		Tests: len(r.subjects), Failures: len(bySubject), Out: warnings.String(),
	}
	for _, subject := range r.subjects {
		c := junitCase{Name: subject.Name, Class: "dovetail." + r.Command}
		if isFile(subject.File) {
			c.Class += "." + subject.File
		}
		if found := bySubject[subject]; len(found) > 0 {
			c.Failure = &junitFailure{Type: found[0].Rule.ID, Message: found[0].text()}
			if n := len(found); n > 1 {
				c.Failure.Message = words.Count(n, "finding") + ", the first: " + c.Failure.Message
			}
			var lines []string
			for _, f := range found {
				lines = append(lines, fmt.Sprintf("%v: %s (%s, %v)", f.At, f.text(), f.Rule.ID, f.Rule.Severity))
			}
			c.Failure.Text = strings.Join(lines, "\n")
		}
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
