// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/internal/legacy"
)

// FromJSON parses a document. Numbers become float64, of several entries of an
// object with one key the last wins. It returns an error if the input is not
// one document, is nested deeper than 10,000 levels or holds a number that is
// out of range. The input may be changed afterwards.
func FromJSON(input []byte) (Value, error) {
	r := reader{buf: input}
	v, ok := r.document()
	if !ok {
		return nil, r.err
	}
	return NewValueInterface(v), nil
}

// FromJSONFast is FromJSON.
func FromJSONFast(input []byte) (Value, error) {
	return FromJSON(input)
}

// reader parses JSON. It accepts a little more than JSON, and reports what it
// does not accept, just as github.com/json-iterator/go does: field sets on
// disk were let in by it, and its messages are looked for.
//
// A strict reader accepts no more than JSON, its integers are int64 where they
// fit, and its messages are nobody's business.
type reader struct {
	buf    []byte
	head   int
	depth  int
	strict bool
	// whole is the input of a strict reader again. Strings are parts of it, so
	// that they take no memory of their own.
	whole string
	// ended: somebody asked for more than there is. From then on the reader
	// does not step back.
	ended bool
	err   error
}

// document reads all of the input. If it is not ok, err says why.
func (r *reader) document() (v any, ok bool) {
	if v, ok = r.value(); !ok {
		return nil, false
	}
	if legacy.On() && !r.strict {
		return v, true
	}
	r.token()
	if !r.ended {
		r.head--
		r.fail("managedFields parsing", "unexpected trailing data after JSON object")
		return nil, false
	}
	return v, true
}

// fail records an error at the current position and returns false.
func (r *reader) fail(operation, message string) bool {
	around := func(n int) []byte {
		return r.buf[max(r.head-n, 0):min(r.head+n, len(r.buf))]
	}
	//lint:ignore ST1005 the words are not ours
	r.err = fmt.Errorf("%s: %s, error found in #%d byte of ...|%s|..., bigger context ...|%s|...",
		operation, message, min(r.head, 10), around(10), around(50))
	return false
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z'
}

// token returns the next byte that is no space, 0 at the end.
func (r *reader) token() byte {
	for i := r.head; i < len(r.buf); i++ {
		if c := r.buf[i]; !isSpace(c) {
			r.head = i + 1
			return c
		}
	}
	return r.end()
}

// next returns the next byte, 0 at the end.
func (r *reader) next() byte {
	if r.head == len(r.buf) {
		return r.end()
	}
	c := r.buf[r.head]
	r.head++
	return c
}

func (r *reader) end() byte {
	r.head = len(r.buf)
	r.ended = true
	return 0
}

// back undoes a token or next.
func (r *reader) back() {
	if !r.ended {
		r.head--
	}
}

func (r *reader) value() (any, bool) {
	switch c := r.token(); c {
	case '"':
		s, ok := r.text()
		return s, ok
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if r.strict {
			return r.strictNumber()
		}
		f, ok := r.number(c)
		return f, ok
	case 't':
		return true, r.literal("skipThreeBytes", "rue")
	case 'f':
		return false, r.literal("skipFourBytes", "alse")
	case 'n':
		r.back()
		return nil, r.literal("skipFourBytes", "null")
	default:
		r.back()
		return nil, r.fail("Read", "unexpected value type: 0")
	}
}

// literal reads the rest of a word.
func (r *reader) literal(operation, rest string) bool {
	for i := range len(rest) {
		if r.next() != rest[i] {
			return r.fail(operation, "expect "+rest)
		}
	}
	return true
}

// enter begins a level of nesting.
func (r *reader) enter() bool {
	if r.depth++; r.depth > maxDepth {
		return r.fail("incrementDepth", "exceeded max depth")
	}
	return true
}

func (r *reader) array() (any, bool) {
	if !r.enter() {
		return nil, false
	}
	list := []any{}
	c := r.token()
	if c == ']' {
		r.depth--
		return list, true
	}
	r.back()
	for {
		v, ok := r.value()
		if !ok {
			return nil, false
		}
		list = append(list, v)
		switch c := r.token(); c {
		case ',':
		case ']':
			r.depth--
			return list, true
		default:
			return nil, r.fail("ReadArrayCB", "expect ] in the end, but found "+string([]byte{c}))
		}
	}
}

func (r *reader) object() (any, bool) {
	if !r.enter() {
		return nil, false
	}
	object := map[string]any{}
	c := r.token()
	if c == '}' {
		r.depth--
		return object, true
	}
	if c != '"' {
		return nil, r.fail("ReadMapCB", `expect " after {, but found `+string([]byte{c}))
	}
	r.back()
	for {
		key, ok := r.key()
		if !ok {
			return nil, false
		}
		if r.token() != ':' {
			// c is what came before the key.
			return nil, r.fail("ReadMapCB", "expect : after object field, but found "+string([]byte{c}))
		}
		v, ok := r.value()
		if !ok {
			return nil, false
		}
		object[key] = v
		switch c = r.token(); c {
		case ',':
		case '}':
			r.depth--
			return object, true
		default:
			return nil, r.fail("ReadMapCB", "object not ended with }")
		}
	}
}
