// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package amount

import (
	"math/big"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/quantity"
)

// Number returns the number that an API server reads from a quantity, or nil if v is not a
// quantity. Callers may change the result.
func Number(v any) *big.Rat {
	text, ok := Canonical(v)
	if !ok {
		return nil
	}
	return quantity.Number(text)
}

// RoundToThousandths rounds a quantity away from zero to three decimal places and returns
// its text. ok is false if v needs no rounding or is not a quantity.
func RoundToThousandths(v any) (text string, ok bool) {
	text, _ = Canonical(v)
	x := quantity.Number(text)
	if x == nil {
		return "", false
	}
	rounded := roundToParts(x, 1000)
	return write(rounded, text), rounded.Cmp(x) != 0
}

// sum adds up quantities and returns the total as text. The total has the same kind of unit as the
// first quantity that is not 0. Values that are not quantities are ignored.
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

// write formats a number as a quantity, with the same kind of unit as the quantity in the argument
// like. The kind of unit is decimal, binary or a power of ten.
func write(x *big.Rat, like string) string {
	suffix := strings.TrimLeft(like, "+-.0123456789")
	switch {
	case x.Sign() == 0:
		return "0"
	case strings.HasSuffix(suffix, "i") && x.IsInt() && x.Num().CmpAbs(big.NewInt(1024)) >= 0:
		return formatBinary(x.Num())
	default:
		return formatDecimal(x, !strings.HasPrefix(suffix, "e") && (len(suffix) < 2 || suffix[0] != 'E'))
	}
}
