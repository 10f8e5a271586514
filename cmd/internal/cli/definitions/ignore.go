// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// ignoreMark starts a YAML comment that makes lint ignore findings of the named rules. A comment
// with "ignore" applies to its own line, or to the next line if it is alone on its line. A comment
// with "ignore-file" applies to the whole file.
//
//	# dovetail-lint: ignore=missing-list-type,ordered-set optional text with the reason
//	# dovetail-lint: ignore-file=missing-list-type
const ignoreMark = "dovetail-lint:"

// ignoreComments holds the ignore comments of a file.
type ignoreComments struct {
	lines map[int][]*ignore // by the line to which they apply
	file  []*ignore
}

// ignore is one rule that an ignore comment names.
type ignore struct {
	at   manifest.Position
	rule string
	used bool
}

// readIgnores reads the ignore comments of a file. errs has an error for each invalid comment.
func readIgnores(name string, data []byte) (found *ignoreComments, errs manifest.Errors) {
	found = &ignoreComments{lines: map[int][]*ignore{}}
	if !bytes.Contains(data, []byte(ignoreMark)) {
		return found, nil
	}
	var pending []*ignore // rules of comment lines, for the next line
	for i, text := range strings.Split(string(data), "\n") {
		before, comment, _ := strings.Cut(text, "# "+ignoreMark)
		line, file, err := readIgnore(manifest.Position{File: name, Line: i + 1}, strings.TrimSpace(comment))
		if err != nil {
			errs = append(errs, err)
		}
		found.file = append(found.file, file...)
		pending = append(pending, line...)
		if before = strings.TrimSpace(before); before != "" && before[0] != '#' {
			found.lines[i+1], pending = pending, nil
		}
	}
	return found, errs
}

// readIgnore parses the text of an ignore comment after ignoreMark. It returns the rules of the
// comment as lineRules if the comment applies to one line, and as fileRules if it applies to the
// whole file.
func readIgnore(at manifest.Position, comment string) (lineRules, fileRules []*ignore, err *manifest.Error) {
	if comment == "" {
		return nil, nil, nil
	}
	setting, _, _ := strings.Cut(comment, " ")
	verb, names, _ := strings.Cut(setting, "=")
	bad := func(format string, args ...any) (lineRules, fileRules []*ignore, err *manifest.Error) {
		return nil, nil, &manifest.Error{File: at.File, Line: at.Line, Message: "comment " + ignoreMark + " " + setting + ": " + fmt.Sprintf(format, args...)}
	}
	if verb != "ignore" && verb != "ignore-file" || names == "" {
		return bad("write ignore=RULE,RULE or ignore-file=RULE,RULE")
	}
	for _, rule := range strings.Split(names, ",") {
		if err := checkRule(rule, rules.Lint()); err != nil {
			return bad("%v", err)
		}
		lineRules = append(lineRules, &ignore{at: at, rule: rule})
	}
	if verb == "ignore-file" {
		return nil, lineRules, nil
	}
	return lineRules, nil, nil
}

// apply removes the findings that comments ignore, except those for which keep returns true. It
// returns the remaining findings, and the number of removed findings.
func (g *ignoreComments) apply(all []finding, keep func(*finding) bool) (rest []finding, ignored int) {
	for _, f := range all {
		if g.ignores(&f) && !keep(&f) {
			ignored++
		} else {
			rest = append(rest, f)
		}
	}
	return rest, ignored
}

func (g *ignoreComments) ignores(f *finding) (yes bool) {
	for _, list := range [][]*ignore{g.lines[f.Line], g.file} {
		for _, i := range list {
			if i.rule == f.Rule {
				i.used, yes = true, true
			}
		}
	}
	return yes
}

// unusedErrors returns an error for each unnecessary rule in an ignore comment. A rule is
// unnecessary if lint has no finding of this rule where the comment applies.
func (g *ignoreComments) unusedErrors() (errs manifest.Errors) {
	check := func(i *ignore, where string) {
		if !i.used {
			errs = append(errs, &manifest.Error{File: i.at.File, Line: i.at.Line, Message: fmt.Sprintf("the comment ignores %s, but there is no such finding %s: remove the comment", i.rule, where)})
		}
	}
	for _, i := range g.file {
		check(i, "in this file")
	}
	for _, line := range slices.Sorted(maps.Keys(g.lines)) {
		for _, i := range g.lines[line] {
			check(i, "at its line")
		}
	}
	return errs
}
