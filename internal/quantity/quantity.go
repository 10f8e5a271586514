// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package quantity tells which spellings of Kubernetes' quantities are the same
// number: 1, 1.0, 1000m, 1e0; 1Ki and 1024. It computes with integers only, so that
// no two numbers are the same that differ in the last digit.
//
// It compares what is written. An API server rounds what is finer than 1n and caps
// what is beyond 2^63; here that is another quantity.
package quantity

import (
	"math/big"
	"strconv"
	"strings"
)

const (
	// maxText bounds the text of a quantity, maxExponent the power of ten that it
	// may write.
	maxText     = 256
	maxExponent = 256
)

// Equal says whether a and b, as decoded from JSON or YAML, are the same quantity.
// What is no quantity is equal to nothing.
func Equal(a, b any) bool {
	x, ok := parse(a)
	if !ok {
		return false
	}
	y, ok := parse(b)
	return ok && x.equal(y)
}

// number is digits × 10^ten × 2^two.
type number struct {
	digits   *big.Int
	ten, two int
}

func (x number) equal(y number) bool {
	return x.over(y).Cmp(y.over(x)) == 0
}

// over is the digits of x in the smaller of the powers of x and y.
func (x number) over(y number) *big.Int {
	out := new(big.Int).Set(x.digits)
	if n := x.ten - y.ten; n > 0 {
		out.Mul(out, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
	}
	if n := x.two - y.two; n > 0 {
		out.Lsh(out, uint(n))
	}
	return out
}

func parse(v any) (number, bool) {
	switch v := v.(type) {
	case string:
		return parseText(v)
	case int64:
		return number{digits: big.NewInt(v)}, true
	case int:
		return number{digits: big.NewInt(int64(v))}, true
	case float64:
		// As it is written: the shortest text that is this number.
		return parseText(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return number{}, false
}

// suffixes are the units, with their powers of ten and of two.
var suffixes = map[string]struct{ ten, two int }{
	"n": {-9, 0}, "u": {-6, 0}, "m": {-3, 0}, "": {},
	"k": {3, 0}, "M": {6, 0}, "G": {9, 0}, "T": {12, 0}, "P": {15, 0}, "E": {18, 0},
	"Ki": {0, 10}, "Mi": {0, 20}, "Gi": {0, 30}, "Ti": {0, 40}, "Pi": {0, 50}, "Ei": {0, 60},
}

func parseText(s string) (number, bool) {
	if len(s) > maxText {
		return number{}, false
	}
	sign := ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = strings.TrimPrefix(s[:1], "+"), s[1:]
	}
	end := strings.IndexFunc(s, func(c rune) bool { return c != '.' && (c < '0' || c > '9') })
	if end < 0 {
		end = len(s)
	}
	whole, fraction, _ := strings.Cut(s[:end], ".")
	if whole+fraction == "" || strings.Contains(fraction, ".") {
		return number{}, false
	}
	digits, ok := new(big.Int).SetString(sign+whole+fraction, 10)
	if !ok {
		return number{}, false
	}
	x := number{digits: digits, ten: -len(fraction)}
	suffix := s[end:]
	if unit, ok := suffixes[suffix]; ok {
		x.ten, x.two = x.ten+unit.ten, unit.two
		return x, true
	}
	if suffix[0] != 'e' && suffix[0] != 'E' {
		return number{}, false
	}
	exponent, err := strconv.ParseInt(suffix[1:], 10, 64)
	if err != nil || exponent > maxExponent || exponent < -maxExponent {
		return number{}, false
	}
	x.ten += int(exponent)
	return x, true
}
