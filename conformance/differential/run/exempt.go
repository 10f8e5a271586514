package run

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/conformance/differential/scenario"
)

// exemption is a deliberate difference. Its id stands in DIFFERENCES.md.
type exemption struct {
	id    string
	match func(j *judge, st *scenario.Step, want, have *outcome, m *mismatch) bool
}

// exemptions are the differences that are meant to be. Each predicate is as
// narrow as the defect that it stands for.
var exemptions = []exemption{
	{"undeclared-fields", undeclaredFields},
	{"merge-list-errors", mergeListErrors},
	{"extract-failed-set", extractFailedSet},
	{"typeref-equals", typeRefEquals},
	{"matcher-equals", func(_ *judge, st *scenario.Step, want, have *outcome, m *mismatch) bool {
		return st.Op == "matcher" && want.facts[0] == "false" && have.facts[0] == "true"
	}},
}

// Exemptions lists the ids.
func Exemptions() []string {
	var ids []string
	for _, e := range exemptions {
		ids = append(ids, e.id)
	}
	return ids
}

// exempted returns the id of the exemption for a mismatch.
func exempted(j *judge, st *scenario.Step, want, have *outcome, m *mismatch) string {
	for _, e := range exemptions {
		if e.match(j, st, want, have, m) {
			return e.id
		}
	}
	return ""
}

const undeclared = "field not declared in schema"

// undeclaredFields: upstream leaves a map at the first undeclared field that
// it happens upon. We report what it does, and findings below the same map.
func undeclaredFields(_ *judge, _ *scenario.Step, want, have *outcome, m *mismatch) bool {
	if m.aspect != "error text" {
		return false
	}
	w, h := readFindings(want), readFindings(have)
	if w.context != h.context {
		return false
	}
	var parents []string
	for _, line := range w.lines {
		if path, ok := strings.CutSuffix(line, ": "+undeclared); ok {
			parents = append(parents, parentPath(path))
		}
		if !slices.Contains(h.lines, line) {
			return false
		}
	}
	extra := subtract(h.lines, w.lines)
	if len(extra) == 0 {
		return false
	}
	for _, line := range extra {
		if !slices.ContainsFunc(parents, func(p string) bool { return strings.HasPrefix(line, p+".") }) {
			return false
		}
	}
	return true
}

// parentPath cuts the last field name off; names with dots do not occur
// undeclared.
func parentPath(path string) string { return path[:strings.LastIndexByte(path, '.')] }

// subtract removes each line of b once from a.
func subtract(a, b []string) []string {
	out := slices.Clone(a)
	for _, line := range b {
		if i := slices.Index(out, line); i >= 0 {
			out = slices.Delete(out, i, i+1)
		}
	}
	return out
}

var itemPath = regexp.MustCompile(`\[[^\]]*\]`)

// mergeListErrors: upstream's merge forgets errors below list items and
// leaves out what could not be merged. All that we report beyond upstream
// lies in a list item.
func mergeListErrors(_ *judge, st *scenario.Step, want, have *outcome, m *mismatch) bool {
	merging := st.Op == "merge" || st.Op == "extract-apply" || st.Op == "apply"
	if !merging || have.err == nil || have.conflict || m.aspect != "error" && m.aspect != "error text" && m.aspect != "conflict or error" {
		return false
	}
	h := readFindings(have)
	extra := h.lines
	if want.err != nil && !want.conflict {
		w := readFindings(want)
		if w.context != h.context {
			return false
		}
		if len(subtract(w.lines, h.lines)) > 0 {
			return false
		}
		extra = subtract(h.lines, w.lines)
	}
	if st.Op != "merge" && h.context != "failed to merge config: " && st.Op != "extract-apply" {
		return false
	}
	for _, line := range extra {
		if !itemPath.MatchString(line) {
			return false
		}
	}
	return true
}

// extractFailedSet: upstream extracts without key fields, silently, when the
// object's field set cannot be computed.
func extractFailedSet(j *judge, st *scenario.Step, want, have *outcome, m *mismatch) bool {
	return st.Op == "extract" && st.Force && m.aspect == "extract" && want.fieldSetFailed
}

// typeRefEquals: upstream compares the relationships of type references by
// pointer, so that equal types can count as different ones.
func typeRefEquals(j *judge, st *scenario.Step, want, have *outcome, m *mismatch) bool {
	if want.err == nil || !strings.Contains(want.err.Error(), "expected objects of the same type") {
		return false
	}
	if have.err != nil && strings.Contains(have.err.Error(), "expected objects of the same type") {
		return false
	}
	return slices.ContainsFunc(j.c.Versions, func(v scenario.Version) bool { return strings.HasPrefix(v.Override, "!") })
}
