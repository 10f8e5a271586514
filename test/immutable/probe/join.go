// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"
	"slices"
	"strings"
)

// Join makes one table of those of several releases, oldest first. What is in some of them only
// is marked "since 1.36" or "until 1.36"; lines have the marks of their sections without
// saying so.
func Join(tables []string) (string, error) {
	var minors []string
	parts := make([]*sections, len(tables))
	var b strings.Builder
	b.WriteString(heading)
	for i, text := range tables {
		parts[i] = sectionsOf(text)
		names := strings.Split(strings.TrimPrefix(parts[i].release, "release v"), ".")
		if len(names) != 3 {
			return "", fmt.Errorf("%q is no release", parts[i].release)
		}
		minors = append(minors, names[0]+"."+names[1])
		fmt.Fprintln(&b, parts[i].release)
	}
	var heads [][]string
	for _, p := range parts {
		heads = append(heads, p.heads)
	}
	all := make([]int, len(tables))
	for i := range all {
		all[i] = i
	}
	for _, head := range weave(heads) {
		var of []int
		lines := make([][]string, len(tables))
		for i, p := range parts {
			if slices.Contains(p.heads, head) {
				of, lines[i] = append(of, i), p.lines[head]
			}
		}
		marks := marksOf(of, all, minors)
		if len(marks) != 1 {
			return "", fmt.Errorf("%s comes, goes and comes again", head)
		}
		fmt.Fprintf(&b, "\n%s%s\n", head, marks[0])
		for _, line := range weave(lines) {
			var has []int
			for _, i := range of {
				if slices.Contains(lines[i], line) {
					has = append(has, i)
				}
			}
			for _, mark := range marksOf(has, of, minors) {
				fmt.Fprintf(&b, "%s%s\n", line, mark)
			}
		}
	}
	return b.String(), nil
}

// sections are a table's: kinds and types, with their lines.
type sections struct {
	release string
	heads   []string
	lines   map[string][]string
}

func sectionsOf(text string) *sections {
	s := &sections{lines: map[string][]string{}}
	head := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		word, _, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
		case "release":
			s.release = line
		case "kind", "type":
			head = line
			s.heads = append(s.heads, head)
		default:
			s.lines[head] = append(s.lines[head], line)
		}
	}
	return s
}

// weave is one list of what several have, in the order of the last one; what that lacks stands
// behind what stands before it in its own.
func weave(lists [][]string) []string {
	var all []string
	for _, list := range slices.Backward(lists) {
		at := 0
		for _, line := range list {
			if i := slices.Index(all, line); i >= 0 {
				at = i + 1
				continue
			}
			all = slices.Insert(all, at, line)
			at++
		}
	}
	return all
}

// marksOf says which of the releases has are, one mark for each that follow one another.
func marksOf(has, of []int, minors []string) []string {
	var all []string
	for i := 0; i < len(has); {
		first := i
		from := slices.Index(of, has[i])
		for i++; i < len(has) && has[i] == of[from+i-first]; i++ {
		}
		mark := ""
		if has[first] != of[0] {
			mark += " since " + minors[has[first]]
		}
		if last := has[i-1]; last != of[len(of)-1] {
			mark += " until " + minors[last]
		}
		all = append(all, mark)
	}
	return all
}
