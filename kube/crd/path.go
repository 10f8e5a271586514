// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import "strconv"

// follow takes a path apart that a library made within v. Names may hold dots
// and brackets, so that a path can be read in several ways: as far as it leads
// in v counts, and what is left is one step.
func follow(v any, path string) (steps []any, complete bool) {
	for len(path) > 0 && path[0] == '.' {
		path = path[1:]
	}
	if path == "" {
		return nil, true
	}
	best := []any{path}
	length := -1
	for _, c := range firstSteps(path) {
		var step, value any
		switch v := v.(type) {
		case map[string]any:
			there := false
			if value, there = v[c.name]; !there {
				continue
			}
			step = c.name
		case []any:
			i, err := strconv.Atoi(c.name)
			if err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != c.name {
				continue
			}
			step, value = i, v[i]
		default:
			return best, false
		}
		below, complete := follow(value, c.rest)
		if complete {
			return append([]any{step}, below...), true
		}
		if len(c.name) > length {
			best, length = append([]any{step}, below...), len(c.name)
		}
	}
	return best, false
}

// first is a way to read the first step of a path.
type first struct{ name, rest string }

// firstSteps are the ways to read the first step of a path, as the libraries write it:
// name or [name].
func firstSteps(path string) (all []first) {
	for end := 1; end <= len(path); end++ {
		if end < len(path) && path[end] != '.' && path[end] != '[' {
			continue
		}
		all = append(all, first{path[:end], path[end:]})
		if path[0] == '[' && path[end-1] == ']' {
			all = append(all, first{path[1 : end-1], path[end:]})
		}
	}
	return all
}

// at returns what steps lead to within v, all of which are there.
func at(v any, steps []any) any {
	for _, s := range steps {
		switch s := s.(type) {
		case string:
			v = v.(map[string]any)[s]
		case int:
			v = v.([]any)[s]
		}
	}
	return v
}
