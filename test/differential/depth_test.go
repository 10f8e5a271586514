// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/test/differential/run"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
	upstreamfieldpath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	upstreamtyped "sigs.k8s.io/structured-merge-diff/v6/typed"
	upstreamvalue "sigs.k8s.io/structured-merge-diff/v6/value"
)

// TestDecodersLimitDepth checks that both libraries decode 10,000 levels, and return the same
// error for more levels (depth in DIFFERENCES.md). Only Dovetail also limits the depth of data that
// it encodes.
func TestDecodersLimitDepth(t *testing.T) {
	const most = 10_000
	decoders := []struct {
		name         string
		document     func(levels int) string
		theirs, ours func(text string) error
	}{
		{
			"Set.FromJSON", func(n int) string { return strings.Repeat(`{"f:a":`, n-1) + "{}" + strings.Repeat("}", n-1) },
			func(text string) error { return new(upstreamfieldpath.Set).FromJSON(strings.NewReader(text)) },
			func(text string) error { return new(fieldpath.Set).FromJSON(strings.NewReader(text)) },
		},
		{
			"value.FromJSON", func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) },
			func(text string) error { _, err := upstreamvalue.FromJSON([]byte(text)); return err },
			func(text string) error { _, err := value.FromJSON([]byte(text)); return err },
		},
		{
			"FromYAML", func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) },
			func(text string) error {
				_, err := upstreamtyped.DeducedParseableType.FromYAML(upstreamtyped.YAMLObject(text))
				return err
			},
			func(text string) error {
				_, err := typed.DeducedParseableType.FromYAML(typed.YAMLObject(text))
				return err
			},
		},
	}
	for _, d := range decoders {
		if theirs, ours := d.theirs(d.document(most)), d.ours(d.document(most)); theirs != nil || ours != nil {
			t.Errorf("%s, %d levels: structured-merge-diff returns %v, Dovetail returns %v", d.name, most, theirs, ours)
		}
		theirs, ours := d.theirs(d.document(most+1)), d.ours(d.document(most+1))
		if theirs == nil || ours == nil || theirs.Error() != ours.Error() || !strings.Contains(ours.Error(), "exceeded max depth") {
			t.Errorf("%s, %d levels: structured-merge-diff returns %v, Dovetail returns %v", d.name, most+1, theirs, ours)
		}
	}
	var deep any
	for range most + 1 {
		deep = []any{deep}
	}
	if _, err := upstreamvalue.ToJSON(upstreamvalue.NewValueInterface(deep)); err != nil {
		t.Errorf("structured-merge-diff has changed: ToJSON returns %v", err)
	}
	if _, err := upstreamvalue.ToYAML(upstreamvalue.NewValueInterface(deep)); err != nil {
		t.Errorf("structured-merge-diff has changed: ToYAML returns %v", err)
	}
	for name, encode := range map[string]func(value.Value) ([]byte, error){"ToJSON": value.ToJSON, "ToYAML": value.ToYAML} {
		if _, err := encode(value.NewValueInterface(deep)); err == nil || err.Error() != "exceeded max depth of 10000" {
			t.Errorf("%s returns %v", name, err)
		}
	}
}

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
