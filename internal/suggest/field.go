// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suggest

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/schema"
)

// Field suggests a correction for an undeclared field with the given name. steps lead from a value
// of type ref to the map that contains the field. If that map declares a field with a similar name,
// Field returns the similar name. If not, it searches for a field with the same name at a different
// level, and returns its path, which starts with a dot. Field prefers the nearest level, and levels
// that exist in value, which may be nil. It returns "" if it finds nothing.
func Field(s *schema.Schema, ref schema.TypeRef, value any, steps []any, name string) string {
	if near := Nearest(name, Fields(s, ref, steps)); near != "" {
		return near
	}
	inside := ""
	if at, ok := refAt(s, ref, steps); ok {
		inside = searchBelow(s, at, valueAt(value, steps), name)
	}
	for up := len(steps) - 1; up >= 0; up-- {
		for _, f := range Fields(s, ref, steps[:up]) {
			if strings.EqualFold(f, name) {
				if inside != "" && depth(inside) < len(steps)-up {
					return pathOf(steps) + inside
				}
				return pathOf(steps[:up]) + "." + f
			}
		}
	}
	for up := len(steps); up >= 0; up-- {
		at, ok := refAt(s, ref, steps[:up])
		if !ok {
			continue
		}
		if v := valueAt(value, steps[:up]); v != nil {
			if below := searchBelow(s, at, v, name); below != "" {
				return pathOf(steps[:up]) + below
			}
		}
		if below := searchBelow(s, at, nil, name); below != "" {
			return pathOf(steps[:up]) + below
		}
	}
	return ""
}

// depth returns how many fields and items lie above the field at path, which starts with a dot.
func depth(path string) int { return strings.Count(path, ".") + strings.Count(path, "[]") - 1 }

// valueAt returns the value inside v to which steps lead, or nil.
func valueAt(v any, steps []any) any {
	for _, step := range steps {
		switch c := v.(type) {
		case map[string]any:
			name, _ := step.(string)
			v = c[name]
		case []any:
			i, ok := step.(int)
			if !ok || i < 0 || i >= len(c) {
				return nil
			}
			v = c[i]
		default:
			return nil
		}
	}
	return v
}

// Fields returns the names of the fields that the map at steps declares. The steps lead
// from a value of type ref to the map.
func Fields(s *schema.Schema, ref schema.TypeRef, steps []any) []string {
	atom, ok := TypeAt(s, ref, steps)
	if !ok || atom.Map == nil {
		return nil
	}
	names := make([]string, 0, len(atom.Map.Fields))
	for i := range atom.Map.Fields {
		names = append(names, atom.Map.Fields[i].Name)
	}
	return names
}

// pathOf formats steps as a path in which each list item is written as [].
func pathOf(steps []any) string {
	var b strings.Builder
	for _, s := range steps {
		if name, ok := s.(string); ok {
			b.WriteString("." + name)
		} else {
			b.WriteString("[]")
		}
	}
	return b.String()
}

// maxPlaces is the maximum number of fields and items that a search visits. The type of a Pod
// has about 900.
const maxPlaces = 2000

// searchBelow searches the type ref for a field with the given name. It returns the path to the
// field that is nested least, or "" if there is none. If within is not nil, it searches only
// maps and lists that exist in within.
func searchBelow(s *schema.Schema, ref schema.TypeRef, within any, name string) string {
	type place struct {
		ref    schema.TypeRef
		path   string
		within any
	}
	seen := map[string]bool{}
	queue := []place{{ref, "", within}}
	for n := 0; n < len(queue) && n < maxPlaces; n++ {
		p := queue[n]
		if t := p.ref.NamedType; t != nil && within == nil {
			if seen[*t] {
				continue
			}
			seen[*t] = true
		}
		atom, ok := s.Resolve(p.ref)
		if !ok {
			continue
		}
		if m := atom.Map; m != nil {
			for i := range m.Fields {
				f := &m.Fields[i]
				if strings.EqualFold(f.Name, name) {
					return p.path + "." + f.Name
				}
				in, _ := p.within.(map[string]any)
				if v := in[f.Name]; within == nil || v != nil {
					queue = append(queue, place{f.Type, p.path + "." + f.Name, v})
				}
			}
		}
		if l := atom.List; l != nil {
			item := p.within // a list, or a single item if the author has forgotten the list
			if in, ok := item.([]any); ok && len(in) > 0 {
				item = in[0]
			}
			queue = append(queue, place{l.ElementType, p.path + "[]", item})
		}
	}
	return ""
}
