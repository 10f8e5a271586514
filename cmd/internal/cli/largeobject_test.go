// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// Conflicts of a large object have no outcomes of their own: each would hold the object
// several times.
func TestOutcomesOfLargeObjects(t *testing.T) {
	for _, tt := range []struct {
		values, conflicts int
		want              bool
	}{
		{100, maxOutcomes, true}, {100, maxOutcomes + 1, false},
		{maxOutcomeValues / maxOutcomes, maxOutcomes - 1, true}, {maxOutcomeValues / maxOutcomes, maxOutcomes, false},
		{maxOutcomeValues - 1, 1, true}, {maxOutcomeValues, 1, false},
	} {
		o := &outcome{before: map[string]any{"a": make([]any, tt.values-2)}, conflicts: make([]fieldmanager.Conflict, tt.conflicts)}
		if got := o.hasOutcomes(); got != tt.want {
			t.Errorf("%d conflicts, %d values: got %v", tt.conflicts, tt.values, got)
		}
	}
}

// Ports of one list that share a name are found wherever they are.
func TestSharePortNames(t *testing.T) {
	port := func(name any) any { return map[string]any{"port": int64(1), "name": name} }
	for _, tt := range []struct {
		v    any
		want bool
	}{
		{map[string]any{"spec": []any{map[string]any{"ports": []any{port("a"), port(nil), port("b"), port("a")}}}}, true},
		{map[string]any{"ports": []any{port("a"), port(""), port("b"), port(""), "a"}}, false},
		{map[string]any{"x": map[string]any{"ports": []any{port("a")}}, "y": map[string]any{"ports": []any{port("a")}}}, false},
		{map[string]any{"others": []any{port("a"), port("a")}}, false},
	} {
		if got := sharePortNames(tt.v); got != tt.want {
			t.Errorf("%v: got %v", tt.v, got)
		}
	}
}
