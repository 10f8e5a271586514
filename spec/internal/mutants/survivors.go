// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	_ "embed"
	"strings"
)

//go:embed survivors.txt
var survivors string

// Survivors returns the changes that no case detects, as survivors.txt lists them. The key is
// Change.What. The value is the reason why the model behaves the same with the change. In the file, the
// reason is on an indented line below the change. The value is "open" if the file has no reason yet.
func Survivors() map[string]string {
	all := map[string]string{}
	last := ""
	for _, line := range strings.Split(survivors, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "\t"):
			all[last] = strings.TrimSpace(line)
		default:
			last = line
			all[last] = "open"
		}
	}
	return all
}

// Alive runs the test cases with some of the changes, and returns the changes that no case
// detects. The argument and the result contain the indices of changes.
func (p *Program) Alive(which []int) ([]int, error) {
	ask := map[int]string{}
	for _, i := range which {
		if !p.Refused[i] {
			ask[i] = "first"
		}
	}
	failed, err := p.Run(ask)
	if err != nil {
		return nil, err
	}
	var alive []int
	for _, i := range which {
		if _, asked := ask[i]; asked && len(failed[i]) == 0 {
			alive = append(alive, i)
		}
	}
	return alive, nil
}
