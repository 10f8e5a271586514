// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// test is one test function of a package.
type test struct {
	Pkg     string   `json:"pkg"`
	Name    string   `json:"name"`
	Seconds float64  `json:"seconds"` // seconds of CPU time
	Blocks  []string `json:"blocks"`  // ranges of block numbers: the blocks that the test runs
	Unfit   bool     `json:"unfit"`   // whether the test fails even if no mutant is selected

	reaches map[int]bool
}

// block is a range of code that a coverage profile counts.
type block struct {
	File                     string
	Line, Col, ToLine, ToCol int
}

type covered struct {
	Blocks []block
	Tests  []*test
}

// coverage builds the tests with mutants and without mutants. In the build without mutants, it
// measures which blocks each test runs, and how much CPU time the test needs.
func coverage(o options) (*covered, error) {
	file := filepath.Join(o.work, "coverage.json")
	c := &covered{}
	if text, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(text, c); err != nil {
			return nil, err
		}
		c.unpack()
		c.net()
		return c, nil
	}
	tested, err := testedPackages(filepath.Join(o.work, "clean"))
	if err != nil {
		return nil, err
	}
	var over []string
	for _, pkg := range packages {
		over = append(over, "./"+pkg)
	}
	number := map[string]int{}
	for _, pkg := range tested {
		for _, b := range []struct{ kind, dir string }{{"clean", "clean"}, {"tree", "tree"}} {
			args := []string{"test", "-c", "-o", binary(o, b.kind, pkg)}
			if b.kind == "clean" {
				args = append(args, "-cover", "-coverpkg="+strings.Join(over, ","))
			}
			if _, err := command(filepath.Join(o.work, b.dir), "GOWORK=", "go", append(args, "./"+pkg)...); err != nil {
				return nil, err
			}
		}
		fmt.Println("built", pkg)
	}
	for _, pkg := range tested {
		clean := runner{o: o, bin: binary(o, "clean", pkg), dir: filepath.Join(o.work, "clean", pkg)}
		out := clean.run(600, "-test.list=.")
		unfit := o.unfit(pkg)
		for _, name := range strings.Fields(out.text) {
			if strings.HasPrefix(name, "Benchmark") || !regexp.MustCompile(`^(Test|Example|Fuzz)`).MatchString(name) {
				continue
			}
			t := &test{Pkg: pkg, Name: name, reaches: map[int]bool{}, Unfit: unfit[name]}
			profile := filepath.Join(o.work, "profile")
			got := clean.run(600, "-test.short", "-test.run=^"+name+"$", "-test.coverprofile="+profile)
			t.Seconds = got.cpu
			if got.failed {
				t.Unfit = true
			} else if err := c.read(profile, t, number); err != nil {
				return nil, err
			}
			c.Tests = append(c.Tests, t)
			if t.Unfit {
				fmt.Println("left out:", pkg, name)
			}
		}
		fmt.Println("covered", pkg)
	}
	c.pack()
	err = writeJSON(file, c)
	c.net()
	return c, err
}

// unfit returns the tests that fail in the build with mutants although no mutant is selected.
// They cannot detect mutants.
func (o options) unfit(pkg string) map[string]bool {
	r := runner{o: o, bin: binary(o, "tree", pkg), dir: filepath.Join(o.work, "tree", pkg)}
	unfit := map[string]bool{}
	for _, line := range strings.Split(r.run(1200, "-test.short").text, "\n") {
		if rest, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			name, _, _ := strings.Cut(rest, " ")
			unfit[name] = true
		}
	}
	return unfit
}

func (c *covered) read(profile string, t *test, number map[string]int) error {
	f, err := os.Open(profile)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		where, counts, ok := strings.Cut(s.Text(), " ")
		if !ok || strings.HasPrefix(where, "mode") {
			continue
		}
		n, known := number[where]
		if !known {
			n = len(c.Blocks)
			number[where] = n
			var b block
			name, rest, _ := strings.Cut(where, ":")
			b.File = strings.TrimPrefix(name, modulePath+"/")
			if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d", &b.Line, &b.Col, &b.ToLine, &b.ToCol); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			c.Blocks = append(c.Blocks, b)
		}
		if !strings.HasSuffix(counts, " 0") {
			t.reaches[n] = true
		}
	}
	return s.Err()
}

// net subtracts the start-up time of a test binary from the times of its tests. It estimates
// the start-up time from the fastest test.
func (c *covered) net() {
	least := map[string]float64{}
	for _, t := range c.Tests {
		if s, ok := least[t.Pkg]; !ok || t.Seconds < s {
			least[t.Pkg] = t.Seconds
		}
	}
	for _, t := range c.Tests {
		t.Seconds += 0.002 - least[t.Pkg]
	}
}

// pack sets the field Blocks of each test to the numbers of the code blocks that the test runs,
// as ranges such as "3-7".
func (c *covered) pack() {
	for _, t := range c.Tests {
		for i := 0; i < len(c.Blocks); i++ {
			from := i
			for i < len(c.Blocks) && t.reaches[i] {
				i++
			}
			if i > from {
				t.Blocks = append(t.Blocks, fmt.Sprintf("%d-%d", from, i))
			}
		}
	}
}

func (c *covered) unpack() {
	for _, t := range c.Tests {
		t.reaches = map[int]bool{}
		for _, r := range t.Blocks {
			var from, to int
			fmt.Sscanf(r, "%d-%d", &from, &to)
			for i := from; i < to; i++ {
				t.reaches[i] = true
			}
		}
	}
}

// reaching returns the tests that run a mutant's code, fastest first. Some code belongs to no
// block of a coverage profile, such as the expression of a case. For such code, reaching
// returns the tests that run any code of the function.
func (c *covered) reaching(o options, m mutant) []*test {
	in := map[int]bool{}
	for i, b := range c.Blocks {
		after := m.Line > b.Line || m.Line == b.Line && m.Col >= b.Col
		before := m.Line < b.ToLine || m.Line == b.ToLine && m.Col <= b.ToCol
		if b.File == m.File && after && before {
			in[i] = true
		}
	}
	if len(in) == 0 {
		from, to := o.funcLines(m)
		for i, b := range c.Blocks {
			if b.File == m.File && from <= b.Line && b.ToLine <= to {
				in[i] = true
			}
		}
	}
	var all []*test
	for _, t := range c.Tests {
		if t.Unfit {
			continue
		}
		for i := range in {
			if t.reaches[i] {
				all = append(all, t)
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *test) int {
		switch {
		case a.Seconds < b.Seconds:
			return -1
		case a.Seconds > b.Seconds:
			return 1
		}
		return 0
	})
	return all
}

// funcLines returns the first and the last line of the function that contains the mutant.
func (o options) funcLines(m mutant) (from, to int) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filepath.Join(o.work, "clean", m.File), nil, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0
	}
	for _, d := range f.Decls {
		if from, to := fset.Position(d.Pos()).Line, fset.Position(d.End()).Line; from <= m.Line && m.Line <= to {
			return from, to
		}
	}
	return 0, 0
}

func testedPackages(root string) ([]string, error) {
	out, err := command(root, "GOWORK=", "go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", "./...")
	if err != nil {
		return nil, err
	}
	var all []string
	for _, path := range strings.Fields(out) {
		if path != modulePath { // the tests of the root package only read source files
			all = append(all, strings.TrimPrefix(path, modulePath+"/"))
		}
	}
	return all, nil
}

func binary(o options, kind, pkg string) string {
	return filepath.Join(o.work, "bin", kind, strings.ReplaceAll(pkg, "/", "_"))
}

// runner runs the test binary of one package.
type runner struct {
	o      options
	bin    string
	dir    string
	mutant int
}

type outcome struct {
	text     string
	failed   bool
	timedOut bool
	cpu      float64
}

// run runs the binary with the given limit of CPU seconds, and with a limit of memory, because
// some mutants never end.
func (r runner) run(seconds float64, args ...string) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(30*seconds+60)*time.Second)
	defer cancel()
	limit := strconv.Itoa(int(math.Ceil(seconds)))
	args = append([]string{"-c", `ulimit -t ` + limit + ` -v 6000000; exec "$0" "$@"`, r.bin}, args...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "DOVETAIL_MUTANT="+strconv.Itoa(r.mutant))
	out, err := cmd.CombinedOutput()
	got := outcome{text: string(out), failed: err != nil}
	if s := cmd.ProcessState; s != nil {
		got.cpu = (s.UserTime() + s.SystemTime()).Seconds()
		var exit *exec.ExitError
		got.timedOut = errors.As(err, &exit) && exit.ExitCode() < 0
	}
	return got
}

// result is the result of the tests for one mutant.
type result struct {
	mutant
	Killed  bool    `json:"killed"`
	By      string  `json:"by,omitempty"`
	How     string  `json:"how,omitempty"` // how the test failed: "fails", "panics" or "does not end"
	Reached int     `json:"reached"`       // number of tests that run the changed code
	Seconds float64 `json:"seconds"`       // CPU time of the tests, in seconds
	UpTo    float64 `json:"upTo"`          // tests that take more CPU seconds were skipped
}

// tiers are limits in CPU seconds that divide the tests into groups. The tests of a package in
// the same group run in one process.
var tiers = []float64{0.02, 0.1, 0.4, 1, every}

// kill runs the tests for all mutants of the sample, and appends the results to results.jsonl.
// It skips mutants that already have a result.
func kill(o options, sample []mutant, c *covered) error {
	file := filepath.Join(o.work, "results.jsonl")
	done := map[int]result{}
	if old, err := readResults(file); err == nil {
		for _, r := range old {
			done[r.ID] = r
		}
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	var mu sync.Mutex
	var wg sync.WaitGroup
	work := make(chan mutant)
	for range o.workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for m := range work {
				r := o.runTests(m, c, done[m.ID])
				text, _ := json.Marshal(r) // it contains only strings, booleans and numbers
				mu.Lock()
				f.Write(append(text, '\n'))
				mu.Unlock()
			}
		}()
	}
	for _, m := range sample {
		if r := done[m.ID]; !r.Killed && r.UpTo < o.heavy {
			work <- m
		}
	}
	close(work)
	wg.Wait()
	return nil
}

func readResults(file string) ([]result, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []result
	at := map[int]int{} // if the file has several results of a mutant, use the last one
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var r result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, err
		}
		i, again := at[r.ID]
		if !again {
			i = len(all)
			at[r.ID] = i
			all = append(all, r)
		}
		all[i] = r
	}
	return all, nil
}

// runTests runs the tests for a mutant, fastest first, until one of them fails. The argument
// "before" is an earlier result for this mutant: tests that ran for it do not run again.
func (o options) runTests(m mutant, c *covered, before result) result {
	res := result{mutant: m, Seconds: before.Seconds, UpTo: o.heavy}
	tests := c.reaching(o, m)
	res.Reached = len(tests)
	from := before.UpTo
	for _, to := range tiers {
		to = min(to, o.heavy)
		by := map[string][]*test{}
		var order []string
		for _, t := range tests {
			if t.Seconds > from && t.Seconds <= to {
				if by[t.Pkg] == nil {
					order = append(order, t.Pkg)
				}
				by[t.Pkg] = append(by[t.Pkg], t)
			}
		}
		from = max(from, to)
		slices.SortStableFunc(order, func(a, b string) int { return rank(a, m) - rank(b, m) })
		for _, pkg := range order {
			sum := 0.0
			var names []string
			for _, t := range by[pkg] {
				sum += t.Seconds
				names = append(names, t.Name)
			}
			r := runner{o: o, bin: binary(o, "tree", pkg), dir: filepath.Join(o.work, "tree", pkg), mutant: m.ID}
			got := r.run(1+3*sum, "-test.short", "-test.failfast", "-test.run=^("+strings.Join(names, "|")+")$")
			res.Seconds += got.cpu
			if got.failed {
				res.Killed = true
				res.By, res.How = blame(got)
				res.By = pkg + " " + res.By
				return res
			}
		}
	}
	return res
}

// rank sorts the tests of the mutant's own package before all others.
func rank(pkg string, m mutant) int {
	if pkg == m.pkg() {
		return 0
	}
	return 1
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

func blame(got outcome) (test, how string) {
	if m := failure.FindStringSubmatch(got.text); m != nil {
		test = m[1]
	}
	switch {
	case got.timedOut:
		return test, "does not end"
	case strings.Contains(got.text, "panic:") || strings.Contains(got.text, "fatal error:"):
		return test, "panics"
	}
	return test, "fails"
}
