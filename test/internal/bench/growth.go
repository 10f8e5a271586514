// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// fewest is the size below which what an operation costs in any case hides how
// it grows.
const fewest = 100

// Growth is how the CPU time of a series of benchmarks grows with the number at
// the end of their names.
type Growth struct {
	Series   string  // the name without the number
	Exponent float64 // time is proportional to size to this power; NaN if unknown
	Largest  int     // the largest size that was run
	Time     float64 // of that, in nanoseconds
}

// Grows returns the growth of every series, in order of appearance.
func (r *Results) Grows() []Growth {
	type point struct{ size, time float64 }
	var all []Growth
	points := map[string][]point{}
	for _, name := range r.Names {
		slash := strings.LastIndexByte(name, '/')
		size, err := strconv.Atoi(name[slash+1:])
		if slash < 0 || err != nil {
			continue
		}
		series := name[:slash]
		if points[series] == nil {
			all = append(all, Growth{Series: series})
		}
		points[series] = append(points[series], point{float64(size), r.Time(name)})
	}
	for i := range all {
		g := &all[i]
		var n, x, y, xx, xy float64
		for _, p := range points[g.Series] {
			if int(p.size) > g.Largest {
				g.Largest, g.Time = int(p.size), p.time
			}
			if p.size >= fewest && p.time > 0 {
				u, v := math.Log(p.size), math.Log(p.time)
				n, x, y, xx, xy = n+1, x+u, y+v, xx+u*u, xy+u*v
			}
		}
		// The slope of the line nearest to all points, both axes logarithmic.
		g.Exponent = (n*xy - x*y) / (n*xx - x*x)
	}
	return all
}

// GrowthTable writes how each series grows over both engines. Above most, a
// mark follows ours. What was not measured over upstream is left empty. It
// returns how many are above.
func GrowthTable(w io.Writer, upstream, ours *Results, most float64) (above int, err error) {
	theirs := map[string]Growth{}
	for _, g := range upstream.Grows() {
		theirs[g.Series] = g
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "exponent SMD\tours\t\tcpu SMD\tat\tcpu ours\tat\t series")
	for _, g := range ours.Grows() {
		mark, exponent, took, at := "", "", "", ""
		if up, ok := theirs[g.Series]; ok {
			exponent, took, at = fmt.Sprintf("%.2f", up.Exponent), duration(up.Time), strconv.Itoa(up.Largest)
		}
		if g.Exponent > most {
			mark = "!"
			above++
		}
		fmt.Fprintf(t, "%s\t%.2f\t%s\t%s\t%s\t%s\t%d\t %s\n", exponent, g.Exponent, mark,
			took, at, duration(g.Time), g.Largest, g.Series)
	}
	return above, t.Flush()
}
