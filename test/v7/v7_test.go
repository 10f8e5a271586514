// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v7

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/fieldsv1"
	"github.com/dovetail-ssa/dovetail/test/differential/gen"
	"github.com/dovetail-ssa/dovetail/test/differential/run"
	"github.com/dovetail-ssa/dovetail/test/v7/upstream7"
)

func init() { schema.SetProcessPolicies(schema.Policies{Version: schema.Version7}) }

// TestRandomCases runs some of the random cases of cmd/ssadiff.
func TestRandomCases(t *testing.T) {
	maker := gen.Maker{}
	r := run.New(upstream7.New(), ours.New())
	for seed := range uint64(1500) {
		if d := r.Check(maker.Case(seed)); d != nil {
			t.Errorf("seed %d: %v", seed, d)
		}
	}
}

// TestFieldsV1 runs some of the documents of cmd/fieldsv1.
func TestFieldsV1(t *testing.T) {
	for n := range uint64(10000) {
		if _, difference := fieldsv1.Difference(Steady(upstream7.FieldsV1()), Steady(ours.FieldsV1()), 1, n); difference != "" {
			t.Errorf("document %d: %s", n, difference)
		}
	}
}
