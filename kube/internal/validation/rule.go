// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// class is the kind of check that a rule makes.
type class int

const (
	isRequired class = iota
	isEnum
	isOneOf
	hasFormat
	isBelow
	isAbove
	isNegative
	hasKeys
	isUnique
	isNonempty
)

// rule is one rule for a value of a field.
type rule struct {
	class class
	// only lists the numbers of the kinds to which the rule applies. If only is nil, the rule
	// applies to all kinds.
	only []int
	// detail is the reason in the server's message.
	detail string
	// values lists the allowed values, for an enumeration.
	values []string
	// format is the required format of a text or key.
	format format
	// self is true if the server reports the path of the whole map or list instead of the path of the
	// invalid key or item in it.
	self bool
	// These fields say how an empty string is checked. If nonempty is true, it counts as a missing
	// value. If full is true, it is checked like any other string. If both are false, it is checked
	// only if self is true.
	nonempty, full bool
	// limit is the minimum or maximum of a number.
	limit int64
	// key is the field that must be unique among the items. If key is "", no two items may be
	// equal.
	key string
}

// readRule parses a rule of a field. An invalid rule is a bug in the table, so readRule
// panics. The rules are:
//
//	required "DETAIL"                     the field must be present
//	enum "A" "B" EMPTY                    the value must be one of the listed values
//	enum "A" "B" full self                like enum for the items of a list; the server
//	                                      reports the path of the list
//	nonempty "DETAIL"                     the text must not be empty
//	oneof "DETAIL" "A" "B" EMPTY          like enum, but the server's error is "Invalid value"
//	                                      instead of "Unsupported value"
//	format NAME EMPTY                     the text must have the format
//	format NAME self                      like format for the values of a map; the server
//	                                      reports the path of the map
//	below N "DETAIL"                      the number must not be below N
//	above N "DETAIL"                      the number must not be above N
//	negative "DETAIL"                     the quantity must not be negative
//	keys FORMAT key                       the keys of the map must have the format
//	keys FORMAT self                      like keys; the server reports the path of the map
//	unique KEY                            no two items may have the same value of KEY; without
//	                                      KEY, no two items may be equal
//
// EMPTY says how an empty string is treated. Without EMPTY, an empty string is not checked. With
// "full", it is checked like any other string. With "nonempty" and a DETAIL, it counts as missing.
//
// A prefix such as @1,2 limits a rule to the kinds with the numbers 1 and 2.
func readRule(text, field string) rule {
	var r rule
	words := split(text)
	if numbers, ok := strings.CutPrefix(words[0], "@"); ok {
		for number := range strings.SplitSeq(numbers, ",") {
			n, err := strconv.Atoi(number)
			if err != nil {
				panic(fmt.Errorf("rule %s for values: %w", text, err))
			}
			r.only = append(r.only, n)
		}
		words = words[1:]
	}
	name, args := words[0], words[1:]
	next := func() (word string) {
		if len(args) > 0 {
			word, args = args[0], args[1:]
		}
		return word
	}
	number := func() int64 {
		n, err := strconv.ParseInt(next(), 10, 64)
		if err != nil {
			panic(fmt.Errorf("rule %s for values: %w", text, err))
		}
		return n
	}
	findFormat := func() format {
		name := next()
		f := formats[name]
		if f == nil {
			panic(fmt.Errorf("rule %s for values: unknown format %s", text, name))
		}
		return f
	}
	switch name {
	case "required":
		r.class, r.detail = isRequired, unquote(next())
		return r
	case "enum":
		r.class = isEnum
	case "oneof":
		r.class, r.detail = isOneOf, unquote(next())
	case "format":
		r.class, r.format = hasFormat, findFormat()
	case "below":
		r.class, r.limit, r.detail = isBelow, number(), unquote(next())
	case "above":
		r.class, r.limit, r.detail = isAbove, number(), unquote(next())
	case "negative":
		r.class, r.detail = isNegative, unquote(next())
	case "keys":
		r.class, r.format = hasKeys, findFormat()
		if field == "annotations" {
			f := r.format
			r.format = func(key string) []string { return f(strings.ToLower(key)) }
		}
	case "nonempty":
		r.class, r.nonempty, r.detail = isNonempty, true, unquote(next())
	case "unique":
		r.class, r.key = isUnique, next()
	default:
		panic(fmt.Errorf("the table has an unknown rule: %s", text))
	}
	for len(args) > 0 {
		switch word := next(); {
		case strings.HasPrefix(word, `"`):
			r.values = append(r.values, unquote(word))
		case word == "full":
			r.full = true
		case word == "nonempty":
			r.nonempty, r.detail = true, unquote(next())
		case word == "self":
			r.self = true
		}
	}
	return r
}

// split splits a rule into words. A quoted word may contain spaces.
func split(text string) (words []string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " ") {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			quoted, _, _ = strings.Cut(text, " ")
		}
		words = append(words, quoted)
		text = text[len(quoted):]
	}
	return words
}

func unquote(word string) string {
	text, err := strconv.Unquote(word)
	if err != nil {
		return ""
	}
	return text
}

// appliesTo reports whether a rule applies to a kind.
func (r *rule) appliesTo(kind int) bool { return r.only == nil || slices.Contains(r.only, kind) }

// check checks a value against one rule. The argument at is the path of the value. For a value in a
// map or a list, whole is the path of that map or list.
func (w *walk) check(r *rule, at, whole, key string, v any) {
	switch r.class {
	case isEnum, isOneOf, hasFormat, isNonempty:
		if text, ok := v.(string); ok {
			w.text(r, at, whole, key, text)
		}
	case isBelow, isAbove:
		n, ok := document.Integer(v)
		if ok && (r.class == isBelow && n < r.limit || r.class == isAbove && n > r.limit) {
			w.add(invalid(at, n, r.detail))
		}
	case isNegative:
		if text, ok := v.(string); ok && strings.HasPrefix(text, "-") {
			w.add(invalid(at, text, r.detail))
		}
	case hasKeys:
		m, _ := v.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(m)) {
			for _, why := range r.format(key) {
				c := invalid(at, key, why)
				if c.Key = key; !r.self {
					c.Field, c.Key = at+"["+key+"]", ""
				}
				w.add(c)
			}
		}
	case isUnique:
		items, _ := v.([]any)
		w.unique(r, at, items)
	}
}

func (w *walk) text(r *rule, at, whole, key, text string) {
	if text == "" && !r.full && !r.self {
		if r.nonempty {
			w.add(required(at, r.detail))
		}
		return
	}
	switch r.class {
	case isEnum:
		if !slices.Contains(r.values, text) {
			if r.self {
				at = whole
			}
			w.add(notSupported(at, text, r.values))
		}
	case isOneOf:
		if !slices.Contains(r.values, text) {
			w.add(invalid(at, text, r.detail))
		}
	case hasFormat:
		for _, why := range r.format(text) {
			c := invalid(at, text, why)
			if r.self {
				c.Field, c.Key = whole, key
			}
			w.add(c)
		}
	}
}

func (w *walk) unique(r *rule, at string, items []any) {
	if len(items) < 2 {
		return
	}
	seen := map[string]bool{}
	for i, item := range items {
		field := at + "[" + strconv.Itoa(i) + "]"
		v := item
		if r.key != "" {
			m, _ := item.(map[string]any)
			v = m[r.key]
			field += "." + r.key
		}
		if v == nil || v == "" {
			continue
		}
		text := show(v)
		if seen[text] {
			w.add(duplicate(field, v))
		}
		seen[text] = true
	}
}
