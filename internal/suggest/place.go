// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suggest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/schema"
)

// TypeAt returns the type at steps in a value of type ref. A step is the name of a field or
// the index of an item. TypeAt returns false if the type is unknown.
func TypeAt(s *schema.Schema, ref schema.TypeRef, steps []any) (schema.Atom, bool) {
	at, ok := refAt(s, ref, steps)
	if !ok {
		return schema.Atom{}, false
	}
	return s.Resolve(at)
}

func refAt(s *schema.Schema, ref schema.TypeRef, steps []any) (schema.TypeRef, bool) {
	for _, step := range steps {
		atom, ok := s.Resolve(ref)
		if !ok {
			return schema.TypeRef{}, false
		}
		if ref, ok = child(atom, step); !ok {
			return schema.TypeRef{}, false
		}
	}
	return ref, true
}

// child returns the type of the field or item that step identifies in a value of type atom.
func child(atom schema.Atom, step any) (schema.TypeRef, bool) {
	switch s := step.(type) {
	case string:
		if atom.Map == nil {
			return schema.TypeRef{}, false
		}
		if f, ok := atom.Map.FindField(s); ok {
			return f.Type, true
		}
		return atom.Map.ElementType, true
	default:
		if atom.List == nil {
			return schema.TypeRef{}, false
		}
		return atom.List.ElementType, true
	}
}

const (
	maxPath  = 4096 // maximum length of a path, in bytes
	maxTries = 1000 // maximum number of attempts to read an ambiguous path
)

// Steps parses the path of a validation error in a value of type ref. Field names may contain
// dots and brackets, so Steps uses the type to find where they end. Each list item becomes the
// step 0, regardless of its index.
//
// If the path ends in an undeclared field, steps lead to the map that contains the field, and
// undeclared is the name of the field. Otherwise undeclared is empty. If a path is ambiguous,
// Steps prefers a reading in which the undeclared name has no dots or brackets. ok is false if
// the type cannot have the path, or if the path exceeds a limit.
func Steps(s *schema.Schema, ref schema.TypeRef, path string) (steps []any, undeclared string, ok bool) {
	if len(path) > maxPath {
		return nil, "", false
	}
	tries, odd := 0, false
	var read func(ref schema.TypeRef, rest string) bool
	read = func(ref schema.TypeRef, rest string) bool {
		if rest == "" {
			undeclared = ""
			return true
		}
		atom, found := s.Resolve(ref)
		if tries++; !found || tries > maxTries {
			return false
		}
		down := func(step any, ref schema.TypeRef, rest string) bool {
			steps = append(steps, step)
			if read(ref, rest) {
				return true
			}
			steps = steps[:len(steps)-1]
			return false
		}
		if end := elementEnd(rest); end > 0 {
			return atom.List != nil && down(0, atom.List.ElementType, rest[end:])
		}
		rest, found = strings.CutPrefix(rest, ".")
		if !found || atom.Map == nil {
			return false
		}
		for i := range atom.Map.Fields {
			f := &atom.Map.Fields[i]
			if after, is := strings.CutPrefix(rest, f.Name); is && (after == "" || after[0] == '.' || after[0] == '[') && down(f.Name, f.Type, after) {
				return true
			}
		}
		if open(atom.Map) {
			for i := 1; i <= len(rest); i++ {
				if (i == len(rest) || rest[i] == '.' || rest[i] == '[') && down(rest[:i], atom.Map.ElementType, rest[i:]) {
					return true
				}
			}
			return false
		}
		undeclared = rest
		return odd || !strings.ContainsAny(rest, ".[")
	}
	if ok = read(ref, path); !ok {
		steps, tries, odd = nil, 0, true
		ok = read(ref, path)
	}
	return slices.Clip(steps), undeclared, ok
}

// open reports whether a map allows undeclared fields.
func open(m *schema.Map) bool {
	t := m.ElementType
	return t.NamedType != nil || t.Inlined.Map != nil || t.Inlined.List != nil || t.Inlined.Scalar != nil
}

// elementEnd returns the length of the list element at the beginning of path, such as [0] or
// [name="a"]. It returns 0 if path does not begin with a list element.
func elementEnd(path string) int {
	if path == "" || path[0] != '[' {
		return 0
	}
	for i := 1; i < len(path); i++ {
		switch path[i] {
		case ']':
			return i + 1
		case '"':
			quoted, err := strconv.QuotedPrefix(path[i:])
			if err != nil {
				return 0
			}
			i += len(quoted) - 1
		}
	}
	return 0
}
