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

// parseElement reads the list element that path begins with: [3], [="v"] or
// [a="b",c=1].
func parseElement(path string) (match func(int, any) degree, rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, "[")
	if !ok {
		return nil, "", false
	}
	if end := strings.IndexByte(rest, ']'); end > 0 {
		if want, err := strconv.Atoi(rest[:end]); err == nil {
			return func(i int, _ any) degree { return degreeOf(i == want) }, rest[end+1:], true
		}
	}
	keys := map[string]string{}
	for {
		name, after, ok := strings.Cut(rest, "=")
		if !ok {
			return nil, "", false
		}
		text := after
		if quoted, err := strconv.QuotedPrefix(after); err == nil {
			text = quoted
		} else if end := strings.IndexAny(after, ",]"); end >= 0 {
			text = after[:end]
		}
		keys[name] = text
		rest = after[len(text):]
		if after, ok := strings.CutPrefix(rest, "]"); ok {
			return func(_ int, item any) degree { return fit(item, keys) }, after, true
		}
		if rest, ok = strings.CutPrefix(rest, ","); !ok {
			return nil, "", false
		}
	}
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
