// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package bench reads and compares the output of Go benchmarks that ran with two engines.
package bench

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// These are the units to compare. CPU is the CPU time of the process, including garbage
// collection. If a benchmark does not report its CPU time, Time returns the elapsed time
// instead.
const (
	CPU    = "cpu-ns/op"
	Wall   = "ns/op"
	Bytes  = "B/op"
	Allocs = "allocs/op"
	// Instructions is the unit of the command ircount.
	Instructions = "instructions/op"
)

// Results has the measurements of each benchmark, by name and by unit. The names omit the
// prefix "Benchmark" and the number of processors.
type Results struct {
	Names   []string // names of the benchmarks, in the order of the output
	samples map[string]map[string][]float64
	machine map[string]string // properties of the machine, such as "cpu", by key
}

var line = regexp.MustCompile(`^Benchmark(\S+?)(?:-(\d+))?\s+\d+\s+(.*)$`)

// property matches a line about the machine or the run. Go writes goos, goarch and cpu, and Header
// writes go and date.
var property = regexp.MustCompile(`^(goos|goarch|cpu|go|date): (.+)$`)

// Header returns lines for the start of a file with measurements. They contain the version of Go
// and the date, which Go does not write itself.
func Header(goVersion string, date time.Time) string {
	return fmt.Sprintf("go: %s\ndate: %s\n", goVersion, date.UTC().Format(time.DateOnly))
}

// Read adds the measurements in the output of one run.
func (r *Results) Read(from io.Reader) error {
	if r.samples == nil {
		r.samples = map[string]map[string][]float64{}
		r.machine = map[string]string{}
	}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if p := property.FindStringSubmatch(lines.Text()); p != nil {
			r.machine[p[1]] = p[2]
			continue
		}
		m := line.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		if m[2] != "" {
			r.machine["procs"] = m[2]
		}
		units := r.samples[m[1]]
		if units == nil {
			units = map[string][]float64{}
			r.samples[m[1]] = units
			r.Names = append(r.Names, m[1])
		}
		fields := strings.Fields(m[3])
		for i := 0; i+1 < len(fields); i += 2 {
			n, err := strconv.ParseFloat(fields[i], 64)
			if err == nil {
				units[fields[i+1]] = append(units[fields[i+1]], n)
			}
		}
	}
	return lines.Err()
}

// Time returns the smallest CPU time of a benchmark in nanoseconds. The smallest time is the
// most accurate, because disturbances only increase the time.
func (r *Results) Time(name string) float64 {
	s := r.samples[name][CPU]
	if len(s) == 0 {
		s = r.samples[name][Wall]
	}
	if len(s) == 0 {
		return 0
	}
	return slices.Min(s)
}

// Median returns the median of a benchmark's samples in a unit.
func (r *Results) Median(name, unit string) float64 {
	s := slices.Sorted(slices.Values(r.samples[name][unit]))
	if len(s) == 0 {
		return 0
	}
	return s[len(s)/2]
}
