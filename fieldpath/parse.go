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

// ParsePath reads a path as Path.String writes it, for example
// .spec.ports[port=80,protocol="TCP"].name. The text "" is the empty path.
//
// A field name ends at the next dot, bracket or space; one that holds these, or
// is empty, is to be in double quotes, which Path.String leaves out:
// .metadata.annotations."example.com/a". (typed.ParseableType.ParsePath knows
// from the type where such names end.) Maps as items of a set have no readable
// text; write them as JSON.
//
// The error shows the text, the place that cannot be read, and what was
// expected there.
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

// cutName takes a name off the front of text: a quoted one, or all up to one of
// the ends, a space or a quote.
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
		return "", text, errors.New("the quotes do not end, or hold what is no Go string")
	}
	s, err = strconv.Unquote(quoted)
	return s, text[len(quoted):], err
}

// cutBracket takes what follows an opening bracket, and the closing one, off
// the front of text.
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
			return pe, text, fmt.Errorf("key %s is there twice", name)
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

// maxValueDepth bounds how deep a value in a path may be.
const maxValueDepth = 100

// cutValue takes a value off the front of text.
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

// cutMembers takes what is between commas off the front of text, and the end.
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

// literals are the scalars that are words.
var literals = []struct {
	text  string
	value any
}{{"true", true}, {"false", false}, {"null", nil}}

// scalarOf reads what is no string.
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
