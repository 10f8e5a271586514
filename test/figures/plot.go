// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/dovetail-ssa/dovetail/test/internal/bench"
)

var (
	dark   = color.RGBA{R: 0x1f, G: 0x4e, B: 0x79, A: 0xff}
	light  = color.RGBA{R: 0xe0, G: 0x8e, B: 0x2b, A: 0xff}
	faint  = color.Gray{Y: 0xcc}
	barsOf = []struct {
		unit, name string
		color      color.Color
	}{
		{bench.Instructions, "instructions", dark},
		{bench.CPU, "CPU, fresh objects", light},
	}
)

// plotRatios draws, for each operation, how many times less it takes here: the geometric
// mean over all objects.
func plotRatios(rows []bench.Row) ([]byte, error) {
	p := plot.New()
	p.Title.Text = "structured-merge-diff ÷ Dovetail, geometric mean over objects"
	p.X.Label.Text = "times less"
	p.X.Min = 0
	p.Legend.Top, p.Legend.Left = false, false
	groups := bench.Means(rows)
	slices.Reverse(groups) // the first is drawn at the bottom
	var names []string
	for _, g := range groups {
		names = append(names, g.Name)
	}
	const width = 9
	for i, bars := range barsOf {
		values := make(plotter.Values, len(groups))
		for j, g := range groups {
			values[j] = g.Mean(bars.unit)
		}
		chart, err := plotter.NewBarChart(values, vg.Points(width))
		if err != nil {
			return nil, err
		}
		chart.Horizontal, chart.Color, chart.LineStyle.Width = true, bars.color, 0
		chart.Offset = vg.Points(width * (0.5 - float64(i)))
		p.Add(chart)
		p.Legend.Add(bars.name, chart)
	}
	even, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.5}, {X: 1, Y: float64(len(groups)) - 0.5}})
	if err != nil {
		return nil, err
	}
	even.Color = faint
	p.Add(even)
	p.NominalY(names...)
	return svg(p, 20*vg.Centimeter, vg.Length(len(groups))*1.0*vg.Centimeter+3*vg.Centimeter)
}

// plotGrowth draws how the CPU time of operations grows with the size of an object.
func plotGrowth(upstream, ours *bench.Results) ([]byte, error) {
	p := plot.New()
	p.Title.Text = "CPU by number of items"
	p.X.Label.Text, p.Y.Label.Text = "items", "ns"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	dashes := [][]vg.Length{nil, {vg.Points(4), vg.Points(2)}, {vg.Points(1), vg.Points(2)}, {vg.Points(6), vg.Points(2), vg.Points(1), vg.Points(2)}}
	for _, side := range []struct {
		name  string
		of    *bench.Results
		color color.Color
	}{{"structured-merge-diff", upstream, light}, {"Dovetail", ours, dark}} {
		for j, series := range seriesOf(ours) {
			points := pointsOf(side.of, series)
			if len(points) < 2 {
				continue
			}
			line, err := plotter.NewLine(points)
			if err != nil {
				return nil, err
			}
			line.Color, line.Dashes, line.Width = side.color, dashes[j%len(dashes)], vg.Points(1.5)
			p.Add(line)
			p.Legend.Add(fmt.Sprintf("%s, %s", series[strings.IndexByte(series, '/')+1:], side.name), line)
		}
	}
	return svg(p, 20*vg.Centimeter, 14*vg.Centimeter)
}

// seriesOf returns the names, without the number at the end, of what was measured with
// several sizes.
func seriesOf(r *bench.Results) []string {
	var all []string
	for _, g := range r.Grows() {
		all = append(all, g.Series)
	}
	return all
}

func pointsOf(r *bench.Results, series string) plotter.XYs {
	var points plotter.XYs
	for _, name := range r.Names {
		number, ok := strings.CutPrefix(name, series+"/")
		if n, err := strconv.Atoi(number); ok && err == nil && r.Time(name) > 0 {
			points = append(points, plotter.XY{X: float64(n), Y: r.Time(name)})
		}
	}
	slices.SortFunc(points, func(a, b plotter.XY) int { return int(a.X - b.X) })
	return points
}

func svg(p *plot.Plot, width, height vg.Length) ([]byte, error) {
	canvas := vgsvg.New(width, height)
	p.Draw(draw.New(canvas))
	var text bytes.Buffer
	_, err := canvas.WriteTo(&text)
	return text.Bytes(), err
}
