// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import "strings"

// Leaves returns the paths in s that do not contain another path in s (rule X1). For example, the
// leaves of {a, a.b, c} are {a.b, c}.
func (s Set) Leaves() Set {
	out := Set{}
	for p := range s {
		leaf := true
		for q := range s {
			if q != p && strings.HasPrefix(string(q), string(p)) {
				leaf = false
			}
		}
		if leaf {
			out.add(p)
		}
	}
	return out
}

// Extract returns a copy of a value that contains only the fields and items whose paths are in a
// set. It returns null if nothing remains (rules X2, X3).
func Extract(v any, s Set, t *Type) any {
	t = t.typeFor(v)
	if t.Kind == Scalar || t.Atomic || t.isEmpty(v) {
		return v
	}
	if t.Kind == Map {
		out := map[string]any{}
		for _, name := range names(v) {
			at := Path("").field(name)
			typ, _ := t.entryType(name)
			if s[at] {
				out[name] = Extract(field(v, name), s, typ)
			} else if below := s.below(at); len(below) > 0 {
				out[name] = Extract(field(v, name), below, typ)
			}
		}
		if len(out) > 0 {
			return out
		}
		return nil
	}
	var out []any
	for _, item := range items(v) {
		at := Path("").with(t.identity(item))
		if below := s.below(at); len(below) > 0 {
			out = append(out, Extract(item, below, t.Items))
		} else if s[at] {
			out = append(out, item)
		}
	}
	if out != nil {
		return out
	}
	return nil
}
