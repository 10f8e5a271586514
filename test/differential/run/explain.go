// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
)

// explainErrors returns the ids of the accepted differences that explain why the findings of
// both engines differ. It returns nil if a finding of only one engine has no explanation.
func explainErrors(st *scenario.Step, want, have *outcome) []string {
	w, h := readFindings(want), readFindings(have)
	if w.context != h.context {
		if lostListErrors(st, want, have, &mismatch{aspect: "error"}) {
			return []string{"merge-list-errors"}
		}
		return nil
	}
	ids := map[string]bool{}
	upstream, ours := subtract(w.lines, h.lines), subtract(h.lines, w.lines)
	for _, line := range upstream {
		id := ""
		i := slices.IndexFunc(ours, func(own string) bool {
			id = sameFinding(line, own, have.reflected)
			return id != ""
		})
		if i < 0 {
			return nil
		}
		ours = slices.Delete(ours, i, i+1)
		ids[id] = true
	}
	parents := undeclaredParents(w.lines)
	for _, line := range ours {
		switch {
		case slices.ContainsFunc(parents, func(p string) bool { return strings.HasPrefix(line, p+".") }):
			ids["undeclared-fields"] = true
		case mergesLists(st, have) && inListItem(line):
			ids["merge-list-errors"] = true
		default:
			return nil
		}
	}
	var out []string
	for id := range ids {
		out = append(out, id)
	}
	return out
}

var (
	gotText     = regexp.MustCompile(`^(.*expected [a-z ]+(?:\(.*\))?, got )`)
	missingText = regexp.MustCompile(`^(.*?)(?:: )?(schema error: no type found matching: .*)$`)
	lastElement = regexp.MustCompile(`^(\.[^.\[]*|\.x\.y|\[[^\[\]]*\])$`)
)

// sameFinding checks whether two lines report the same finding in different words. It returns the
// id of the accepted difference, or "" if the findings are different.
func sameFinding(upstream, own string, reflected bool) string {
	const unresolved = "could not resolve"
	if g := gotText.FindString(upstream); reflected && g != "" && g == gotText.FindString(own) {
		return "struct-got"
	}
	if strings.HasPrefix(upstream, unresolved) && strings.HasPrefix(own, unresolved) {
		return "unresolved-name"
	}
	u, o := missingText.FindStringSubmatch(upstream), missingText.FindStringSubmatch(own)
	if u != nil && o != nil && u[2] == o[2] {
		if last, ok := strings.CutPrefix(o[1], u[1]); ok && lastElement.MatchString(last) {
			return "missing-type-path"
		}
	}
	return ""
}

const undeclared = "field not declared in schema"

// undeclaredParents returns the paths of maps with an undeclared field. structured-merge-diff
// stops at such a field, so it misses other findings in the map.
func undeclaredParents(lines []string) []string {
	var parents []string
	for _, line := range lines {
		if path, ok := strings.CutSuffix(line, ": "+undeclared); ok {
			parents = append(parents, parentPath(path))
		}
	}
	return parents
}

// parentPath returns a path without its last field. The field can be "x.y", which is the only
// generated name with a dot.
func parentPath(path string) string {
	if parent, ok := strings.CutSuffix(path, ".x.y"); ok {
		return parent
	}
	return path[:strings.LastIndexByte(path, '.')]
}
