// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestDeepObjects checks that Apply and Update return an error if an object that was not
// validated is nested deeper than 10,000 levels. They must not overflow the stack.
func TestDeepObjects(t *testing.T) {
	pt := typed.DeducedParseableType
	object := func(levels int, leaf string) *typed.TypedValue {
		var v any = leaf
		for range levels {
			v = map[string]any{"a": v}
		}
		return typed.AsTypedUnvalidated(value.NewValueInterface(v), pt.Schema, pt.TypeRef)
	}
	u := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()
	owned := fieldpath.ManagedFields{"other": fieldpath.NewVersionedSet(fieldpath.NewSet(fieldpath.MakePathOrDie("b")), "v1", true)}
	for _, managers := range []fieldpath.ManagedFields{{}, owned} {
		for _, levels := range []int{10_000, 10_001, 100_000} {
			for name, call := range map[string]func() error{
				"Apply, config": func() error {
					_, _, err := u.Apply(object(1, "x"), object(levels, "y"), "v1", managers, "m", false)
					return err
				},
				"Apply, live": func() error {
					_, _, err := u.Apply(object(levels, "x"), object(1, "y"), "v1", managers, "m", false)
					return err
				},
				"Apply, both": func() error {
					_, _, err := u.Apply(object(levels, "x"), object(levels, "y"), "v1", managers, "m", false)
					return err
				},
				"Update, live": func() error {
					_, _, err := u.Update(object(levels, "x"), object(1, "y"), "v1", managers, "m")
					return err
				},
				"Update, new": func() error {
					_, _, err := u.Update(object(1, "x"), object(levels, "y"), "v1", managers, "m")
					return err
				},
				"Update, both": func() error {
					_, _, err := u.Update(object(levels, "x"), object(levels, "y"), "v1", managers, "m")
					return err
				},
			} {
				err := call()
				if levels == 10_000 && err != nil || levels > 10_000 && (err == nil || !strings.HasSuffix(err.Error(), "nested more than 10000 levels deep")) {
					t.Errorf("%s, %d levels, %d managers: got the error %.200v", name, levels, len(managers), err)
				}
			}
		}
	}
}
