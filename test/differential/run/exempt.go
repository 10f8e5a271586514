// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// exemptions are the ids of differences that the comparison accepts. DIFFERENCES.md explains
// them. In the code below, each id has a function that recognizes only this difference.
var exemptions = []string{
	"merge-list-errors", "undeclared-fields", "missing-type-path", "unresolved-name", "struct-got",
	"error-order", "conflict-order",
	"typeref-equals", "matcher-equals", "extract-failed-set",
	"all-break", "inlined-missing", "nil-list", "removed-nil", "ignored-version",
	"odd-keys", "managers-string", "to-string-order", "to-json-errors", "to-yaml-panic",
}

// Exemptions returns the ids of all accepted differences, including those that have a probe.
func Exemptions() []string { return append(slices.Clone(exemptions), Probes()...) }

// Fixed lists accepted differences that random cases cannot show, each with the name of the test
// that shows it. For example, random cases cannot show that structured-merge-diff never returns,
// that only the Go types of errors differ, or that the engines call a Converter different numbers
// of times.
var Fixed = map[string]string{
	"reader-progress":  "TestReaderWithoutProgress",
	"schema-fill":      "TestSchemaFill",
	"schema-keywords":  "TestSchemaKeywords",
	"converter-errors": "TestConverterErrors",
	"converter-calls":  "TestConverterCalls",
	"shared-types":     "TestSharedTypes",
}

// exempted returns the ids of the accepted differences that explain a mismatch. If no accepted
// differences explain the mismatch, it returns nil.
func exempted(j *judge, i int, st *scenario.Step, want, have *outcome, m *mismatch) []string {
	switch {
	case probed(st, want, have) != "":
		return []string{probed(st, want, have)}
	case st.Op == "matcher" && want.facts[0] == "false" && have.facts[0] == "true":
		return []string{"matcher-equals"}
	case typeRefEquals(j, want, have):
		return []string{"typeref-equals"}
	case st.Op == "extract" && st.Force && m.aspect == "extract" && want.fieldSetFailed:
		// structured-merge-diff extracts the items without their keys if an extraction with
		// keys fails.
		return []string{"extract-failed-set"}
	case m.aspect == "error text":
		if ids := explainErrors(st, want, have); ids != nil {
			return ids
		}
	case lostListErrors(st, want, have, m):
		return []string{"merge-list-errors"}
	}
	if oddKeys(j.c, i) {
		return []string{"odd-keys"}
	}
	return nil
}

// oddKeys reports whether a case has used keys that are not strings, in its initial object or
// in a step up to step i. structured-merge-diff counts such keys, but ignores their values.
func oddKeys(c *scenario.Case, i int) bool {
	if oddObject(c.Initial) {
		return true
	}
	for n := 0; n <= i && n < len(c.Steps); n++ {
		if oddObject(c.Steps[n].Object) || oddObject(c.Steps[n].Other) {
			return true
		}
	}
	return false
}

func oddObject(o *scenario.Object) bool {
	if o == nil || o.Flavor != tree.OddKeys {
		return false
	}
	odd := false
	tree.Walk(o.Tree, func(container any) {
		m, _ := container.(map[string]any)
		for k := range m {
			odd = odd || tree.OddKey(k)
		}
	})
	return odd
}

// typeRefEquals reports whether only structured-merge-diff returned the error "expected objects
// of the same type". This difference is accepted if a version has an override that starts with
// "!". structured-merge-diff compares element relationships by pointer, so with such an
// override, equal types can count as different.
func typeRefEquals(j *judge, want, have *outcome) bool {
	const message = "expected objects of the same type"
	if want.err == nil || !strings.Contains(want.err.Error(), message) {
		return false
	}
	if have.err != nil && strings.Contains(have.err.Error(), message) {
		return false
	}
	return slices.ContainsFunc(j.c.Versions, func(v scenario.Version) bool { return strings.HasPrefix(v.Override, "!") })
}

// lostListErrors reports whether a mismatch can come from errors in list items that only
// Dovetail reports. structured-merge-diff omits a list item that it cannot merge, and may fail
// later for this reason. All findings of Dovetail must be in list items.
func lostListErrors(st *scenario.Step, want, have *outcome, m *mismatch) bool {
	if m.aspect != "error" && m.aspect != "conflict or error" || !mergesLists(st, have) {
		return false
	}
	return !slices.ContainsFunc(readFindings(have).lines, func(line string) bool { return !inListItem(line) })
}

// mergesLists reports whether Dovetail's error comes from a merge of objects.
func mergesLists(st *scenario.Step, have *outcome) bool {
	if have.err == nil || have.conflict {
		return false
	}
	switch st.Op {
	case "merge", "extract-apply":
		return true
	case "apply":
		return readFindings(have).context == "failed to merge config: "
	}
	return false
}

// inListItem reports whether the path of a finding contains a list item.
func inListItem(line string) bool {
	path, _, _ := strings.Cut(line, ": ")
	return strings.Contains(path, "[")
}

// panicIDs has an id for each known panic of structured-merge-diff. A text in the panic
// message or in the innermost calls identifies the panic.
var panicIDs = []struct{ id, site string }{
	{"all-break", "range function continued iteration"},
	{"ignored-version", "excludeFilter.Filter"},
	{"inlined-missing", "(*mergingWalker).merge("},
	{"inlined-missing", "(*compareWalker).compare("},
	{"nil-list", "typed.listValue("},
	{"removed-nil", "(*removingWalker).do"},
}

// knownPanic returns the id of the known defect that caused a panic of structured-merge-diff, or
// "". The first outcome contains this panic, and the second outcome is Dovetail's. The last
// argument is the result of oddKeys.
func knownPanic(want, have *outcome, odd bool) string {
	calls := firstCall(want.panicked)
	for _, p := range panicIDs {
		if strings.Contains(calls, p.site) {
			return p.id
		}
	}
	// In this call, an apply compares the live object with a merged object that is nil.
	if strings.Contains(calls, "value.EqualsUsing(") {
		switch {
		case odd:
			return "odd-keys"
		case readFindings(have).context == "failed to merge config: ":
			return "merge-list-errors" // the merge dropped all items of the list, which is the whole object
		}
	}
	return ""
}

// firstCall returns the message of a panic and the innermost calls of its stack.
func firstCall(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[:min(len(lines), 7)], "\n")
}
