// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"math/bits"
	"unicode/utf8"
)

// safety of a byte in a JSON string.
const (
	plainHTML = 1 << iota // stands for itself, also where HTML is escaped
	plain                 // stands for itself where HTML is not escaped
)

var byteSafety = func() (t [256]uint8) {
	for c := range t {
		if c >= ' ' && c != '"' && c != '\\' {
			t[c] = plain
			if c < utf8.RuneSelf && c != '<' && c != '>' && c != '&' {
				t[c] |= plainHTML
			}
		}
	}
	return t
}()

// appendEscaped appends the inside of a JSON string. Only quotes, backslashes
// and control characters are escaped; anything else passes, even bytes that are
// not UTF-8.
func appendEscaped[T string | []byte](b []byte, s T) []byte {
	for {
		i := plainLength(s)
		b = append(b, s[:i]...)
		if i == len(s) {
			return b
		}
		b = appendEscape(b, s[i])
		s = s[i+1:]
	}
}

// plainLength returns how many bytes s begins with that stand for themselves in
// a JSON string.
func plainLength[T string | []byte](s T) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		c := s[i : i+8]
		w := uint64(c[0]) | uint64(c[1])<<8 | uint64(c[2])<<16 | uint64(c[3])<<24 |
			uint64(c[4])<<32 | uint64(c[5])<<40 | uint64(c[6])<<48 | uint64(c[7])<<56
		// The lowest bit that is set is in the first byte that is special;
		// others may be wrong.
		quote, backslash := w^'"'*ones, w^'\\'*ones
		special := ((w-' '*ones)&^w | (quote-ones)&^quote | (backslash-ones)&^backslash) & tops
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(s) && byteSafety[s[i]]&plain != 0 {
		i++
	}
	return i
}

// appendHTMLEscaped is appendEscaped that also escapes what is special in HTML
// or JavaScript and replaces bytes that are not UTF-8.
func appendHTMLEscaped(b []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if byteSafety[c]&plainHTML != 0 {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = appendEscape(append(b, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(append(b, s[start:i]...), `\ufffd`...)
			start = i + size
		case r == '\u2028' || r == '\u2029':
			b = append(append(b, s[start:i]...), `\u202`...)
			b = append(b, hexDigits[r&0xf])
			start = i + size
		}
		i += size
	}
	return append(b, s[start:]...)
}

const hexDigits = "0123456789abcdef"

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, `\u00`+string(hexDigits[c>>4])+string(hexDigits[c&0xf])...)
}
