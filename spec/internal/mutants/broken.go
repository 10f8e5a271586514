// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	_ "embed"
	"fmt"
	"strings"
)

// Break is a handwritten change to the model's code that breaks one rule.
type Break struct {
	Rule string
	Change
}

//go:embed broken.txt
var broken string

// Broken returns the changes that broken.txt lists. Each change starts with a line "RULE FILE:
// description". The lines that begin with "-" are the old text, which must occur in that file of
// the model. The lines that begin with "+" are the new text.
func Broken(sources map[string]string) ([]Break, error) {
	var all []Break
	for _, block := range strings.Split(strings.TrimSpace(broken), "\n\n") {
		lines := strings.Split(block, "\n")
		for strings.HasPrefix(lines[0], "#") {
			lines = lines[1:]
		}
		head, what, ok := strings.Cut(lines[0], ": ")
		rule, file, _ := strings.Cut(head, " ")
		src := sources[file]
		if !ok || src == "" {
			return nil, fmt.Errorf("broken.txt: want the line \"RULE FILE: description\", found %q", lines[0])
		}
		var was, is strings.Builder
		for _, l := range lines[1:] {
			switch {
			case strings.HasPrefix(l, "-"):
				was.WriteString(l[1:] + "\n")
			case strings.HasPrefix(l, "+"):
				is.WriteString(l[1:] + "\n")
			default:
				return nil, fmt.Errorf("broken.txt: %q, want - or +", l)
			}
		}
		old, new := strings.TrimSuffix(was.String(), "\n"), strings.TrimSuffix(is.String(), "\n")
		if n := strings.Count(src, old+"\n"); n != 1 {
			return nil, fmt.Errorf("broken.txt: %s: these lines occur %d times in %s, want once:\n%s", rule, n, file, old)
		}
		from := strings.Index(src, old+"\n")
		to := from + len(old)
		for old != "" && new != "" && old[0] == new[0] { // strip the equal text at both ends, because it may lie outside of the changed function
			from, old, new = from+1, old[1:], new[1:]
		}
		for old != "" && new != "" && old[len(old)-1] == new[len(new)-1] {
			to, old, new = to-1, old[:len(old)-1], new[:len(new)-1]
		}
		all = append(all, Break{rule, Change{file, from, to, new, what}})
	}
	return all, nil
}
