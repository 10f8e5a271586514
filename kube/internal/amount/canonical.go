// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package amount has quantities as an API server has them: how it writes them, rounds them and
// adds them up.
package amount

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/quantity"
)

// Canonical is the text that an API server has of a quantity: 1 of 1000m, 1Mi of 1024Ki.
// Null is 0. It is not the same for all spellings of a number, since units of 1000, of 1024
// and powers of ten stay what they are, and some texts are left as they were sent, such as
// 1.500. It fails of what is no quantity.
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
		data, err := json.Marshal(v) // as clients write it
		if err != nil {
			return "", false
		}
		return canonical(string(data))
	}
	return "", false
}

// powers are the powers of ten of decimal units.
var powers = map[string]int{"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}

const (
	binaryUnits = "KMGTPE"
	// fastDigits is how many digits a number may have to be read as an integer.
	fastDigits = 18
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
		power, _ = strconv.Atoi(suffix[1:]) // it has been read
	}
	binary := !decimal && strings.HasSuffix(suffix, "i")
	fast := false
	if binary {
		fast = fraction == "" && len(whole) <= binaryDigits(suffix) && number.Num().IsInt64()
	} else {
		fast = len(whole)+len(fraction) <= fastDigits && power-len(fraction) >= -9
	}
	if fast && staysAsSent(whole+fraction, power-len(fraction), binary) {
		return s, true
	}
	if number.Sign() == 0 {
		return "0", true
	}
	if !fast {
		number = rounded(number, binary)
	}
	one := big.NewRat(1, 1)
	abs := new(big.Rat).Abs(number)
	if binary && (abs.Cmp(one) < 0 || abs.Cmp(big.NewRat(1024, 1)) < 0 || !number.IsInt()) {
		binary, decimal = false, true
	}
	if binary {
		return inBinary(number.Num()), true
	}
	return inDecimal(number, decimal), true
}

// binaryDigits is how many digits before a binary unit are read as an integer.
func binaryDigits(suffix string) int {
	exponent := 10 * (1 + strings.Index(binaryUnits, suffix[:1]))
	return 14 - int(float32(exponent)*3/10)
}

// staysAsSent says whether a server remembers the text of a number that it reads as an
// integer, since it looks canonical.
func staysAsSent(digits string, power int, binary bool) bool {
	if binary {
		last, _ := strconv.ParseInt(digits, 10, 64) // they are few
		return last&7 != 0
	}
	return power%3 == 0 && !strings.HasSuffix(digits, "000") && digits[0] != '0'
}

// rounded is a number that is too long for an integer: not finer than 1n, away from zero,
// and not more than 2^63-1 if it has a binary unit.
func rounded(x *big.Rat, binary bool) *big.Rat {
	x = toParts(x, 1e9)
	limit := new(big.Rat).SetInt64(1<<63 - 1)
	if binary && new(big.Rat).Abs(x).Cmp(limit) > 0 {
		if x.Sign() < 0 {
			return limit.Neg(limit)
		}
		return limit
	}
	return x
}

// toParts is x as a whole number of parts of 1, rounded away from zero.
func toParts(x *big.Rat, parts int64) *big.Rat {
	return new(big.Rat).SetFrac(Ceil(new(big.Rat).Mul(x, big.NewRat(parts, 1))), big.NewInt(parts))
}

// Ceil is a number rounded away from zero.
func Ceil(x *big.Rat) *big.Int {
	n, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	return n.Add(n, big.NewInt(int64(rest.Sign())))
}

// inBinary writes n in the largest binary unit of which it is a whole number.
func inBinary(n *big.Int) string {
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

// inDecimal writes x, which is no finer than 1n, in the largest unit of which it is a whole
// number, or with a power of ten.
func inDecimal(x *big.Rat, units bool) string {
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
	return n.String() // there is no unit beyond E, and servers leave it out
}
