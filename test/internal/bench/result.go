// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package bench reads what Go benchmarks print, from two engines, and sets the
// numbers side by side.
package bench

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Units of a benchmark line that are compared. CPU is the process's own clock,
// collector included, which benchmarks report themselves; one that does not is
// measured by the wall.
const (
	CPU    = "cpu-ns/op"
	Wall   = "ns/op"
	Bytes  = "B/op"
	Allocs = "allocs/op"
	// Instructions are those that ircount counts.
	Instructions = "instructions/op"
)

// Results holds the samples of each benchmark: by its name without
// "Benchmark" and without the number of processors, then by unit.
type Results struct {
	Names   []string // in order of appearance
	samples map[string]map[string][]float64
}

var line = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// Read adds the benchmark lines of one run.
func (r *Results) Read(from io.Reader) error {
	if r.samples == nil {
		r.samples = map[string]map[string][]float64{}
	}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := line.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		units := r.samples[m[1]]
		if units == nil {
			units = map[string][]float64{}
			r.samples[m[1]] = units
			r.Names = append(r.Names, m[1])
		}
		fields := strings.Fields(m[2])
		for i := 0; i+1 < len(fields); i += 2 {
			n, err := strconv.ParseFloat(fields[i], 64)
			if err == nil {
				units[fields[i+1]] = append(units[fields[i+1]], n)
			}
		}
	}
	return lines.Err()
}

// Time returns the smallest CPU time of a benchmark in nanoseconds, for what
// disturbs a measurement only adds to it.
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

// Median returns the middle sample of a benchmark in some unit.
func (r *Results) Median(name, unit string) float64 {
	s := slices.Sorted(slices.Values(r.samples[name][unit]))
	if len(s) == 0 {
		return 0
	}
	return s[len(s)/2]
}
