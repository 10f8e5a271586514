// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"strconv"
	"strings"
)

// number reads a number that begins with c.
func (r *reader) number(c byte) (float64, bool) {
	if c != '-' {
		r.head--
		return r.magnitude()
	}
	f, ok := r.magnitude()
	return -f, ok
}

// magnitude reads a number that has no sign.
func (r *reader) magnitude() (float64, bool) {
	if r.head < len(r.buf) {
		switch c := r.buf[r.head]; c {
		case ',', ']', '}', ' ', '\t', '\n':
			r.head++
			return 0, r.failNumber("empty number")
		case '.':
			r.head++
			return 0, r.failNumber("leading dot is invalid")
		case '0':
			if r.head+1 < len(r.buf) && '0' <= r.buf[r.head+1] && r.buf[r.head+1] <= '9' {
				r.head++
				return 0, r.failNumber("leading zero is invalid")
			}
		}
	}
	start, integer := r.head, true
	for r.head < len(r.buf) {
		switch r.buf[r.head] {
		case '+', '-', '.', 'e', 'E':
			integer = false
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		default:
			return r.parse(r.buf[start:r.head], integer)
		}
		r.head++
	}
	r.end()
	return r.parse(r.buf[start:], integer)
}

func (r *reader) failNumber(message string) bool {
	// The head was not moved yet when this came up.
	r.head--
	return r.fail("readFloat64", message)
}

// parse returns the number that text says.
func (r *reader) parse(text []byte, integer bool) (float64, bool) {
	if integer && 0 < len(text) && len(text) < 16 {
		n := int64(0)
		for _, c := range text {
			n = n*10 + int64(c-'0')
		}
		return float64(n), true
	}
	s := string(text)
	switch dot := strings.IndexByte(s, '.'); {
	case s == "":
		return 0, r.fail("readNumberAsString", "invalid number")
	case s[0] == '-':
		return 0, r.fail("readFloat64SlowPath", "-- is not valid")
	case dot == len(s)-1:
		return 0, r.fail("readFloat64SlowPath", "dot can not be last character")
	case dot >= 0 && (s[dot+1] < '0' || s[dot+1] > '9'):
		return 0, r.fail("readFloat64SlowPath", "missing digit after dot")
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		r.err = err
		return 0, false
	}
	return f, true
}

// strictNumber reads a number whose first byte was read.
func (r *reader) strictNumber() (any, bool) {
	start := r.head - 1
	i := start
	digits := func() bool {
		from := i
		for i < len(r.buf) && '0' <= r.buf[i] && r.buf[i] <= '9' {
			i++
		}
		return i > from
	}
	at := func(set string) bool {
		return i < len(r.buf) && strings.IndexByte(set, r.buf[i]) >= 0
	}
	if at("-") {
		i++
	}
	zero, integer := at("0"), true
	if first := i; !digits() || zero && i > first+1 {
		return nil, r.refuse()
	}
	if at(".") {
		integer = false
		i++
		if !digits() {
			return nil, r.refuse()
		}
	}
	if at("eE") {
		integer = false
		i++
		if at("+-") {
			i++
		}
		if !digits() {
			return nil, r.refuse()
		}
	}
	s := string(r.buf[start:i])
	r.head = i
	if integer {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n, true
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, r.refuse()
	}
	return f, true
}

// refuse is fail for a strict reader.
func (r *reader) refuse() bool {
	return r.fail("number", "not JSON")
}
