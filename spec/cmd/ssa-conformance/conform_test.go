// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/spec/cases"
)

// TestMain runs the tests. If an environment variable is set, the test binary acts as an
// implementation instead. This implementation gives the expected answers, with the mistakes
// that the variable lists.
func TestMain(m *testing.M) {
	how := os.Getenv("IMPLEMENTATION")
	if how == "" {
		os.Exit(m.Run())
	}
	groups, err := cases.All()
	if err != nil {
		panic(err)
	}
	known := map[string]cases.Want{}
	for _, g := range groups {
		for _, c := range g.Cases {
			known[c.Name] = c.Want
		}
	}
	lines := bufio.NewReader(os.Stdin)
	for n := 0; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			panic(err)
		}
		a := answer{Name: r.Name, Want: known[r.Name]}
		switch {
		case how == "halting" && n == 3:
			os.Exit(7)
		case how == "chatty" && n == 3:
			fmt.Println("this is not an answer")
			continue
		case how == "listing" && n == 3:
			fmt.Println("[]")
			continue
		case how == "mistyped" && n == 3:
			fmt.Println(`{"unsupported": true}`)
			continue
		case how == "wrong":
			a = wrong(a, n)
		}
		text, err := json.Marshal(a)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", text)
	}
}

// wrong returns the answer with a mistake. Each n selects another mistake.
func wrong(a answer, n int) answer {
	switch n {
	case 0:
		a.Object = map[string]any{"kind": "other"}
	case 1:
		a.Owners = append(a.Owners, cases.Owner{Manager: "x", FieldsV1: []byte(`{"f:kind":{}}`)})
	case 2:
		a.Conflicts = []cases.Conflict{{Manager: "x"}}
	case 3:
		a.Error = "cannot"
	case 4:
		a.Unsupported = "not yet"
	case 5:
		a.Name = "other"
	case 6:
		a.Owners = []cases.Owner{{Manager: "x", FieldsV1: []byte(`{"a":{}}`)}}
	}
	return a
}

func implementation(t *testing.T, how string) string {
	t.Setenv("IMPLEMENTATION", how)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return how + "=" + self
}

// TestCounts checks that README.md has the right number of cases for each level.
func TestCounts(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	groups, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	of, v6, v7 := map[int]int{}, 0, 0
	for _, g := range groups {
		for _, c := range g.Cases {
			of[max(c.Level, 1)]++
			switch c.Profile {
			case "v6":
				v6++
			case "v7":
				v7++
			}
		}
	}
	stories, err := cases.Stories()
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{
		fmt.Sprintf("Level 1 has %d cases: %d for all implementations, and %d for\neach of the two profiles (F9). So an implementation with one profile passes at most %d.", of[1], of[1]-v6-v7, v6, of[1]-v7),
		fmt.Sprintf("| passed in level 1 (%d cases) | passed in level 2 (%d,%03d cases) | passed in level 3 (%d cases) |", of[1]-v7, of[2]/1000, of[2]%1000, of[3]),
		fmt.Sprintf("| passed in level 4 (%d stories) |", len(stories)),
	} {
		if !strings.Contains(string(text), said) {
			t.Errorf("README.md does not contain %q", said)
		}
	}
}

// TestExamples checks the cases that cases/README.md shows: it shows one of each of the levels 1 to 3.
func TestExamples(t *testing.T) {
	text, err := os.ReadFile("../../cases/README.md")
	if err != nil {
		t.Fatal(err)
	}
	groups, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]cases.Case{}
	for _, g := range groups {
		for _, c := range g.Cases {
			known[c.Name] = c
		}
	}
	shown := map[int]int{}
	for _, block := range regexp.MustCompile("(?ms)^```json\n(.*?)^```").FindAllSubmatch(text, -1) {
		var c cases.Case
		if err := cases.Read(block[1], &c); err != nil {
			t.Fatalf("%v\n%s", err, block[1])
		}
		shown[c.Level]++
		got, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(known[c.Name])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("README.md shows\n%s, want\n%s", got, want)
		}
	}
	if want := map[int]int{1: 1, 2: 1, 3: 1}; !maps.Equal(shown, want) {
		t.Errorf("README.md has examples by level %v, want %v", shown, want)
	}
}

func TestRight(t *testing.T) {
	var b bytes.Buffer
	failed, err := job{run: ".", format: "text"}.conform(&b, []string{implementation(t, "right")})
	if err != nil || failed {
		t.Fatalf("%v %v\n%s", failed, err, b.String())
	}
	if want := "\nOf the 98 cases of level 1, an implementation with one profile passes at most 90. The other 8 are for the other profile (F9).\n"; !strings.Contains(b.String(), want) {
		t.Errorf("the report does not contain %s", want)
	}
	if strings.Contains(b.String(), "fails") || !strings.Contains(b.String(), "items ") {
		t.Error(b.String())
	}
}

func TestWrong(t *testing.T) {
	var b bytes.Buffer
	failed, err := job{run: "^atomic-list", format: "text"}.conform(&b, []string{implementation(t, "wrong")})
	if err != nil || !failed {
		t.Fatalf("%v %v", failed, err)
	}
	for _, want := range []string{
		"1 not supported", `"kind":"other"`, `x updated {"f:kind":{}}], want [`, `conflicts ["x"], want []`,
		"error: cannot", `the answer is for the case "other", want "`, `field set of x: "a" is not a path element`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report does not contain %s", want)
		}
	}
	if n := strings.Count(b.String(), "wrong fails"); n != 6 {
		t.Errorf("the report has %d failures\n%s", n, b.String())
	}
	b.Reset()
	if _, err = (job{run: "^atomic-list", format: "junit"}).conform(&b, []string{implementation(t, "wrong")}); err != nil {
		t.Fatal(err)
	}
	var suites junitSuites
	if err := xml.Unmarshal(b.Bytes(), &suites); err != nil {
		t.Fatal(err)
	}
	if s := suites.Suites[0]; s.Failures != 6 || s.Skipped != 1 || s.Tests != len(s.Cases) {
		t.Errorf("the suite has %d failures, %d skipped tests, and counts %d tests, but lists %d", s.Failures, s.Skipped, s.Tests, len(s.Cases))
	}
	b.Reset()
	if _, err = (job{run: "^atomic-list", format: "html"}).conform(&b, []string{implementation(t, "wrong"), implementation(t, "right")}); err != nil {
		t.Fatal(err)
	}
	// With this environment variable, both implementations give the right answers.
	if !strings.Contains(b.String(), "<th>wrong</th><th>right</th>") || strings.Contains(b.String(), "fails</h2>") {
		t.Error(b.String())
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		run, format, want string
		commands          []string
	}{
		{"(", "text", "-run", nil},
		{".", "yaml", `-o: "yaml", want text, junit or html`, nil},
		{".", "text", "no implementation given", nil},
		{".", "text", `"x", want NAME=COMMAND`, []string{"x"}},
		{"nothing-is-called-so", "text", "no case has a name that matches", []string{"x=y"}},
		{".", "text", "not found", []string{"x=no-such-program-here"}},
		{".", "text", "ended before it answered", []string{implementation(t, "halting")}},
		{".", "text", "is not JSON", []string{implementation(t, "chatty")}},
		{".", "text", "has the wrong form: want an object, found a JSON array", []string{implementation(t, "listing")}},
		{".", "text", "has the wrong form: the field unsupported cannot be a JSON bool", []string{implementation(t, "mistyped")}},
	} {
		if i := strings.Index(strings.Join(c.commands, ""), "="); i > 0 {
			t.Setenv("IMPLEMENTATION", strings.Join(c.commands, "")[:i])
		}
		_, err := job{run: c.run, format: c.format}.conform(&bytes.Buffer{}, c.commands)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c, err, c.want)
		}
	}
}
