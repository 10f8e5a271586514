// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
)

// compareErrors compares errors and conflicts, including their texts. It ignores the order of
// conflicts and of findings, because structured-merge-diff uses a random order.
func compareErrors(want, have *outcome) *mismatch {
	if want.conflict != have.conflict {
		return &mismatch{"conflict or error", errorText(want), errorText(have)}
	}
	if want.conflict {
		return compareConflicts(want, have)
	}
	if (want.err == nil) != (have.err == nil) {
		return &mismatch{"error", errorText(want), errorText(have)}
	}
	if want.err == nil || want.lenient || want.err.Error() == have.err.Error() {
		return nil
	}
	w, h := readFindings(want), readFindings(have)
	if w.context == h.context && slices.Equal(w.lines, h.lines) {
		if strings.Contains(want.err.Error(), "errors:\n") && !addresses.MatchString(want.err.Error()) {
			have.noted = append(have.noted, "error-order")
		}
		return nil
	}
	return &mismatch{"error text", errorText(want), errorText(have)}
}

func compareConflicts(want, have *outcome) *mismatch {
	if !slices.Equal(sortedConflicts(want.conflicts), sortedConflicts(have.conflicts)) {
		return &mismatch{"conflicts", errorText(want), errorText(have)}
	}
	if w, h := want.err.Error(), have.err.Error(); len(want.conflicts) > 1 && w != h {
		return &mismatch{"printed conflicts", w, h}
	}
	if !slices.Equal(want.conflicts, have.conflicts) {
		have.noted = append(have.noted, "conflict-order")
	}
	return nil
}

func sortedConflicts(list []engine.Conflict) []engine.Conflict {
	out := slices.Clone(list)
	sort.Slice(out, func(i, j int) bool {
		if out[i].Manager != out[j].Manager {
			return out[i].Manager < out[j].Manager
		}
		return out[i].Path < out[j].Path
	})
	return out
}

func errorText(o *outcome) string {
	if o.err == nil {
		return "no error"
	}
	return fmt.Sprintf("%T: %v", o.err, o.err)
}

// findings is a parsed error message. It consists of the operation that failed, and one line
// for each finding, in sorted order.
type findings struct {
	context string
	lines   []string
}

var (
	contextText = regexp.MustCompile(`^((?:failed to [^:]*|errors reconciling field set with schema|unable to validate schema): )+`)
	addresses   = regexp.MustCompile(`0x[0-9a-f]{6,}`)
)

func readFindings(o *outcome) findings {
	text := addresses.ReplaceAllString(o.err.Error(), "0x")
	f := findings{context: contextText.FindString(text)}
	text = strings.TrimPrefix(text, f.context)
	text = strings.TrimPrefix(text, "errors:\n")
	for _, line := range strings.Split(text, "\n") {
		f.lines = append(f.lines, strings.TrimSpace(line))
	}
	sort.Strings(f.lines)
	return f
}

// subtract returns the lines of the first list that are not in the second list. If a line occurs
// twice in the second list, subtract removes two occurrences from the first list.
func subtract(a, b []string) []string {
	out := slices.Clone(a)
	for _, line := range b {
		if i := slices.Index(out, line); i >= 0 {
			out = slices.Delete(out, i, i+1)
		}
	}
	return out
}
