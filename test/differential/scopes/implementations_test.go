// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"os"
	"testing"

	"github.com/dovetail-ssa/dovetail/spec/model"
	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream4"
)

// TestImplementations runs the cases of spec on several engines. It compares the numbers of
// passed cases, and the failures, with testdata/implementations.txt.
func TestImplementations(t *testing.T) {
	var got string
	for _, i := range []struct {
		name string
		e    engine.Engine
	}{{"Dovetail", ours.New()}, {"structured-merge-diff v6", upstream.New()}, {"structured-merge-diff v4", upstream4.New()}} {
		r, err := Results(i.name, By(i.e), model.V6, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		got += r
	}
	const file = "testdata/implementations.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || got != string(want) {
		t.Errorf("%s is not up to date, -update would write (%v)\n%s", file, err, got)
	}
}
