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

// The comments that lint reads, in YAML. The first stands at the end of a line, or on lines
// before it that are comments only; the second anywhere in a file.
//
//	# dovetail-lint: ignore=missing-list-type,ordered-set why that is so
//	# dovetail-lint: ignore-file=missing-list-type
const ignoreMark = "dovetail-lint:"

// ignores are the comments of a file.
type ignores struct {
	lines map[int][]*ignore // by the line that they are about
	file  []*ignore
}

// ignore is a rule that a comment names.
type ignore struct {
	at   manifest.Position
	rule string
	used bool
}

// readIgnores reads the comments of a file, and what is wrong with them.
func readIgnores(name string, data []byte) (found *ignores, errs manifest.Errors) {
	found = &ignores{lines: map[int][]*ignore{}}
	if !bytes.Contains(data, []byte(ignoreMark)) {
		return found, nil
	}
	var waiting []*ignore
	for i, text := range strings.Split(string(data), "\n") {
		before, comment, _ := strings.Cut(text, "# "+ignoreMark)
		here, all, err := readIgnore(manifest.Position{File: name, Line: i + 1}, strings.TrimSpace(comment))
		if err != nil {
			errs = append(errs, err)
		}
		found.file = append(found.file, all...)
		waiting = append(waiting, here...)
		if before = strings.TrimSpace(before); before != "" && before[0] != '#' {
			found.lines[i+1], waiting = waiting, nil
		}
	}
	return found, errs
}

// readIgnore reads what stands behind the mark, if there is one: the rules that a comment
// names for its place and for the file.
func readIgnore(at manifest.Position, comment string) (here, file []*ignore, err *manifest.Error) {
	if comment == "" {
		return nil, nil, nil
	}
	what, _, _ := strings.Cut(comment, " ")
	verb, names, _ := strings.Cut(what, "=")
	bad := func(format string, args ...any) (here, file []*ignore, err *manifest.Error) {
		return nil, nil, &manifest.Error{File: at.File, Line: at.Line, Message: "comment " + ignoreMark + " " + what + ": " + fmt.Sprintf(format, args...)}
	}
	if verb != "ignore" && verb != "ignore-file" || names == "" {
		return bad("want ignore=RULE,RULE or ignore-file=RULE,RULE")
	}
	for _, rule := range strings.Split(names, ",") {
		if err := knownRule(rule, rules.Lint()); err != nil {
			return bad("%v", err)
		}
		here = append(here, &ignore{at: at, rule: rule})
	}
	if verb == "ignore-file" {
		return nil, here, nil
	}
	return here, nil, nil
}

// apply returns the findings that no comment names.
func (g *ignores) apply(all []finding) (rest []finding, ignored int) {
	for _, f := range all {
		if g.ignores(&f) {
			ignored++
		} else {
			rest = append(rest, f)
		}
	}
	return rest, ignored
}

func (g *ignores) ignores(f *finding) (yes bool) {
	for _, list := range [][]*ignore{g.lines[f.Line], g.file} {
		for _, i := range list {
			if i.rule == f.Rule {
				i.used, yes = true, true
			}
		}
	}
	return yes
}

// idle are the comments that name what is not found at their place.
func (g *ignores) idle() (errs manifest.Errors) {
	tell := func(i *ignore, where string) {
		if !i.used {
			errs = append(errs, &manifest.Error{File: i.at.File, Line: i.at.Line, Message: fmt.Sprintf("the comment ignores %s, which is not found %s; remove it", i.rule, where)})
		}
	}
	for _, i := range g.file {
		tell(i, "in this file")
	}
	for _, line := range slices.Sorted(maps.Keys(g.lines)) {
		for _, i := range g.lines[line] {
			tell(i, "there")
		}
	}
	return errs
}
