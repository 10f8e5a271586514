// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// The report about a large object has no outcomes for single conflicts, because each of them would
// contain the object again.
func TestOutcomesOfLargeObjects(t *testing.T) {
	for _, tt := range []struct {
		values, conflicts int
		want              bool
	}{
		{100, maxOutcomes, true}, {100, maxOutcomes + 1, false},
		{maxOutcomeValues / maxOutcomes, maxOutcomes - 1, true}, {maxOutcomeValues / maxOutcomes, maxOutcomes, false},
		{maxOutcomeValues - 1, 1, true}, {maxOutcomeValues, 1, false},
	} {
		o := &prediction.Outcome{Before: map[string]any{"a": make([]any, tt.values-2)}, Conflicts: make([]fieldmanager.Conflict, tt.conflicts)}
		if got := hasOutcomes(o); got != tt.want {
			t.Errorf("%d conflicts, %d values: got %v", tt.conflicts, tt.values, got)
		}
	}
}
