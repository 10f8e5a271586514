// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dovetail-ssa/dovetail/value"
)

var (
	errNoElement = errors.New("want .name, [key=value,...], [=value] or [index]")
	errNoValue   = errors.New(`want a string in double quotes, a number, true, false, null, [...] or {"name": ...}`)
)

// ParsePath parses a path in the notation of Path.String, for example
// .spec.ports[port=80,protocol="TCP"].name. The text "" is the empty path.
//
// A field name ends at the next dot, bracket or space. If a name contains one of these characters
// or is empty, write it in double quotes: .metadata.annotations."example.com/a". If an item of a
// set is a map, write it as JSON. Path.String does not write the quotes, so ParsePath cannot read
// all of its output. typed.ParseableType.ParsePath can read all of it, because it uses the type to
// find the end of a name.
//
// The error contains the whole text, the part that ParsePath cannot read, and the expected input.
func ParsePath(text string) (Path, error) {
	p := Path{}
	for rest := text; rest != ""; {
		var pe PathElement
		var err error
		at := rest
		switch rest[0] {
		case '.':
			var name string
			name, rest, err = cutName(rest[1:], ".[")
			pe.FieldName = &name
		case '[':
			pe, rest, err = cutBracket(rest[1:])
		default:
			err = errNoElement
		}
		if err != nil {
			return nil, fmt.Errorf("path %s: at %q: %w", text, at, err)
		}
		p = append(p, pe)
	}
	return p, nil
}

// cutName reads the name at the beginning of text, and returns it together with the text after it.
// A name without quotes ends before the first space, control character, quote, or character in
// ends.
func cutName(text, ends string) (name, rest string, err error) {
	if strings.HasPrefix(text, `"`) {
		return cutQuoted(text)
	}
	end := strings.IndexFunc(text, func(r rune) bool {
		return strings.ContainsRune(ends, r) || r == '"' || unicode.IsSpace(r) || unicode.IsControl(r)
	})
	if end < 0 {
		end = len(text)
	}
	if end == 0 {
		return "", text, errNoElement
	}
	return text[:end], text[end:], nil
}

func cutQuoted(text string) (s, rest string, err error) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", text, errors.New("the quoted string does not end or has an invalid escape")
	}
	s, err = strconv.Unquote(quoted)
	return s, text[len(quoted):], err
}

// cutBracket parses a path element in brackets, and returns it together with the text after the
// closing bracket. text starts after the opening bracket.
func cutBracket(text string) (pe PathElement, rest string, err error) {
	if after, ok := strings.CutPrefix(text, "="); ok {
		v, rest, err := cutValue(after, 0)
		if err != nil {
			return pe, text, err
		}
		if !strings.HasPrefix(rest, "]") {
			return pe, text, errNoElement
		}
		return ValueElement(value.NewValueInterface(v)), rest[1:], nil
	}
	inside, after, closed := strings.Cut(text, "]")
	if i, err := strconv.Atoi(inside); err == nil && closed {
		return IndexElement(i), after, nil
	}
	var key value.FieldList
	for {
		name, rest, err := cutName(text, "=,[]")
		if err != nil {
			return pe, text, err
		}
		if !strings.HasPrefix(rest, "=") {
			return pe, text, errNoElement
		}
		v, rest, err := cutValue(rest[1:], 0)
		if err != nil {
			return pe, text, err
		}
		if slices.ContainsFunc(key, func(f value.Field) bool { return f.Name == name }) {
			return pe, text, fmt.Errorf("duplicate key %s", name)
		}
		key = append(key, value.Field{Name: name, Value: value.NewValueInterface(v)})
		if after, more := strings.CutPrefix(rest, ","); more {
			text = after
			continue
		}
		if !strings.HasPrefix(rest, "]") {
			return pe, text, errNoElement
		}
		key.Sort()
		return PathElement{Key: &key}, rest[1:], nil
	}
}

// maxValueDepth is the maximum nesting of a value in a path.
const maxValueDepth = 100

// cutValue parses the value at the beginning of text, and returns it together with the text after
// it.
func cutValue(text string, depth int) (v any, rest string, err error) {
	if text == "" || depth > maxValueDepth {
		return nil, text, errNoValue
	}
	switch text[0] {
	case '"':
		return cutQuoted(text)
	case '[':
		list := []any{}
		rest, err = cutMembers(text[1:], "]", func(text string) (string, error) {
			item, rest, err := cutValue(text, depth+1)
			list = append(list, item)
			return rest, err
		})
		return list, rest, err
	case '{':
		m := map[string]any{}
		rest, err = cutMembers(text[1:], "}", func(text string) (string, error) {
			if !strings.HasPrefix(text, `"`) {
				return text, errNoValue
			}
			name, rest, err := cutQuoted(text)
			if err != nil {
				return text, err
			}
			rest, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), ":")
			if !ok {
				return text, errNoValue
			}
			m[name], rest, err = cutValue(strings.TrimLeft(rest, " "), depth+1)
			return rest, err
		})
		return m, rest, err
	}
	end := strings.IndexAny(text, ",]}")
	if end < 0 {
		end = len(text)
	}
	v, ok := scalarOf(text[:end])
	if !ok {
		return nil, text, errNoValue
	}
	return v, text[end:], nil
}

// cutMembers reads a comma-separated list up to its closing bracket or brace, and returns the text
// after it. For each list element, it calls member, which parses the element and returns the text
// after the element.
func cutMembers(text, end string, member func(string) (string, error)) (rest string, err error) {
	if rest, ok := strings.CutPrefix(text, end); ok {
		return rest, nil
	}
	for {
		if text, err = member(strings.TrimLeft(text, " ")); err != nil {
			return text, err
		}
		if rest, ok := strings.CutPrefix(text, end); ok {
			return rest, nil
		}
		var more bool
		if text, more = strings.CutPrefix(text, ","); !more {
			return text, errNoValue
		}
	}
}

// literals lists the scalars that are written as keywords.
var literals = []struct {
	text  string
	value any
}{{"true", true}, {"false", false}, {"null", nil}}

// scalarOf parses a scalar other than a string.
func scalarOf(text string) (v any, ok bool) {
	for _, l := range literals {
		if text == l.text {
			return l.value, true
		}
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, true
	}
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return nil, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}
