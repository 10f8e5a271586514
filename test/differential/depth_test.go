// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/test/differential/run"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// TestDeepObjects compares results for objects of 500 levels, because random objects are not
// deep. At depths that Dovetail rejects, structured-merge-diff would run out of stack.
func TestDeepObjects(t *testing.T) {
	const depth = 500
	object := func(leaf any) *scenario.Object {
		for i := 0; i < depth; i++ {
			leaf = map[string]any{"a": leaf}
		}
		return &scenario.Object{Tree: leaf, Flavor: tree.JSON, Mode: engine.Validated}
	}
	set := strings.Repeat(`{"f:a":`, depth-1) + `{"f:a":{}}` + strings.Repeat("}", depth-1)
	c := &scenario.Case{
		Schemas:   []scenario.Schema{{}},
		Versions:  []scenario.Version{{Name: "v1", Type: "__untyped_deduced_"}},
		RoundTrip: true,
		Steps: []scenario.Step{
			{Op: "fieldset", Version: "v1", Object: object("x")},
			{Op: "compare", Version: "v1", Object: object("x"), Other: object(int64(1))},
			{Op: "merge", Version: "v1", Object: object("x"), Other: object([]any{})},
			{Op: "remove", Version: "v1", Object: object("x"), Set: set},
			{Op: "extract", Version: "v1", Object: object("x"), Set: set},
			{Op: "apply", Version: "v1", Manager: "m1", Object: object("x")},
			{Op: "apply", Version: "v1", Manager: "m2", Object: object("y")},
			{Op: "apply", Version: "v1", Manager: "m2", Object: object("y"), Force: true},
			{Op: "update", Version: "v1", Manager: "m3", Object: object(nil)},
			{Op: "values", Object: object("x"), Other: object("y")},
		},
	}
	r := run.New(upstream.New(), ours.New())
	if d := r.Check(c); d != nil {
		text := d.String()
		t.Fatalf("%s\n%s", d.Key(), text[:min(len(text), 2000)])
	}
	if r.Stats.Operations != len(c.Steps) || r.Stats.Conflicts != 1 {
		t.Errorf("%d operations ran, with %d conflicts", r.Stats.Operations, r.Stats.Conflicts)
	}
}
