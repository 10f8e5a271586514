// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"math"
)

// Elements returns the maximum number of values of the children of n for each value of n, or
// Unbounded if no keyword limits the number.
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

// Multiply returns a*b. The result is Unbounded if a or b is Unbounded, and otherwise
// at most Unbounded-1.
func Multiply(a, b uint64) uint64 {
	switch {
	case a == Unbounded || b == Unbounded:
		return Unbounded
	case a != 0 && b > math.MaxUint64/a:
		return Unbounded - 1
	}
	return a * b
}

// Unbounded is the number of values of a schema if nothing limits it.
const Unbounded = math.MaxUint64

// Cost returns the cost of a rule from the cost of one run (each) and the number of
// runs (times). On overflow, it returns the largest number.
func Cost(each, times uint64) uint64 {
	if each != 0 && times > math.MaxUint64/each {
		return math.MaxUint64
	}
	return each * times
}

// These are the limits of the estimated cost of rules in x-kubernetes-validations: one
// for each rule, and one for all rules of a version together. The API server uses the
// same numbers.
const (
	MaxRuleCost  = 10_000_000
	MaxTotalCost = 100_000_000
)
