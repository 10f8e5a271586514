// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

var amountRules = []*rule{{
	name:    "rounded-amounts",
	says:    "Amounts of resources are rounded up to thousandths.",
	types:   core("ResourceList"),
	writes:  []string{"{}"},
	changes: true,
	fill:    roundAmounts,
}}

func roundAmounts(p *place) {
	for _, name := range sortedKeys(p.data) {
		v := p.data[name]
		if !mayBeFine(v) {
			continue
		}
		if a, ok := readAmount(v); ok {
			if rounded := a.roundUp(); rounded.number.Cmp(a.number) != 0 {
				p.set(name, rounded.String())
			}
		}
	}
}

// mayBeFine says whether v may write an amount that is finer than thousandths. Most have
// neither digits after a point nor a small unit.
func mayBeFine(v any) bool {
	switch x := v.(type) {
	case string:
		return strings.ContainsAny(x, ".nueE")
	case float64:
		return true
	}
	return false
}

// amount is a quantity, with how it is written.
type amount struct {
	number *big.Rat
	form   amountForm
}

// amountForm is a family of suffixes.
type amountForm int

const (
	decimal  amountForm = iota // n u m k M G T P E
	binary                     // Ki Mi Gi Ti Pi Ei
	exponent                   // e3
)

const (
	decimalUnits = "numkMGTPE" // without a suffix between m and k
	binaryUnits  = "KMGTPE"
	// maxAmountText and maxAmountExponent bound what is read.
	maxAmountText, maxAmountExponent = 256, 64
)

// readAmount reads a quantity as plain data has it.
func readAmount(v any) (amount, bool) {
	switch x := v.(type) {
	case int64:
		return amount{number: new(big.Rat).SetInt64(x)}, true
	case int:
		return amount{number: new(big.Rat).SetInt64(int64(x))}, true
	case float64:
		v, _ := json.Marshal(x) // as clients write it
		return amountOf(string(v))
	case string:
		return amountOf(x)
	}
	return amount{}, false
}

func amountOf(s string) (amount, bool) {
	s = strings.TrimSpace(s)
	if len(s) > maxAmountText {
		return amount{}, false
	}
	digits := strings.TrimLeft(s, "+-")
	suffix := strings.TrimLeft(digits, "0123456789.")
	number := strings.TrimSuffix(s, suffix)
	var a amount
	switch power, known := unitPower(suffix); {
	case known:
		number += "e" + strconv.Itoa(power)
	case len(suffix) == 2 && suffix[1] == 'i' && strings.Contains(binaryUnits, suffix[:1]):
		a.form = binary
	case suffix[0] == 'e' || suffix[0] == 'E':
		power, err := strconv.Atoi(suffix[1:])
		if err != nil || power > maxAmountExponent || power < -maxAmountExponent {
			return amount{}, false
		}
		a.form = exponent
		number += "e" + strconv.Itoa(power)
	default:
		return amount{}, false
	}
	var ok bool
	if a.number, ok = new(big.Rat).SetString(number); !ok {
		return amount{}, false
	}
	if a.form == binary {
		unit := new(big.Int).Lsh(big.NewInt(1), uint(10*(1+strings.Index(binaryUnits, suffix[:1]))))
		a.number.Mul(a.number, new(big.Rat).SetInt(unit))
	}
	return a, true
}

// unitPower is the power of ten of a decimal suffix.
func unitPower(suffix string) (int, bool) {
	if suffix == "" {
		return 0, true
	}
	i := strings.Index(decimalUnits, suffix)
	if len(suffix) != 1 || i < 0 {
		return 0, false
	}
	if i >= 3 { // k: nothing stands for one
		i++
	}
	return 3*i - 9, true
}

// roundUp is a rounded to thousandths, away from zero.
func (a amount) roundUp() amount {
	thousandths := new(big.Rat).Mul(a.number, big.NewRat(1000, 1))
	if thousandths.IsInt() {
		return a
	}
	n, rest := new(big.Int).QuoRem(thousandths.Num(), thousandths.Denom(), new(big.Int))
	n.Add(n, big.NewInt(int64(rest.Sign())))
	return amount{new(big.Rat).SetFrac(n, big.NewInt(1000)), a.form}
}

// plus is the sum, written as a is, or as b if a is nothing.
func (a amount) plus(b amount) amount {
	if a.number.Sign() == 0 {
		a.form = b.form
	}
	return amount{new(big.Rat).Add(a.number, b.number), a.form}
}

// String writes a as the API server does: the largest unit of which there is a whole
// number.
func (a amount) String() string {
	if a.form == binary && a.number.IsInt() && a.number.Num().CmpAbs(big.NewInt(1024)) >= 0 {
		n, unit := new(big.Int).Set(a.number.Num()), ""
		for _, u := range binaryUnits {
			q, rest := new(big.Int).QuoRem(n, big.NewInt(1024), new(big.Int))
			if rest.Sign() != 0 {
				break
			}
			n, unit = q, string(u)+"i"
		}
		return n.String() + unit
	}
	// What is finer than nano was rounded when it was read.
	nano := new(big.Rat).Mul(a.number, big.NewRat(1e9, 1))
	n, rest := new(big.Int).QuoRem(nano.Num(), nano.Denom(), new(big.Int))
	n.Add(n, big.NewInt(int64(rest.Sign())))
	if n.Sign() == 0 {
		return "0"
	}
	power := -9
	for power < 18 {
		q, rest := new(big.Int).QuoRem(n, big.NewInt(1000), new(big.Int))
		if rest.Sign() != 0 {
			break
		}
		n, power = q, power+3
	}
	switch {
	case power == 0:
		return n.String()
	case a.form == exponent:
		return n.String() + "e" + strconv.Itoa(power)
	}
	i := (power + 9) / 3
	if i > 3 {
		i--
	}
	return n.String() + decimalUnits[i:i+1]
}
