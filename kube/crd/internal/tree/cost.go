// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"math"
)

// Elements returns the maximum number of items or map values in one value of n. It returns Unbounded if
// no keyword of the schema limits the number. If n is neither a list nor a map, Elements returns 1.
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

// Multiply returns the product of two numbers. The result is Unbounded only if one of the numbers is
// Unbounded. If the product overflows, Multiply returns Unbounded-1.
func Multiply(a, b uint64) uint64 {
	switch {
	case a == Unbounded || b == Unbounded:
		return Unbounded
	case a != 0 && b > math.MaxUint64/a:
		return Unbounded - 1
	}
	return a * b
}

// Unbounded represents an unlimited number of values.
const Unbounded = math.MaxUint64

// Cost returns the total cost of a rule: the cost of one run, multiplied by the number of runs. On
// overflow, Cost returns the largest number.
func Cost(each, times uint64) uint64 {
	if each != 0 && times > math.MaxUint64/each {
		return math.MaxUint64
	}
	return each * times
}

// These are the limits of the API server for the estimated cost of CEL rules: for one
// rule, and for all rules of a version together.
const (
	MaxRuleCost  = 10_000_000
	MaxTotalCost = 100_000_000
)
