// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/internal/amount"
)

var amountRules = []*rule{{
	name:    "rounded-amounts",
	summary: "Resource quantities are rounded up to thousandths.",
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
		if text, ok := amount.RoundToThousandths(v); ok {
			p.set(name, text)
		}
	}
}

// mayBeFine reports whether v might be a quantity finer than thousandths, such as 1.0005 or 100u.
// It is a quick check that rules out most quantities.
func mayBeFine(v any) bool {
	switch x := v.(type) {
	case string:
		return strings.ContainsAny(x, ".nueE")
	case float64:
		return true
	}
	return false
}
