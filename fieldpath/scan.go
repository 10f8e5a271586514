// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonString reads a JSON string whose opening quote is before in[at]. It
// returns the text and the position behind the closing quote. Without escapes
// the text is a part of in. The position is negative when the string does not
// end, has an unknown escape or a control character in it.
func jsonString(in string, at int) (text string, end int) {
	i := at + plainLength(in[at:])
	switch {
	case i == len(in):
	case in[i] == '"':
		return in[at:i], i + 1
	case in[i] == '\\':
		return unescape(in, at, i)
	}
	return "", -1
}

// unescape reads the rest of a string that begins at in[start] and has its
// first escape at in[at].
func unescape(in string, start, at int) (text string, end int) {
	b := append(make([]byte, 0, 2*(at-start)+16), in[start:at]...)
	for at < len(in) {
		c := in[at]
		switch {
		case c == '"':
			return string(b), at + 1
		case c < ' ':
			return "", -1
		case c != '\\':
			b = append(b, c)
			at++
			continue
		}
		if at+1 >= len(in) {
			return "", -1
		}
		if in[at+1] != 'u' {
			c := unescaped[in[at+1]]
			if c == 0 {
				return "", -1
			}
			b = append(b, c)
			at += 2
			continue
		}
		r, ok := hexRune(in, at)
		if !ok {
			return "", -1
		}
		at += 6
		if utf16.IsSurrogate(r) {
			// Whatever is escaped next is taken for the second half. If it
			// is none, both stand for themselves.
			if r2, ok := hexRune(in, at); ok {
				at += 6
				if pair := utf16.DecodeRune(r, r2); pair != utf8.RuneError {
					r = pair
				} else {
					b = utf8.AppendRune(b, r)
					r = r2
				}
			}
		}
		b = utf8.AppendRune(b, r)
	}
	return "", -1
}

// unescaped is what a letter stands for behind a backslash; 0 means nothing.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/',
	'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// hexRune reads an escape like \u00e4 at in[at].
func hexRune(in string, at int) (r rune, ok bool) {
	if at+6 > len(in) || in[at] != '\\' || in[at+1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(in[at+2 : at+6]) {
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

// jsonNumber reads the JSON number at in[at], where a sign or a digit is. The position behind it is
// negative when there is none or it is too large.
func jsonNumber(in string, at int) (f float64, end int) {
	start := at
	negative := in[at] == '-'
	if negative {
		at++
	}
	whole := at
	at, n := digits(in, at)
	if at == whole || in[whole] == '0' && at > whole+1 {
		return 0, -1
	}
	exact := at-whole <= 15
	if at < len(in) && in[at] == '.' {
		exact = false
		fraction := at + 1
		if at, _ = digits(in, fraction); at == fraction {
			return 0, -1
		}
	}
	if at < len(in) && in[at]|0x20 == 'e' {
		exact = false
		at++
		if at < len(in) && (in[at] == '+' || in[at] == '-') {
			at++
		}
		exponent := at
		if at, _ = digits(in, exponent); at == exponent {
			return 0, -1
		}
	}
	if exact {
		f = float64(n)
		if negative {
			f = -f
		}
		return f, at
	}
	f, err := strconv.ParseFloat(in[start:at], 64)
	if err != nil {
		return 0, -1
	}
	return f, at
}

// digits reads decimal digits; n is their value unless it overflows.
func digits(in string, at int) (end int, n int64) {
	for at < len(in) && '0' <= in[at] && in[at] <= '9' {
		n = n*10 + int64(in[at]-'0')
		at++
	}
	return at, n
}
