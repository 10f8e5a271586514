// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Scale measures how the cost of every operation grows with the size of an object. The size is
// the number of items, fields, levels or managers. For list items, it measures several orders
// of the items. It runs the operations both with and without declarative defaults. It also
// measures every command of dovetail.
//
//	go run .                                       # all series, up to a size of 65,536
//	go run . -largest 8192 -commands=false         # a short run
//	go run . -run 'typed/Merge.*names' -v          # some series, with all sizes
//
// The cost of an operation is the number of instructions, without garbage collection.
// valgrind's callgrind counts them, so caches and other programs do not affect the cost. The
// cost of a command is the smallest CPU time of several runs.
//
// Each line of output is a series: the cost at the largest size, and the exponent of the
// growth. An exponent of 1 means linear growth; sorting adds about 0.05. The program fails if
// an exponent is above -most.
//
// TestGrowth measures some of the series, for smaller sizes. It counts executed blocks of
// code, so it does not need valgrind.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"

	"github.com/dovetail-ssa/dovetail/test/internal/callgrind"
)

type options struct {
	largest, runs     int
	most              float64
	wanted            *regexp.Regexp
	verbose, commands bool
	operations        bool
	only              string
}

func main() {
	var o options
	flag.IntVar(&o.largest, "largest", 65_536, "largest size")
	flag.IntVar(&o.runs, "runs", 3, "number of runs of a command; the fastest counts")
	flag.Float64Var(&o.most, "most", 1.15, "largest allowed exponent")
	flag.BoolVar(&o.verbose, "v", false, "print all sizes")
	flag.BoolVar(&o.commands, "commands", true, "also measure the commands")
	flag.BoolVar(&o.operations, "operations", true, "measure the operations of the packages")
	flag.StringVar(&o.only, "only", "", "measure only this operation")
	worker := flag.Bool("worker", false, "run the operations under callgrind")
	run := flag.String("run", ".", "series to measure, a regular `expression`")
	flag.Parse()
	o.wanted = regexp.MustCompile(*run)
	if *worker {
		debug.SetGCPercent(-1)
		o.worker()
		return
	}
	var failed []string
	if o.operations {
		for _, op := range operations {
			if o.only == "" || o.only == op.name {
				one := o
				one.only = op.name
				failed = append(failed, one.measureOperations()...)
			}
		}
	}
	if o.commands {
		failed = append(failed, o.measureCommands()...)
	}
	if len(failed) > 0 {
		fmt.Printf("%d series grow with an exponent above %v:\n", len(failed), o.most)
		for _, name := range failed {
			fmt.Println(" ", name)
		}
		os.Exit(1)
	}
}

// sizes returns the three sizes of a series.
func sizes(largest int) []int { return []int{largest / 16, largest / 4, largest} }

// eachOperation calls a function for each selected series. A series is one operation on objects
// of one shape. The function gets another function, prepare, which creates an object of size n
// and returns a function that runs the operation on this object. If the operation does not apply
// to the object, prepare returns nil.
func (o *options) eachOperation(f func(name string, largest int, prepare func(n int) func())) {
	for _, op := range operations {
		for _, s := range shapes() {
			if o.only != "" && o.only != op.name {
				continue
			}
			name := op.name + " " + s.String()
			if o.wanted.MatchString(name) {
				f(name, s.largest(o.largest), func(n int) func() {
					s.n = n
					c := &sized{shape: s}
					c.typ = newType(s.gate, c.width(), "")
					return op.prepare(c)
				})
			}
		}
	}
}

// worker runs the selected operations in a process under callgrind, and counts each run.
func (o *options) worker() {
	o.eachOperation(func(name string, largest int, prepare func(n int) func()) {
		for _, n := range sizes(largest) {
			if run := prepare(n); run != nil {
				count(fmt.Sprintf("%s n=%d", name, n), run)
			}
			runtime.GC()
		}
	})
}

// measureOperations runs a worker under callgrind, and prints the series with the counted
// instructions. It returns the series whose exponent is too large.
func (o *options) measureOperations() (failed []string) {
	some := false
	o.eachOperation(func(string, int, func(int) func()) { some = true })
	if !some {
		return nil
	}
	dir, err := os.MkdirTemp("", "dovetail-scale-")
	must(err)
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "worker")
	build := exec.Command("go", "build", "-tags", "valgrind", "-o", binary, ".")
	build.Stderr = os.Stderr
	must(build.Run())
	counts, err := callgrind.Run(exec.Command(binary, "-worker", "-only", o.only, "-run", o.wanted.String(), fmt.Sprint("-largest=", o.largest)))
	must(err)
	o.eachOperation(func(name string, largest int, _ func(n int) func()) {
		var at []int
		var instructions []float64
		for _, n := range sizes(largest) {
			if i, ok := counts[fmt.Sprintf("%s n=%d", name, n)]; ok {
				at, instructions = append(at, n), append(instructions, i)
			}
		}
		if len(at) > 0 && !o.printSeries(name, at, instructions, "instructions") {
			failed = append(failed, name)
		}
	})
	return failed
}

// printSeries prints one series. It reports whether the exponent is small enough.
func (o *options) printSeries(name string, at []int, costs []float64, unit string) bool {
	grows := exponent(at, costs)
	mark := ""
	if grows > o.most {
		mark = "  <-- above"
	}
	last := len(at) - 1
	fmt.Printf("%-60s %8d %16.0f %s  n^%.2f%s\n", name, at[last], costs[last], unit, grows, mark)
	if o.verbose {
		for i := range at {
			fmt.Printf("%60s %8d %16.0f\n", "", at[i], costs[i])
		}
	}
	return grows <= o.most
}

// series measures one series of a command. It reports whether the exponent is small enough.
func (o *options) series(name string, largest int, prepare func(n int) func() float64) bool {
	all := sizes(largest)
	least := make([]float64, len(all))
	for tries := range 3 {
		for i, n := range all {
			run := prepare(n)
			if run == nil {
				return true
			}
			for range o.runs {
				if took := run() * 1e6; least[i] == 0 || took < least[i] {
					least[i] = took
				}
			}
		}
		// Other programs disturb the measurement, so repeat it.
		if exponent(all, least) <= o.most || tries == 2 {
			break
		}
	}
	return o.printSeries(name, all, least, "µs")
}

// exponent returns the exponent in cost = factor × size ^ exponent. It is a least-squares fit
// of the logarithms.
func exponent(sizes []int, times []float64) float64 {
	if len(times) < 2 {
		return math.Inf(1)
	}
	var sx, sy, sxx, sxy float64
	for i := range times {
		x, y := math.Log(float64(sizes[i])), math.Log(max(times[i], 1))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(times))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

func decoded(text []byte) any {
	var v any
	must(json.Unmarshal(text, &v))
	return v
}
