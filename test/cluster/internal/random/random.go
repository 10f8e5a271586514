// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package random returns random values and selections for test objects.
package random

import (
	"fmt"
	"math/rand/v2"
)

// Subset returns some items of a list in random order. p is the probability that an item is in
// the result.
func Subset[T any](r *rand.Rand, list []T, p float64) []T {
	var out []T
	for _, x := range list {
		if r.Float64() < p {
			out = append(out, x)
		}
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// Below returns some of the integers from 0 to n-1 in random order. p is the probability that
// a number is in the result.
func Below(r *rand.Rand, n int, p float64) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return Subset(r, all, p)
}

// Pick returns one of the values at random.
func Pick(r *rand.Rand, values ...any) any { return values[r.IntN(len(values))] }

// Ports returns a random selection of four ports. The second argument is the name of the field
// for the port number, such as "containerPort". Some of the ports omit the protocol, which
// defaults to TCP.
func Ports(r *rand.Rand, number string) []map[string]any {
	out := []map[string]any{}
	for _, i := range Below(r, 4, 0.5) {
		p := map[string]any{number: 8000 + i/2, "name": fmt.Sprintf("p%d", i)}
		if i%2 == 1 {
			p["protocol"] = "UDP"
		} else if r.IntN(2) == 0 {
			p["protocol"] = "TCP"
		}
		out = append(out, p)
	}
	return out
}
