// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package amount

import (
	"math/big"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/quantity"
)

// Number is the number that an API server reads of a quantity, nil of what is none. The caller
// may write to it.
func Number(v any) *big.Rat {
	text, ok := Canonical(v)
	if !ok {
		return nil
	}
	return quantity.Number(text)
}

// InThousandths is the text of a quantity rounded up to thousandths, away from zero. It fails if
// nothing is to be rounded, or if v is no quantity.
func InThousandths(v any) (text string, ok bool) {
	text, _ = Canonical(v)
	x := quantity.Number(text)
	if x == nil {
		return "", false
	}
	rounded := toParts(x, 1000)
	return write(rounded, text), rounded.Cmp(x) != 0
}

// sum is the text of what is added up: in units as those of the first that is not 0; one alone
// stays what it is. What is no quantity is left out.
func sum(all []any) string {
	total, first := new(big.Rat), "0"
	for _, v := range all {
		text, _ := Canonical(v)
		if x := quantity.Number(text); x != nil {
			if total.Sign() == 0 {
				first = text
			}
			total.Add(total, x)
		}
	}
	if len(all) == 1 {
		return first
	}
	return write(total, first)
}

// write is the text of x in units as those of another quantity.
func write(x *big.Rat, like string) string {
	suffix := strings.TrimLeft(like, "+-.0123456789")
	switch {
	case x.Sign() == 0:
		return "0"
	case strings.HasSuffix(suffix, "i") && x.IsInt() && x.Num().CmpAbs(big.NewInt(1024)) >= 0:
		return inBinary(x.Num())
	default:
		return inDecimal(x, !strings.HasPrefix(suffix, "e") && (len(suffix) < 2 || suffix[0] != 'E'))
	}
}
