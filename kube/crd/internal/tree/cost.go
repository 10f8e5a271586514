// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"math"
)

// Elements is how many values the children of n have for each value of n.
func Elements(n *Node) uint64 {
	bound := ""
	switch {
	case n.Kind == "object" && n.AdditionalSet:
		bound = "maxProperties"
	case n.Kind == "array":
		bound = "maxItems"
	default:
		return 1
	}
	if most, ok := n.Raw[bound].(int64); ok {
		return uint64(max(most, 0))
	}
	return Unbounded
}

// Multiply is a product that stays at unbounded once it is there.
func Multiply(a, b uint64) uint64 {
	switch {
	case a == Unbounded || b == Unbounded:
		return Unbounded
	case a != 0 && b > math.MaxUint64/a:
		return Unbounded - 1
	}
	return a * b
}

// Unbounded is the number of values of a schema that can be there any number of
// times.
const Unbounded = math.MaxUint64

// Cost is what a rule costs that runs so many times.
func Cost(each, times uint64) uint64 {
	if each != 0 && times > math.MaxUint64/each {
		return math.MaxUint64
	}
	return each * times
}

// What the rules of x-kubernetes-validations may cost by estimate: one of them,
// and all of a version. The API server has the same numbers.
const (
	MaxRuleCost  = 10_000_000
	MaxTotalCost = 100_000_000
)
