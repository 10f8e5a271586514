// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"math/big"
	"strconv"
	"strings"
)

// float reads a number of 32 or 64 bits.
func (r *replay) float(bits int) float64 {
	if r.token() == '-' {
		return -r.positive(bits)
	}
	r.back()
	return r.positive(bits)
}

func (r *replay) positive(bits int) float64 {
	operation := "readFloat" + strconv.Itoa(bits)
	if r.pos < r.high {
		switch r.in[r.pos] {
		case ',', ']', '}', ' ', '\t', '\n':
			r.report(operation, "empty number")
			return 0
		case '.':
			r.report(operation, "leading dot is invalid")
			return 0
		case '0':
			if r.pos+1 < r.high && isDigit(r.in[r.pos+1]) {
				r.report(operation, "leading zero is invalid")
				return 0
			}
		}
	}
	text := r.numberText()
	if r.failed() {
		return 0
	}
	if message := numberMistake(text); message != "" {
		r.report(operation+"SlowPath", message)
		return 0
	}
	f, err := strconv.ParseFloat(text, bits)
	if err != nil {
		r.err = err
		return 0
	}
	return f
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// numberText reads every byte that can be part of a number.
func (r *replay) numberText() string {
	var b []byte
	for {
		start := r.pos
		for r.pos < r.high && strings.IndexByte("+-.eE0123456789", r.in[r.pos]) >= 0 {
			r.pos++
		}
		b = append(b, r.in[start:r.pos]...)
		if r.pos < r.high {
			break
		}
		r.pos = start // where upstream stays when there is no more
		if !r.more() {
			break
		}
	}
	if r.failed() {
		return ""
	}
	if len(b) == 0 {
		r.report("readNumberAsString", "invalid number")
	}
	return string(b)
}

// numberMistake says what is wrong with a number that strconv would accept.
func numberMistake(text string) string {
	if text == "" {
		return "empty number"
	}
	if text[0] == '-' {
		return "-- is not valid"
	}
	dot := strings.IndexByte(text, '.')
	switch {
	case dot < 0:
		return ""
	case dot == len(text)-1:
		return "dot can not be last character"
	case !isDigit(text[dot+1]):
		return "missing digit after dot"
	}
	return ""
}

// skipNumber reads a number that nobody needs, from its second byte on.
func (r *replay) skipNumber() {
	if r.skipPlainNumber() {
		return
	}
	r.back()
	if r.failed() {
		return
	}
	r.float(64)
	if !r.failed() {
		return
	}
	// Upstream gives the number a second chance as a big.Float.
	r.err = nil
	text := r.numberText()
	if r.failed() {
		return
	}
	if _, _, err := big.ParseFloat(shorten(text), 10, 64, big.ToZero); err != nil {
		r.err = err
	}
}

// skipPlainNumber reads digits and a fraction up to a delimiter in the buffer.
// It reports false, having read nothing, for what may be another number.
func (r *replay) skipPlainNumber() bool {
	dot := false
	for i := r.pos; i < r.high; i++ {
		switch c := r.in[i]; {
		case isDigit(c):
		case c == '.':
			if dot {
				r.report("validateNumber", "more than one dot found in number")
				return true
			}
			if i+1 == r.high {
				return false
			}
			if !isDigit(r.in[i+1]) {
				r.report("validateNumber", "missing digit after dot")
				return true
			}
			dot = true
		case c == ',' || c == ']' || c == '}' || isSpace(c):
			if i == r.pos {
				return false
			}
			r.pos = i
			return true
		default:
			return false
		}
	}
	return false
}
