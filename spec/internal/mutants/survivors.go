// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	_ "embed"
	"strings"
)

//go:embed survivors.txt
var survivors string

// Survivors are the changes that no case notices, with why: each a line as Change.What, and below it, indented,
// why the model does the same with it, or "open".
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

// Alive are the changes, by their index, that a program was built with and no case notices.
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
