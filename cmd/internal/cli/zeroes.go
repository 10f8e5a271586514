// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

func registerZeroes(flags *pflag.FlagSet, zeroes *bool) {
	flags.BoolVar(zeroes, "zero-is-absent", false,
		`built-in types: "", 0, false, [] and {} that somebody applied and that are not stored are shared, and no change; a list key that is "" or 0 is missing`)
}

// zeroKeys makes list keys of built-in types that are zero count as missing.
func (t *types) zeroKeys() { t.zeroUnset = map[*schema.Schema]*schema.Schema{} }

// withZeroKeys is the type of a kind as zeroKeys says.
func (t *types) withZeroKeys(found typed.ParseableType, apiVersion, kind string) typed.ParseableType {
	if t.zeroUnset == nil || !t.builtin(apiVersion, kind) {
		return found
	}
	s, ok := t.zeroUnset[found.Schema]
	if !ok {
		s = &schema.Schema{
			Types:               found.Schema.Types,
			DeclarativeDefaults: found.Schema.DeclarativeDefaults,
			MissingKeys:         found.Schema.MissingKeys,
			ZeroKeysUnset:       true,
		}
		t.zeroUnset[found.Schema] = s
	}
	found.Schema = s
	return found
}
