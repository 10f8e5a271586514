// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package ssadiff implements the ssadiff commands. Each of these commands compares Dovetail
// with structured-merge-diff on random cases, and prints cases that show each kind of
// difference. A command passes its engines to Main.
package ssadiff

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/gen"
	"github.com/dovetail-ssa/dovetail/test/differential/run"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
)

// Pair is a pair of engines to compare.
type Pair struct {
	Oracle, Engine func() engine.Engine
	Policies       schema.Policies // the policies to set for the whole process
	Maker          gen.Maker
	Random         bool     // whether both engines are structured-merge-diff, whose results depend on Go's random map order
	KnowsPanics    bool     // whether DIFFERENCES.md lists all panics of structured-merge-diff, so that any other panic is a difference
	Idle           bool     // whether a long run fails if an accepted difference does not occur
	FixedUpstream  []string // accepted differences that do not exist in this version of structured-merge-diff
}

// wrong returns the accepted differences that should have occurred but did not, and those that
// occurred although this version of structured-merge-diff does not have them.
func (p *Pair) wrong(s *run.Stats) []string {
	idle := s.Idle()
	return slices.DeleteFunc(run.Exemptions(), func(id string) bool {
		return slices.Contains(idle, id) == slices.Contains(p.FixedUpstream, id)
	})
}

// Main runs the command and does not return. It accepts the given names as values of the flag
// -engine, and the first name is the default. The second argument contains the pair of engines
// for each name.
func Main(names []string, pairs map[string]Pair) {
	o := options{pairs: pairs}
	flag.Uint64Var(&o.seed, "seed", 1, "first seed")
	flag.Uint64Var(&o.n, "n", 1000000, "number of sequences")
	flag.IntVar(&o.workers, "workers", 2, "sequences to run at once")
	flag.StringVar(&o.engine, "engine", names[0], "engine to compare with upstream:  "+strings.Join(names, ", "))
	flag.StringVar(&o.replay, "replay", "", "file with a reproduction to run instead")
	flag.IntVar(&o.examples, "examples", 2, "reproductions to print for each class of difference")
	flag.DurationVar(&o.shrink, "shrink", 20*time.Second, "time to spend on making a reproduction small")
	skip := flag.String("skip", "", "`pattern` of differences to skip (matched against class, results and case as printed)")
	flag.BoolVar(&o.print, "print", false, "print the cases")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this `file`")
	flag.Parse()
	if _, ok := pairs[o.engine]; !ok {
		fmt.Fprintf(os.Stderr, "no engine %q, want one of %s\n", o.engine, strings.Join(names, ", "))
		os.Exit(2)
	}
	schema.SetProcessPolicies(pairs[o.engine].Policies)
	if *skip != "" {
		o.skip = regexp.MustCompile(*skip)
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	code := o.main()
	pprof.StopCPUProfile()
	os.Exit(code)
}

type options struct {
	pairs    map[string]Pair
	seed, n  uint64
	workers  int
	engine   string
	replay   string
	examples int
	shrink   time.Duration
	print    bool
	skip     *regexp.Regexp

	next atomic.Uint64
	mu   sync.Mutex
	seen map[string]int
	all  run.Stats
}

// enough is the minimum number of sequences for a run in which every accepted difference must
// occur.
const enough = 300000

// chunk is the number of consecutive sequences that a worker runs at a time.
const chunk = 128

func (o *options) main() int {
	if o.replay != "" {
		return o.replayFile()
	}
	o.seen = map[string]int{}
	start := time.Now()
	o.next.Store(o.seed)
	var wg sync.WaitGroup
	for i := 0; i < max(1, o.workers); i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			o.work()
		}()
	}
	done := make(chan struct{})
	go o.progress(start, done)
	wg.Wait()
	close(done)
	fmt.Printf("seeds %d to %d in %v\n", o.seed, o.seed+o.n-1, time.Since(start).Round(time.Millisecond))
	o.all.Print(os.Stdout)
	if len(o.seen) == 0 {
		fmt.Println("no unlisted difference")
		p := o.pairs[o.engine]
		if wrong := p.wrong(&o.all); o.n >= enough && p.Idle && len(wrong) > 0 {
			fmt.Printf("differences that do not occur as DIFFERENCES.md says: %s\n", strings.Join(wrong, " "))
			return 1
		}
		return 0
	}
	fmt.Println("unlisted differences:")
	for key, n := range o.seen {
		fmt.Printf("  %6d  %s\n", n, key)
	}
	return 1
}

func (o *options) newRunner() *run.Runner {
	p := o.pairs[o.engine]
	r := run.New(p.Oracle(), p.Engine())
	r.Random, r.KnowsPanics = p.Random, p.KnowsPanics
	return r
}

func (o *options) work() {
	maker := o.pairs[o.engine].Maker
	r := o.newRunner()
	for {
		from := o.next.Add(chunk) - chunk
		if from >= o.seed+o.n {
			break
		}
		for seed := from; seed < min(from+chunk, o.seed+o.n); seed++ {
			c := maker.Case(seed)
			if o.print {
				fmt.Println(c)
			}
			slow := time.AfterFunc(time.Minute, func() { fmt.Printf("seed %d takes over a minute\n", seed) })
			d := r.Check(c)
			slow.Stop()
			if d != nil {
				o.report(r, d)
			}
		}
		o.mu.Lock()
		o.all.Add(&r.Stats)
		o.mu.Unlock()
		r.Stats = run.Stats{}
	}
}

// report prints the first cases of each kind of difference.
func (o *options) report(r *run.Runner, d *run.Difference) {
	if o.skip != nil && o.skip.MatchString(d.String()) {
		return
	}
	o.mu.Lock()
	o.seen[d.Key()]++
	first := o.seen[d.Key()] <= o.examples
	o.mu.Unlock()
	if first {
		seed := d.Case.Seed
		d = r.Shrink(d, o.shrink)
		if o.skip != nil && o.skip.MatchString(d.String()) {
			return
		}
		fmt.Printf("--- seed %d\n%v\n", seed, d)
	}
}

func (o *options) progress(start time.Time, done chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(30 * time.Second):
		}
		o.mu.Lock()
		n := o.all.Sequences
		fmt.Printf("%v: %d sequences, %d operations, %d conflicts, %d classes of differences\n",
			time.Since(start).Round(time.Second), n, o.all.Operations, o.all.Conflicts, len(o.seen))
		o.mu.Unlock()
	}
}

func (o *options) replayFile() int {
	text, err := os.ReadFile(o.replay)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	c, err := scenario.Parse(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	r := o.newRunner()
	if d := r.Check(c); d != nil {
		fmt.Println(d)
		return 1
	}
	r.Stats.Print(os.Stdout)
	fmt.Println("no unlisted difference")
	return 0
}
