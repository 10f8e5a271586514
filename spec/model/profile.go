// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Profile selects how JSON values in FieldsV1 are spelled: V6 as in structured-merge-diff v6 and
// older versions, or V7 as in v7 (rule F9).
type Profile string

// All profiles.
const (
	V6 Profile = "v6"
	V7 Profile = "v7"
)

// text encodes a value as JSON, in the spelling that path elements use. The fields of maps are
// sorted by name.
func text(v any) string { return Profile("").json(v) }

func (p Profile) json(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return p.number(v)
	case string:
		return p.quoted(v, p == V6)
	case []any:
		var all []string
		for _, item := range v {
			all = append(all, p.json(item))
		}
		return "[" + strings.Join(all, ",") + "]"
	case map[string]any:
		var all []string
		for _, name := range names(v) {
			all = append(all, p.quoted(name, false)+":"+p.json(v[name]))
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	panic(fmt.Sprintf("%v is not a value", v))
}

// member encodes a path element as the name of a member of a JSON object, with quotes.
func (p Profile) member(e Element) string {
	switch e[0] {
	case 'k', 'v':
		return p.quoted(string(e[:2])+p.json(value(e)), false)
	}
	return p.quoted(string(e), false)
}

func (p Profile) number(f float64) string {
	if f != 0 && (math.Abs(f) < 1e-6 || math.Abs(f) >= 1e21) {
		s := strconv.FormatFloat(f, 'e', -1, 64)
		if p == V7 {
			s = strings.Replace(s, "e-0", "e-", 1)
		}
		return s
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// quoted encodes a string as JSON. If escaped is true, it also writes <, >, &, U+2028 and U+2029
// as \u escapes.
func (p Profile) quoted(s string, escaped bool) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case p == V7 && r == '\b':
			b.WriteString(`\b`)
		case p == V7 && r == '\f':
			b.WriteString(`\f`)
		case r < ' ' || escaped && strings.ContainsRune("<>&\u2028\u2029", r):
			fmt.Fprintf(&b, `\u%04x`, r)
		case r >= mark && p == "":
			b.WriteRune(r)
		case r >= mark && escaped:
			b.WriteString(`\ufffd`)
		case r >= mark && p == V7:
			b.WriteRune(utf8.RuneError)
		case r >= mark:
			b.WriteByte(byte(r - mark))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// mark is the first of 256 private-use runes that represent bytes which are not valid UTF-8: the
// rune mark+b represents the byte b.
const mark = 0x10ff00

func marked(b []byte) []byte {
	var out []byte
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			r = mark + rune(b[0])
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return out
}
