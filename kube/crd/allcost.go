// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"math"
)

// elements is how many values the children of n have for each value of n.
func elements(n *node) uint64 {
	bound := ""
	switch {
	case n.kind == "object" && n.additionalSet:
		bound = "maxProperties"
	case n.kind == "array":
		bound = "maxItems"
	default:
		return 1
	}
	if most, ok := n.raw[bound].(int64); ok {
		return uint64(max(most, 0))
	}
	return unbounded
}

// multiply is a product that stays at unbounded once it is there.
func multiply(a, b uint64) uint64 {
	switch {
	case a == unbounded || b == unbounded:
		return unbounded
	case a != 0 && b > math.MaxUint64/a:
		return unbounded - 1
	}
	return a * b
}

// unbounded is the number of values of a schema that can be there any number of
// times.
const unbounded = math.MaxUint64

// cost is what a rule costs that runs so many times.
func cost(each, times uint64) uint64 {
	if each != 0 && times > math.MaxUint64/each {
		return math.MaxUint64
	}
	return each * times
}

// What the rules of x-kubernetes-validations may cost by estimate: one of them,
// and all of a version. The API server has the same numbers.
const (
	maxRuleCost  = 10_000_000
	maxTotalCost = 100_000_000
)
