// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoniter

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is the maximum nesting of objects and arrays that json-iterator accepts.
const MaxDepth = 10_000

// IsUnicode reports whether text is valid UTF-8 and contains no escaped surrogates. It also
// rejects valid pairs of surrogates.
func IsUnicode(text string) bool {
	return utf8.ValidString(text) && !strings.Contains(text, `\ud`) && !strings.Contains(text, `\uD`)
}

// IsSpace reports whether c is JSON white space.
func IsSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

// String reads a JSON string whose content starts at in[at], after the opening quote. It returns
// the text, and the position after the closing quote. If the string has no escapes, the text
// shares memory with in. The position is negative if the closing quote is missing, or if the
// string has an invalid escape or a control character.
func String(in string, at int) (text string, end int) {
	end, escaped := StringEnd(in, at)
	switch {
	case end < 0:
		return "", -1
	case escaped:
		return unescape(in[at : end-1]), end
	}
	return in[at : end-1], end
}

// StringEnd does the same as String, but does not return the text. escaped reports whether
// the string has an escape.
func StringEnd(in string, at int) (end int, escaped bool) {
	for at < len(in) {
		if at += SafeLength(in[at:]); at == len(in) || in[at] < ' ' {
			break
		}
		if in[at] == '"' {
			return at + 1, escaped
		}
		escaped = true
		if _, ok := hexRune(in[at:]); ok {
			at += 6
		} else if at+1 < len(in) && unescaped[in[at+1]] != 0 {
			at += 2
		} else {
			break
		}
	}
	return -1, false
}

// unescape returns the text of a JSON string. Its argument is the content between the quotes, with
// valid escapes only.
func unescape(in string) string {
	var few [128]byte
	b := few[:0]
	for {
		i := 0
		for i < len(in) && in[i] != '\\' {
			i++
		}
		b = append(b, in[:i]...)
		if i == len(in) {
			return string(b)
		}
		in = in[i:]
		if in[1] != 'u' {
			b = append(b, unescaped[in[1]])
			in = in[2:]
			continue
		}
		r, _ := hexRune(in)
		in = in[6:]
		if utf16.IsSurrogate(r) {
			// If the next escape is the second half of a surrogate pair, append the character of
			// the pair. Otherwise append both escapes separately.
			if second, ok := hexRune(in); ok {
				in = in[6:]
				if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
					r = pair
				} else {
					b = utf8.AppendRune(b, r)
					r = second
				}
			}
		}
		b = utf8.AppendRune(b, r)
	}
}

// unescaped maps the letter of an escape to the character that it stands for, or to 0 if the
// letter is invalid.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/',
	'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// hexRune reads an escape such as \u00e4 at the beginning of in.
func hexRune(in string) (r rune, ok bool) {
	if len(in) < 6 || in[0] != '\\' || in[1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(in[2:6]) {
		digit, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | digit
	}
	return r, true
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// Number reads the number that starts at in[at], which must be a minus sign or a digit. The result
// whole is true if the number has neither a fraction nor an exponent. The result end is the
// position after the number, or negative if the number is invalid or out of range.
func Number(in string, at int) (f float64, whole bool, end int) {
	start := at
	negative := in[at] == '-'
	if negative {
		at++
	}
	first := at
	at, n := digits(in, at)
	if at == first || in[first] == '0' && at > first+1 {
		return 0, false, -1
	}
	whole = true
	if at < len(in) && in[at] == '.' {
		whole = false
		fraction := at + 1
		if at, _ = digits(in, fraction); at == fraction {
			return 0, false, -1
		}
	}
	if at < len(in) && in[at]|0x20 == 'e' {
		whole = false
		at++
		if at < len(in) && (in[at] == '+' || in[at] == '-') {
			at++
		}
		exponent := at
		if at, _ = digits(in, exponent); at == exponent {
			return 0, false, -1
		}
	}
	if whole && at-first <= 15 { // a float64 can represent 15 digits exactly
		f = float64(n)
		if negative {
			f = -f
		}
		return f, true, at
	}
	f, err := strconv.ParseFloat(in[start:at], 64)
	if err != nil {
		return 0, false, -1
	}
	return f, whole, at
}

// digits reads decimal digits. The result end is the position after them, and n is their value,
// which may overflow.
func digits(in string, at int) (end int, n int64) {
	for at < len(in) && isDigit(in[at]) {
		n = n*10 + int64(in[at]-'0')
		at++
	}
	return at, n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
