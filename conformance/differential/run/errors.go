package run

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/dovetail-ssa/dovetail/conformance/differential/engine"
)

// compareErrors compares errors and conflicts. The order of findings is
// random upstream, and so is the order of conflicts; both are compared as
// sorted lists, conflicts also as printed.
func compareErrors(want, have *outcome) *mismatch {
	if want.conflict != have.conflict {
		return &mismatch{"conflict or error", errorText(want), errorText(have)}
	}
	if want.conflict {
		if !slices.Equal(sortedConflicts(want.conflicts), sortedConflicts(have.conflicts)) {
			return &mismatch{"conflicts", errorText(want), errorText(have)}
		}
		if w, h := want.err.Error(), have.err.Error(); len(want.conflicts) > 1 && w != h {
			return &mismatch{"printed conflicts", w, h}
		}
		return nil
	}
	if (want.err == nil) != (have.err == nil) {
		return &mismatch{"error", errorText(want), errorText(have)}
	}
	if want.err == nil || want.lenient || want.err.Error() == have.err.Error() {
		return nil
	}
	w, h := readFindings(want), readFindings(have)
	if w.context != h.context || !slices.Equal(w.lines, h.lines) {
		return &mismatch{"error text", errorText(want), errorText(have)}
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

// findings is an error taken apart: what was attempted, and one line for
// each thing found, sorted.
type findings struct {
	context string
	lines   []string
}

var (
	contextText = regexp.MustCompile(`^((?:failed to [^:]*|errors reconciling field set with schema|unable to validate schema): )+`)
	pointers    = regexp.MustCompile(`0x[0-9a-f]{6,}`)
	goValue     = regexp.MustCompile(`(expected [a-z ]+(?:\(.*\))?, got ).*`)
)

func readFindings(o *outcome) findings {
	text := pointers.ReplaceAllString(o.err.Error(), "0x")
	f := findings{context: contextText.FindString(text)}
	text = strings.TrimPrefix(text, f.context)
	text = strings.TrimPrefix(text, "errors:\n")
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if o.reflected {
			// How a value read by reflection prints shows its
			// implementation, which is no promise.
			line = goValue.ReplaceAllString(line, "$1")
		}
		f.lines = append(f.lines, line)
	}
	sort.Strings(f.lines)
	return f
}
