// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoniter

import (
	"strconv"
	"strings"
)

// Mode is a set of options of Parse.
type Mode uint8

const (
	// CopyStrings makes Parse copy strings. Without it, strings share the memory of the input.
	CopyStrings Mode = 1 << iota
	// Ints makes Parse return numbers as int64 if they fit. Without it, all numbers are float64.
	Ints
	// CheckOnly makes Parse only check the document, and return no value.
	CheckOnly
	// Unique makes Parse reject objects with duplicate keys. Do not combine Unique and
	// CheckOnly.
	Unique
)

// Parse reads a document of strict JSON. For any other input, it returns false and gives no
// reason.
func Parse(in string, mode Mode) (v any, ok bool) {
	p := parser{in: in, mode: mode}
	v, ok = p.value(0)
	for ok && p.at < len(in) {
		ok = IsSpace(in[p.at])
		p.at++
	}
	return v, ok
}

type parser struct {
	in   string
	at   int
	mode Mode
}

// token reads and returns the next byte that is not white space. It returns 0 at the end.
func (p *parser) token() byte {
	for p.at < len(p.in) {
		c := p.in[p.at]
		p.at++
		if c > ' ' || !IsSpace(c) {
			return c
		}
	}
	return 0
}

// finishWord reads word, the rest of a literal such as null. It returns false if the input
// differs.
func (p *parser) finishWord(word string) bool {
	ok := strings.HasPrefix(p.in[p.at:], word)
	p.at += len(word)
	return ok
}

// value reads a value. depth is the number of objects and arrays around it.
func (p *parser) value(depth int) (any, bool) {
	switch p.token() {
	case '"':
		return p.text()
	case '{':
		return p.object(depth + 1)
	case '[':
		return p.array(depth + 1)
	case 't':
		return true, p.finishWord("rue")
	case 'f':
		return false, p.finishWord("alse")
	case 'n':
		return nil, p.finishWord("ull")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.at--
		return p.number()
	}
	return nil, false
}

// text reads a string whose opening quote was already read.
func (p *parser) text() (text string, ok bool) {
	if p.mode&CheckOnly != 0 {
		p.at, _ = StringEnd(p.in, p.at)
		return "", p.at >= 0
	}
	if text, p.at = String(p.in, p.at); p.mode&CopyStrings != 0 {
		text = strings.Clone(text)
	}
	return text, p.at >= 0
}

func (p *parser) number() (any, bool) {
	f, whole, end := Number(p.in, p.at)
	if end < 0 {
		return nil, false
	}
	text := p.in[p.at:end]
	p.at = end
	if p.mode&CheckOnly != 0 {
		return nil, true
	}
	if p.mode&Ints != 0 && whole {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i, true
		}
	}
	return f, true
}

func (p *parser) array(depth int) (any, bool) {
	list := []any{} // an empty list does not allocate
	if depth > MaxDepth {
		return nil, false
	}
	if p.token() == ']' {
		return list, true
	}
	for p.at--; ; {
		v, ok := p.value(depth)
		if !ok {
			return nil, false
		}
		if p.mode&CheckOnly == 0 {
			list = append(list, v)
		}
		switch p.token() {
		case ',':
		case ']':
			return list, true
		default:
			return nil, false
		}
	}
}

func (p *parser) object(depth int) (any, bool) {
	var object map[string]any
	if p.mode&CheckOnly == 0 {
		object = map[string]any{}
	}
	if depth > MaxDepth {
		return nil, false
	}
	c := p.token()
	if c == '}' {
		return object, true
	}
	for n := 1; c == '"'; n++ {
		key, ok := p.text()
		if !ok || p.token() != ':' {
			break
		}
		v, ok := p.value(depth)
		if !ok {
			break
		}
		if object != nil {
			object[key] = v
		}
		if p.mode&Unique != 0 && len(object) != n {
			break
		}
		if c = p.token(); c == '}' {
			return object, true
		} else if c != ',' {
			break
		}
		c = p.token()
	}
	return nil, false
}
