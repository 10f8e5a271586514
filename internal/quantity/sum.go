// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package quantity

import (
	"math/big"
	"strings"
)

// Number is the number that an API server reads of a quantity, nil of what is none. The caller
// may write to it.
func Number(v any) *big.Rat {
	text, ok := Canonical(v)
	if !ok {
		return nil
	}
	return parseText(text)
}

// Sum is the text that an API server has of a sum: in units as those of the first that is not 0;
// one alone stays what it is. It fails if one is no quantity.
func Sum(all ...any) (text string, ok bool) {
	sum, suffix := new(big.Rat), ""
	for _, v := range all {
		if text, ok = Canonical(v); !ok {
			return "", false
		}
		if sum.Sign() == 0 {
			suffix = strings.TrimLeft(text, "+-.0123456789")
		}
		sum.Add(sum, parseText(text))
	}
	switch {
	case len(all) == 1:
		return text, true
	case sum.Sign() == 0:
		return "0", true
	case strings.HasSuffix(suffix, "i") && sum.IsInt() && new(big.Rat).Abs(sum).Cmp(big.NewRat(1024, 1)) >= 0:
		return inBinary(sum.Num()), true
	default:
		return inDecimal(sum, !strings.HasPrefix(suffix, "e") && (len(suffix) < 2 || suffix[0] != 'E')), true
	}
}
