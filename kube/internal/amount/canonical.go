// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package amount formats, rounds and adds quantities like an API server.
package amount

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/quantity"
)

// Canonical returns a quantity as an API server writes it: 1 for 1000m, 1Mi for 1024Ki, 0 for null.
// Equal quantities can have different canonical texts, because a server keeps the kind of unit
// (decimal, binary or a power of ten) and keeps some texts unchanged, such as 1.500. ok is false if
// v is not a quantity.
func Canonical(v any) (text string, ok bool) {
	switch v := v.(type) {
	case nil:
		return "0", true
	case string:
		return canonical(strings.TrimSpace(v))
	case int64:
		return canonical(strconv.FormatInt(v, 10))
	case int:
		return canonical(strconv.Itoa(v))
	case float64:
		data, err := json.Marshal(v) // encode the number as a client would
		if err != nil {
			return "", false
		}
		return canonical(string(data))
	}
	return "", false
}

// powers maps each decimal unit to its power of ten.
var powers = map[string]int{"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}

const (
	binaryUnits = "KMGTPE"
	// shortDigits is the maximum number of digits that a server reads as an integer.
	shortDigits = 18
)

func canonical(s string) (string, bool) {
	number := quantity.Number(s)
	if number == nil {
		return "", false
	}
	digits := strings.TrimLeft(s, "+-")
	suffix := strings.TrimLeft(digits, "0123456789.")
	whole, fraction, _ := strings.Cut(strings.TrimSuffix(digits, suffix), ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	power, decimal := powers[suffix]
	if !decimal && !strings.HasSuffix(suffix, "i") {
		power, _ = strconv.Atoi(suffix[1:]) // this cannot fail, because quantity.Number has checked the text
	}
	binary := !decimal && strings.HasSuffix(suffix, "i")
	short := false
	if binary {
		short = fraction == "" && len(whole) <= binaryDigits(suffix) && number.Num().IsInt64()
	} else {
		short = len(whole)+len(fraction) <= shortDigits && power-len(fraction) >= -9
	}
	if short && keepsText(whole+fraction, power-len(fraction), binary) {
		return s, true
	}
	if number.Sign() == 0 {
		return "0", true
	}
	if !short {
		number = roundLong(number, binary)
	}
	one := big.NewRat(1, 1)
	abs := new(big.Rat).Abs(number)
	if binary && (abs.Cmp(one) < 0 || abs.Cmp(big.NewRat(1024, 1)) < 0 || !number.IsInt()) {
		binary, decimal = false, true
	}
	if binary {
		return formatBinary(number.Num()), true
	}
	return formatDecimal(number, decimal), true
}

// binaryDigits returns the maximum number of digits that a server reads as an integer before a
// binary unit, such as Mi.
func binaryDigits(suffix string) int {
	exponent := 10 * (1 + strings.Index(binaryUnits, suffix[:1]))
	return 14 - int(float32(exponent)*3/10)
}

// keepsText reports whether a server keeps the text of a quantity instead of formatting the quantity
// again. A server keeps a text that it reads as an integer and that looks canonical.
func keepsText(digits string, power int, binary bool) bool {
	if binary {
		last, _ := strconv.ParseInt(digits, 10, 64) // the number is short enough to fit
		return last&7 != 0
	}
	return power%3 == 0 && !strings.HasSuffix(digits, "000") && digits[0] != '0'
}

// roundLong rounds a quantity that has too many digits to be read as an integer. It rounds away
// from zero to a multiple of 1n. With a binary unit, the result is limited to 2^63-1.
func roundLong(x *big.Rat, binary bool) *big.Rat {
	x = roundToParts(x, 1e9)
	limit := new(big.Rat).SetInt64(1<<63 - 1)
	if binary && new(big.Rat).Abs(x).Cmp(limit) > 0 {
		if x.Sign() < 0 {
			return limit.Neg(limit)
		}
		return limit
	}
	return x
}

// roundToParts rounds x away from zero to a multiple of 1/parts.
func roundToParts(x *big.Rat, parts int64) *big.Rat {
	return new(big.Rat).SetFrac(Ceil(new(big.Rat).Mul(x, big.NewRat(parts, 1))), big.NewInt(parts))
}

// Ceil rounds a number away from zero.
func Ceil(x *big.Rat) *big.Int {
	n, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	return n.Add(n, big.NewInt(int64(rest.Sign())))
}

// formatBinary formats n with the largest binary unit for which the number stays an
// integer.
func formatBinary(n *big.Int) string {
	unit := ""
	for _, u := range binaryUnits {
		q, rest := new(big.Int).QuoRem(n, big.NewInt(1024), new(big.Int))
		if rest.Sign() != 0 {
			break
		}
		n, unit = q, string(u)+"i"
	}
	return n.String() + unit
}

// formatDecimal formats x with the largest decimal unit for which the number stays an
// integer. If units is false, it writes a power of ten instead of a unit. x must be a
// multiple of 1n.
func formatDecimal(x *big.Rat, units bool) string {
	n := new(big.Rat).Mul(x, big.NewRat(1e9, 1)).Num()
	power := -9
	for {
		q, rest := new(big.Int).QuoRem(n, big.NewInt(1000), new(big.Int))
		if rest.Sign() != 0 {
			break
		}
		n, power = q, power+3
	}
	switch {
	case power == 0:
		return n.String()
	case !units:
		return n.String() + "e" + strconv.Itoa(power)
	}
	for unit, p := range powers {
		if p == power {
			return n.String() + unit
		}
	}
	return n.String() // no unit is larger than E, so servers write none
}
