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
	switch v := v.(type) {
	case map[string]any:
		length := -1
		for _, name := range sortedKeys(v) {
			rest, ok := cutName(path, name)
			if !ok {
				continue
			}
			below, complete := follow(v[name], rest)
			if complete {
				return append([]any{name}, below...), true
			}
			if len(name) > length {
				best, length = append([]any{name}, below...), len(name)
			}
		}
	case []any:
		for i := range v {
			if rest, ok := cutIndex(path, i); ok {
				below, complete := follow(v[i], rest)
				return append([]any{i}, below...), complete
			}
		}
	}
	return best, false
}

// cutName removes a field name, as the libraries write it, from the beginning
// of a path: name or [name].
func cutName(path, name string) (rest string, ok bool) {
	for _, prefix := range []string{name, "[" + name + "]"} {
		if len(path) >= len(prefix) && path[:len(prefix)] == prefix {
			rest = path[len(prefix):]
			if rest == "" || rest[0] == '.' || rest[0] == '[' {
				return rest, true
			}
		}
	}
	return "", false
}

// cutIndex removes an index, [0] or 0, from the beginning of a path.
func cutIndex(path string, i int) (rest string, ok bool) {
	return cutName(path, strconv.Itoa(i))
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
