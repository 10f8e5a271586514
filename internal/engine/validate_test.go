// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

func TestValidateBoundsDepth(t *testing.T) {
	n := &graph.Node{Scalar: graph.String}
	n.List = &graph.List{Item: n, Relation: graph.Atomic}
	deep := func(levels int) any {
		var v any = "x"
		for range levels {
			v = []any{v}
		}
		return v
	}
	if _, findings := Validate(n, deep(data.MaxDepth), false); findings != nil {
		t.Errorf("%d levels: %v", data.MaxDepth, findings)
	}
	if _, findings := Validate(n, deep(data.MaxDepth+1), false); findings == nil {
		t.Errorf("%d levels are valid", data.MaxDepth+1)
	}
	m := &graph.Node{Scalar: graph.String}
	m.Map = graph.NewMap(nil, m)
	m.Map.Open = true
	maps := any("x")
	for range data.MaxDepth {
		maps = map[string]any{"a": maps}
	}
	if _, findings := Validate(m, maps, false); findings != nil {
		t.Errorf("%d levels of maps: %v", data.MaxDepth, findings)
	}
	if _, findings := Validate(m, map[string]any{"a": maps}, false); findings == nil {
		t.Errorf("%d levels of maps are valid", data.MaxDepth+1)
	}
	_, findings := Validate(n, deep(3_000_000), false)
	if len(findings) != 1 || !strings.Contains(findings[0].Message, "levels deep") {
		t.Errorf("3,000,000 levels: got %d findings", len(findings))
	}
}

// TestValidateNextToTooDeepParts checks that a part that is nested too deep does not change the
// findings about the other parts of the value.
func TestValidateNextToTooDeepParts(t *testing.T) {
	n := &graph.Node{Scalar: graph.String}
	n.List = &graph.List{Item: n, Relation: graph.Atomic}
	n.Map = graph.NewMap(nil, n)
	n.Map.Open = true
	for name, c := range map[string]struct {
		deep, other any
		want        []string // the ends of the paths that are too deep
	}{
		"maps":  {map[string]any{"x": map[string]any{}}, map[string]any{"y": "s"}, []string{".m.a.x"}},
		"lists": {[]any{[]any{}, []any{}}, []any{"s"}, []string{".m.a[0]", ".m.a[1]"}},
	} {
		inner := map[string]any{"a": c.deep}
		for i := range 8 {
			inner["b"+strconv.Itoa(i)] = c.other
		}
		v := any(inner)
		for range data.MaxDepth - 2 {
			v = map[string]any{"m": v}
		}
		_, findings := Validate(n, v, false)
		var got []string
		for _, f := range findings {
			got = append(got, f.Path[strings.LastIndex(f.Path, ".m"):])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the findings have paths that end in %v, want %v", name, got, c.want)
		}
	}
}
