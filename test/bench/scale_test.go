// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"flag"
	"testing"
	"time"
)

var (
	smallest = flag.Int("smallest", 10, "elements of the smallest object of BenchmarkScale")
	largest  = flag.Int("largest", 10_000, "elements of the largest")
	patience = flag.Duration("patience", time.Second, "CPU time of one operation that is too much to go on with a larger object")
)

// BenchmarkScale runs every operation on objects of growing size. Where an
// operation takes longer than it may, larger objects are left out.
func BenchmarkScale(b *testing.B) {
	var sizes []int
	for n := *smallest; n <= *largest; n *= 10 {
		sizes = append(sizes, n)
	}
	for _, series := range scaleSeries(sizes) {
		for _, bm := range series {
			var took time.Duration
			b.Run(bm.name, func(b *testing.B) { took = measure(b, bm) })
			if took > *patience {
				break
			}
		}
	}
}
