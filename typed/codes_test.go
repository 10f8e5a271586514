// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/rekey"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestCodesMatchInternalOnes checks that the constants for rules and reasons in package typed
// have the same values as the constants of the internal packages.
func TestCodesMatchInternalOnes(t *testing.T) {
	for public, code := range map[typed.Rule]diag.Code{
		typed.WrongType: diag.WrongType, typed.UndeclaredField: diag.Undeclared, typed.DuplicateItem: diag.Duplicate,
		typed.NoIdentity: diag.NoIdentity, typed.BadSchema: diag.BadSchema, typed.TooDeep: diag.TooDeep,
	} {
		if string(public) != string(code) {
			t.Errorf("rule %s is %s internally", public, code)
		}
	}
	for public, reason := range map[typed.MoveReason]rekey.Reason{
		typed.MoveRekeyed: rekey.ReasonRekeyed, typed.MoveMerged: rekey.ReasonMerged, typed.MoveSplit: rekey.ReasonSplit,
		typed.MoveShared: rekey.ReasonShared, typed.MoveNoItem: rekey.ReasonNoItem, typed.MoveLeftOut: rekey.ReasonLeftOut,
		typed.MoveUnnamed: rekey.ReasonUnnamed, typed.MoveBecameAtomic: rekey.ReasonBecameAtomic,
		typed.MoveBecameGranular: rekey.ReasonBecameGranular, typed.MoveFieldGone: rekey.ReasonFieldGone,
		typed.MoveKindChanged: rekey.ReasonKindChanged,
	} {
		if string(public) != string(reason) {
			t.Errorf("reason %s is %s internally", public, reason)
		}
	}
}
