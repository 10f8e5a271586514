// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"regexp"
	"testing"
)

// TestOperations runs every operation on every shape. None may panic.
func TestOperations(t *testing.T) {
	o := &options{largest: 64, wanted: regexp.MustCompile(".")}
	series := 0
	o.eachOperation(func(name string, largest int, prepare func(n int) func()) {
		for _, n := range []int{largest / 8, largest} {
			if run := prepare(n); run != nil {
				run()
				run()
				series++
			}
		}
	})
	if series < 1000 {
		t.Errorf("only %d series ran", series)
	}
}

func TestExponent(t *testing.T) {
	for _, want := range []float64{0, 1, 1.5, 2} {
		var costs []float64
		for _, n := range sizes(4096) {
			costs = append(costs, 7*math.Pow(float64(n), want))
		}
		if got := exponent(sizes(4096), costs); math.Abs(got-want) > 0.01 {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
