// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package transition

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestCheckOfAbsentValues checks that every rule allows creating and removing the whole
// object.
func TestCheckOfAbsentValues(t *testing.T) {
	n := &graph.Node{Scalar: graph.String, Transition: graph.Immutable}
	graph.FindFacts([]*graph.Node{n})
	for _, c := range []struct {
		old, next any
		broken    bool
	}{{"a", "b", true}, {"a", "a", false}, {nil, "a", false}, {"a", nil, false}, {nil, nil, false}} {
		got, wrong := Check(n, c.old, c.next, false)
		if (len(got) > 0) != c.broken || wrong != nil {
			t.Errorf("from %v to %v: got %v, %v", c.old, c.next, got, wrong)
		}
	}
}
