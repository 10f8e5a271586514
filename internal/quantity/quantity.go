// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package quantity reports whether two Kubernetes quantities are the same number. For example,
// 1, 1.0, 1000m and 1e0 are the same, and so are 1Ki and 1024. It computes with fractions, so
// numbers that differ only in the last digit are different.
//
// The package compares the numbers as they are written. It does not imitate an API server,
// which rounds a number that is finer than 1n, and replaces a number above 2^63 with this
// limit.
package quantity

import (
	"math/big"
	"strconv"
	"strings"
)

const (
	// maxText is the maximum length of the text of a quantity, and maxExponent is the maximum
	// exponent in it.
	maxText     = 256
	maxExponent = 256
)

// Equal reports whether a and b, as decoded from JSON or YAML, are the same quantity. It
// returns false if a or b is not a quantity.
func Equal(a, b any) bool {
	order, ok := Compare(a, b)
	return ok && order == 0
}

// Compare returns -1 if a is less than b, 0 if they are the same quantity, and +1 if a is
// greater than b. ok is false if a or b is not a quantity.
func Compare(a, b any) (order int, ok bool) {
	x, y := Number(a), Number(b)
	if x == nil || y == nil {
		return 0, false
	}
	return x.Cmp(y), true
}

// Number returns the exact number of v, as decoded from JSON or YAML. It returns nil if v is
// not a quantity. The caller may modify the result.
func Number(v any) *big.Rat {
	switch v := v.(type) {
	case string:
		return parseText(v)
	case int64:
		return new(big.Rat).SetInt64(v)
	case int:
		return new(big.Rat).SetInt64(int64(v))
	case float64:
		// Parse the shortest text of this float, so that 0.1 is exactly one tenth.
		return parseText(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return nil
}

// units maps each suffix to its factor.
var units = map[string]string{
	"n": "1e-9", "u": "1e-6", "m": "1e-3", "": "1",
	"k": "1e3", "M": "1e6", "G": "1e9", "T": "1e12", "P": "1e15", "E": "1e18",
	"Ki": "1p10", "Mi": "1p20", "Gi": "1p30", "Ti": "1p40", "Pi": "1p50", "Ei": "1p60",
}

func parseText(s string) *big.Rat {
	if len(s) > maxText {
		return nil
	}
	suffix := strings.TrimLeft(strings.TrimLeft(s, "+-"), "0123456789.")
	x, ok := new(big.Rat).SetString(strings.TrimSuffix(s, suffix))
	if !ok {
		return nil
	}
	unit, known := units[suffix]
	if !known {
		exponent, err := strconv.Atoi(suffix[1:])
		if suffix[0] != 'e' && suffix[0] != 'E' || err != nil || exponent > maxExponent || exponent < -maxExponent {
			return nil
		}
		unit = "1e" + strconv.Itoa(exponent)
	}
	y, _ := new(big.Rat).SetString(unit) // unit is always valid
	return x.Mul(x, y)
}
