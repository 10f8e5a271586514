// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string, or null as an empty one.
func (r *replay) string() string {
	c := r.token()
	if c == 'n' {
		r.literal("ull")
		return ""
	}
	if c != '"' {
		r.report("ReadString", `expects " or n, but found `+string([]byte{c}))
		return ""
	}
	for i := r.pos; i < r.high; i++ {
		c := r.in[i]
		if c == '"' {
			s := r.in[r.pos:i]
			r.pos = i + 1
			return s
		}
		if c == '\\' {
			break
		}
		if c < ' ' {
			r.report("ReadString", fmt.Sprintf("invalid control character found: %d", c))
			return ""
		}
	}
	return r.longString()
}

// longString reads the rest of a string that has an escape or does not end in
// the buffer. Control characters pass here.
func (r *replay) longString() string {
	var b []byte
	for r.err == nil {
		switch c := r.byte(); c {
		case '"':
			return string(b)
		case '\\':
			b = r.escape(b, r.byte())
		default:
			b = append(b, c)
		}
	}
	r.report("readStringSlowPath", "unexpected end of input")
	return ""
}

// escape appends what the letter c stands for behind a backslash.
func (r *replay) escape(b []byte, c byte) []byte {
	if c != 'u' {
		if unescaped[c] == 0 {
			r.report("readEscapedChar", `invalid escape char after \`)
			return nil
		}
		return append(b, unescaped[c])
	}
	first := r.hex()
	if !utf16.IsSurrogate(first) {
		return utf8.AppendRune(b, first)
	}
	c = r.byte()
	if r.err != nil {
		return nil
	}
	if c != '\\' {
		r.back()
		return utf8.AppendRune(b, first)
	}
	c = r.byte()
	if r.err != nil {
		return nil
	}
	if c != 'u' {
		return r.escape(utf8.AppendRune(b, first), c)
	}
	second := r.hex()
	if r.err != nil {
		return nil
	}
	if pair := utf16.DecodeRune(first, second); pair != utf8.RuneError {
		return utf8.AppendRune(b, pair)
	}
	return utf8.AppendRune(utf8.AppendRune(b, first), second)
}

// hex reads four hexadecimal digits.
func (r *replay) hex() (out rune) {
	for range 4 {
		c := r.byte()
		if r.err != nil {
			return out
		}
		digit, ok := hexDigit(c)
		if !ok {
			r.report("readU4", "expects 0~9 or a~f, but found "+string([]byte{c}))
			return out
		}
		out = out<<4 | digit
	}
	return out
}

// shorten drops digits from a long number whose value does not matter: reading
// them all would take time quadratic in their number.
func shorten(text string) string {
	const enough = 64
	if len(text) <= enough {
		return text
	}
	var b strings.Builder
	run := 0
	for i := range len(text) {
		if c := text[i]; c == 'e' || c == 'E' {
			return b.String() + text[i:]
		} else if !isDigit(c) {
			run = 0
		} else if run++; run > enough {
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// skipString reads a string that nobody needs, from behind its quote.
func (r *replay) skipString() {
	for i := r.pos; i < r.high; i++ {
		c := r.in[i]
		if c == '"' {
			r.pos = i + 1
			return
		}
		if c == '\\' {
			break
		}
		if c < ' ' {
			r.report("trySkipString", fmt.Sprintf("invalid control character found: %d", c))
			return
		}
	}
	r.back()
	r.string()
}
