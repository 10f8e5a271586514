// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strconv"
	"strings"
)

// A degree says how well an item fits a path element.
type degree int

const (
	noMatch degree = iota
	// partly: the item lacks a key.
	partly
	fully
)

func degreeOf(matches bool) degree {
	if matches {
		return fully
	}
	return noMatch
}

// element is a list element of a path: an index, or texts of keys; that of an item itself
// has no name.
type element struct {
	index int
	keys  map[string]string
}

// parseElement reads the list element that path begins with: [3], [="v"] or
// [a="b",c=1].
func parseElement(path string) (e element, rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, "[")
	if !ok {
		return e, "", false
	}
	if end := strings.IndexByte(rest, ']'); end > 0 {
		if want, err := strconv.Atoi(rest[:end]); err == nil {
			return element{index: want}, rest[end+1:], true
		}
	}
	e.keys = map[string]string{}
	for {
		name, after, ok := strings.Cut(rest, "=")
		if !ok {
			return e, "", false
		}
		text := after
		if quoted, err := strconv.QuotedPrefix(after); err == nil {
			text = quoted
		} else if end := strings.IndexAny(after, ",]"); end >= 0 {
			text = after[:end]
		}
		e.keys[name] = text
		rest = after[len(text):]
		if after, ok := strings.CutPrefix(rest, "]"); ok {
			return e, after, true
		}
		if rest, ok = strings.CutPrefix(rest, ","); !ok {
			return e, "", false
		}
	}
}

// in returns the item of a list that fits best, the first of several; ok is false if none
// does.
func (e element) in(d *document, list []any) (at int, ok bool) {
	if e.keys == nil {
		return e.index, e.index >= 0 && e.index < len(list)
	}
	best, found := 0, noMatch
	try := func(i int) {
		if m := fit(list[i], e.keys); m > found {
			best, found = i, m
		}
	}
	if few := d.candidates(list, e.keys); few != nil {
		for _, i := range few {
			try(int(i))
		}
	} else {
		for i := range list {
			try(i)
		}
	}
	return best, found > noMatch
}

// fit says how well item has these keys.
func fit(item any, keys map[string]string) degree {
	if want, ok := keys[""]; ok && len(keys) == 1 {
		return degreeOf(sameScalar(item, want))
	}
	fields, ok := item.(map[string]any)
	if !ok {
		return noMatch
	}
	d := fully
	for name, want := range keys {
		switch v, ok := fields[name]; {
		case v == nil && !(ok && want == "null"):
			d = partly
		case !sameScalar(v, want):
			return noMatch
		}
	}
	return d
}

// sameScalar says whether v is what a path element writes as text.
func sameScalar(v any, text string) bool {
	switch v := v.(type) {
	case string:
		want, err := strconv.Unquote(text)
		return err == nil && v == want
	case int64:
		f, err := strconv.ParseFloat(text, 64)
		return err == nil && (text == strconv.FormatInt(v, 10) || f == float64(v))
	case float64:
		f, err := strconv.ParseFloat(text, 64)
		return err == nil && f == v
	case bool:
		return text == strconv.FormatBool(v)
	case nil:
		return text == "null"
	}
	return false
}
